import { useEffect, useRef, useState } from 'preact/hooks';
import type { Window } from '../../../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Confirm } from '../../design/parts.tsx';
import { useDoing } from '../forms/edit.tsx';
import { titleOf, trippedOf } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import { may } from '../rpc/permissions.ts';
import { incidents, READ } from '../rpc/rpc.ts';
import { words } from '../words.ts';

/** How many are shown before the rest is told by its number. */
const SHOWN = 5;

const TICK_MS = 200;

/** The outcomes after which it is over and nobody is alerted, and those after which something else waits than what was seen. */
const GOOD: readonly string[] = ['cancelled', 'closed'];
const STILL_WAITS: readonly string[] = ['more_came', 'another_waits'];

/** A trigger that waits in its false-alarm window. `endsAt`: when it alerts, in milliseconds of this page's own count of time. */
type Waits = Window & { endsAt: number };

/** What was asked about, and why it is asked about again; null: it is not. */
interface Asked {
  window: Waits;
  again: string | null;
}

/** What became of the last call off, and what stood there with it: it is said until something else does. */
interface Came {
  said: string;
  tone: 'good' | '';
  calledOff: string;
  beside: string | undefined;
  open: ReadonlySet<string>;
}

/**
 * Reads what is about to alert, or what waits at one alarm. An answer says how much time is left, so a clock of this device that is
 * wrong counts no wrong time.
 */
async function readWindows(asked: { pageSize: number; sourceId?: string }) {
  const askedAt = performance.now();
  const { windows, total } = await incidents.listWindows(asked, READ);
  // Counted from the question on, nobody is shown more time than there is.
  return { windows: windows.map(window => ({ ...window, endsAt: askedAt + window.alertsInMs })), total };
}

/**
 * Shows above all else what is about to alert people: how long until then, and the button that calls it off (DECISIONS.md
 * "Calling off"). Said aloud is each beginning, and not each second. `open`: the open incidents.
 */
export function Windows({ open }: { open: readonly Pick<Incident, 'id'>[] }) {
  const say = words().windows;
  const { data } = useQuery('windows', () => readWindows({ pageSize: SHOWN }));
  const [asking, setAsking] = useState<Asked | null>(null);
  const [came, setCame] = useState<Came | null>(null);
  const doing = useDoing();
  const windows = data?.windows ?? [];
  const total = data?.total ?? 0;
  const [first] = windows;
  const begun = useOnceFor(first?.traceId, () => (first === undefined ? '' : begins(first, total)));

  const besides = (traceId: string) => windows.find(window => window.traceId !== traceId)?.traceId;
  const isStill = came !== null && besides(came.calledOff) === came.beside && open.every(({ id }) => came.open.has(id));
  useEffect(() => {
    if (!isStill) setCame(null);
  }, [isStill]);

  const ask = (window: Waits) => {
    doing.forget();
    setCame(null);
    setAsking({ window, again: null });
  };

  const callOff = async ({ sourceId, traceId, senders }: Waits) => {
    await doing.run(async () => {
      const { outcome } = await incidents.callOff({ sourceId, traceId, senders });
      const since = STILL_WAITS.includes(outcome) ? await readWindows({ sourceId, pageSize: 1 }) : null;
      const [window] = since?.windows ?? [];
      if (window !== undefined) return setAsking({ window, again: say.came[outcome]! });
      // What waited when it was refused waits no longer by now.
      const word = since === null ? outcome : 'nothing_waits';
      const said = say.came[word] ?? say.cameElse(word);
      const stands = { calledOff: traceId, beside: besides(traceId), open: new Set(open.map(({ id }) => id)) };
      setCame({ said, tone: GOOD.includes(word) ? 'good' : '', ...stands });
      setAsking(null);
    });
  };

  return (
    <>
      <div class="told" role="status">
        <p class="unseen">{begun}</p>
        {isStill && <p class={`notice ${came.tone}`}>{came.said}</p>}
      </div>
      {first !== undefined && (
        <section class={`windows ${first.environment}`} aria-label={say.title}>
          <h2 dir="auto">{total === 1 ? say.one(first.sourceName) : say.several(total)}</h2>
          <p>{first.environment === 'test' ? say.inTest : say.ways}</p>
          <ul>
            {windows.map(window => (
              <li key={window.traceId}>
                <Countdown endsAt={window.endsAt} />
                <div dir="auto">
                  <b>{titleOf(window)}</b>
                  <span>{factsOf(window)}</span>
                </div>
                {may('act') && (
                  <button type="button" class="button" onClick={() => ask(window)}>
                    {say.callOff}
                  </button>
                )}
              </li>
            ))}
          </ul>
          {total > windows.length && <p>{say.more(total - windows.length)}</p>}
        </section>
      )}
      {asking !== null && (
        <Confirm
          title={say.confirm(titleOf(asking.window))}
          text={say.confirmText}
          yes={say.callOff}
          no={words().cancel}
          tone="live"
          wrong={doing.refusal?.message ?? asking.again}
          working={doing.is === 'working'}
          onYes={() => void callOff(asking.window)}
          onNo={() => setAsking(null)}
        >
          <p dir="auto">{factsOf(asking.window)}</p>
        </Confirm>
      )}
    </>
  );
}

function begins({ sourceName, endsAt, environment }: Waits, total: number): string {
  const say = words().windows;
  const seconds = secondsTo(endsAt);
  if (environment === 'test') return say.beginsInTest(sourceName, seconds);
  return say.begins(sourceName, seconds, total);
}

/** Where it is, what tripped it, and how often where that was more than once. */
function factsOf(window: Waits): string {
  const say = words().incident;
  const tripped = trippedOf(window);
  const facts = [
    ...(window.environment === 'test' ? [say.test] : []),
    window.locationName,
    ...(tripped === null ? [] : [say.tripped(tripped)]),
    ...(window.triggerCount === 1 ? [] : [say.triggers(window.triggerCount)]),
  ];
  return facts.join(' · ');
}

/** Counts down by itself. Whoever hears the page was told when it began. */
function Countdown({ endsAt }: { endsAt: number }) {
  const [, count] = useState(0);
  const left = secondsTo(endsAt);
  useEffect(() => {
    const timer = setInterval(() => count(secondsTo(endsAt)), TICK_MS);
    return () => clearInterval(timer);
  }, [endsAt]);
  const say = words().windows;
  return (
    <strong class="figures" role="timer" aria-live="off">
      {left === 0 ? say.now : say.in(left)}
    </strong>
  );
}

function secondsTo(endsAt: number): number {
  return Math.max(0, Math.ceil((endsAt - performance.now()) / 1_000));
}

/** Returns what was made for `key` when it came: later, it would be something else. */
function useOnceFor(key: string | undefined, make: () => string): string {
  const kept = useRef<{ key: string | undefined; made: string }>({ key: undefined, made: '' });
  if (kept.current.key !== key) kept.current = { key, made: make() };
  return kept.current.made;
}

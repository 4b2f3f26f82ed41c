import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { ComponentChildren } from 'preact';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import type { Incident } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { Chip } from '../../design/parts.tsx';
import { titleOf } from '../live/open-incidents.ts';
import { useQuery } from '../live/use-query.ts';
import type { useLastCalls } from '../parts/last-calls.tsx';
import { nameOfMode } from '../parts/mode-name.ts';
import { spanOf } from '../parts/span.ts';
import { Time } from '../parts/time.tsx';
import { Line } from '../parts/tonight.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { incidents, READ } from '../rpc/rpc.ts';
import { tonight } from '../rpc/rpc-tonight.ts';
import { addressOf } from '../way/router.ts';
import { words, wordsOf } from '../words.ts';
import { isAlarm, type Source } from './source.ts';

/** Says in the words of Home who would be told by one source now. What is off tells nobody. */
export function WouldTell({ of }: { of: Source }) {
  const say = words().tonight;
  const found = useQuery(`tonight ${of.id}`, () => tonight.getTonight({ sourceId: of.id }, READ));
  if (found.data === null) return <Waiting on={found} />;
  const lines = found.data.places.flatMap(({ lines }) => lines);
  return (
    <section class="stack">
      <h2>{say.title}</h2>
      <div class="card rows">
        {lines.map(line => (
          <Line key={line.mode} of={line} />
        ))}
        {lines.length === 0 && (
          <p class="row">
            <Chip tone="warn">{say.nobody}</Chip>
          </p>
        )}
      </div>
    </section>
  );
}

/** Says how a source is set up, what called it last and how its last incident was answered. */
export function Reads(on: { of: Source; policies: readonly Policy[]; calls: ReturnType<typeof useLastCalls> }) {
  const say = wordsOf('alarms');
  const { of } = on;
  const last = useQuery(`last incident ${of.id}`, () =>
    incidents.listIncidents({ sourceId: of.id, pageSize: 1 }, READ),
  );
  const called = on.calls.data?.calls[0];
  const who = called?.actor || called?.keyLabel || '';
  const incident = last.data?.incidents[0];
  const facts: (readonly [label: string, value: ComponentChildren])[] = [
    ...setUp(of, on.policies),
    [
      say.lastCall,
      called === undefined ? (
        say.noCallLately
      ) : (
        <>
          {words().verbs[called.verb] ?? called.verb} · {words().outcomes[called.outcome] ?? called.outcome} ·{' '}
          <Time at={called.at} />
          {who !== '' && <bdi> · {words().calls.by(who)}</bdi>}
        </>
      ),
    ],
    [say.lastIncident, incident === undefined ? say.noIncident : <Answered of={incident} />],
  ];
  return (
    <section class="stack">
      <h2>{say.settings}</h2>
      <dl class="card facts">
        {facts.map(([label, value]) => (
          <div key={label}>
            <dt dir="auto">{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function setUp(of: Source, policies: readonly Policy[]): (readonly [label: string, value: ComponentChildren])[] {
  const say = wordsOf('alarms');
  const policy = (id: string) => <Named id={id} name={policies.find(policy => policy.id === id)?.name} />;
  if (!isAlarm(of)) {
    const kind = of.responseKind === 'other' ? of.responseText : say.responses[of.responseKind];
    return [
      [say.response, <bdi>{kind || say.responses.other}</bdi>],
      [say.policy, policy(of.policyId)],
    ];
  }
  // Most alarms do the same in all modes.
  const alike = Map.groupBy(of.modes, ({ policyId, windowS }) => `${policyId} ${windowS}`);
  const modes = [...alike.values()].map(same => {
    const { policyId, windowS } = same[0]!;
    const after = windowS === 0 ? '' : ` · ${words().tonight.window(spanOf(windowS))}`;
    return [
      same.map(nameOfMode).join(', '),
      <>
        {policy(policyId)}
        {after}
      </>,
    ] as const;
  });
  const behaves = (['onlyWhenArmed', 'clearOnDisarm'] as const).filter(field => of[field]);
  if (behaves.length === 0) return modes;
  return [...modes, [say.behaviour, behaves.map(field => say.switches[field].label).join(' · ')]];
}

function Named({ id, name }: { id: string; name: string | undefined }) {
  if (id === '' || name === undefined) return <Chip tone="warn">{wordsOf('alarms').noPolicy}</Chip>;
  return (
    <a class="to" href={addressOf(`policies/${id}`)} data-screen dir="auto">
      {name}
    </a>
  );
}

function Answered({ of }: { of: Incident }) {
  const say = words().incident;
  const { acknowledgedAt, openedAt } = of;
  const after =
    acknowledgedAt === undefined
      ? 0
      : Math.max(0, Math.round((timestampMs(acknowledgedAt) - timestampMs(openedAt!)) / 1_000));
  const how =
    acknowledgedAt === undefined
      ? (say.nobody[of.standing] ??
        (of.status === 'closed' ? say.status.closed(say.reasons[of.closeReason] ?? of.closeReason) : say.waiting))
      : `${say.takenBy(of.acknowledgedBy)}, ${say.after(spanOf(after))}`;
  return (
    <>
      <a class="to" href={addressOf(`incidents/${of.id}`)} data-screen dir="auto">
        {titleOf(of)}
      </a>
      {' · '}
      <Time at={openedAt} />
      <br />
      <bdi>{how}</bdi>
      <br />
      <a class="small" href={addressOf(`incidents?source=${of.sourceId}`)} data-screen>
        {wordsOf('alarms').itsIncidents}
      </a>
    </>
  );
}

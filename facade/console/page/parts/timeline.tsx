import type { Call, Delivery, IncidentChange, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { language, words } from '../words.ts';
import { Time } from './time.tsx';
import { type Told, told } from './told.ts';

/** Shows what happened, oldest first, and above it what is still to come. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const say = words().incident;
  const { happened, planned } = told(entries);
  return (
    <>
      {planned.length > 0 && (
        <section class="stack">
          <h2>{say.next}</h2>
          <Rows of={planned} are="planned" />
        </section>
      )}
      <section class="stack">
        <h2>{say.timeline}</h2>
        <Rows of={happened} are="happened" />
      </section>
    </>
  );
}

function Rows({ of, are }: { of: readonly Told[]; are: 'planned' | 'happened' }) {
  return (
    <ol class="card timeline">
      {of.map((row, index) => {
        const said = lineOf(row);
        return (
          <li key={`${index} ${row.is}`} class={are === 'planned' ? 'planned' : said.tone}>
            <Time at={row.at} />
            <div class="said">
              {row.is === 'noise' && row.calls.length > 1 ? (
                <Noise of={row.calls} says={said.text} />
              ) : (
                <span dir="auto">{said.text}</span>
              )}
              {said.more.map(more => (
                <p key={more} class="soft small" dir="auto">
                  {more}
                </p>
              ))}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

/** Each of them, for whoever wants to see it. */
function Noise({ of, says }: { of: readonly Call[]; says: string }) {
  return (
    <details>
      <summary dir="auto">{says}</summary>
      <ul class="small soft">
        {of.map(call => (
          <li key={call.traceId} dir="auto">
            <Time at={call.at} /> {call.keyLabel}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface Line {
  text: string;
  more: string[];
  tone: '' | 'done' | 'bad';
}

function lineOf(row: Told): Line {
  if (row.is === 'messages') return messagesLine(row.deliveries);
  if (row.is === 'change') return changeLine(row);
  const [first, ...others] = row.is === 'call' ? [row.call] : row.calls;
  if (first === undefined || others.length === 0) return callLine(first!);
  const all = [first, ...others];
  const keys = [...new Set(all.map(({ keyLabel }) => keyLabel))].filter(label => label !== '').join(', ');
  const count = all.reduce((sum, { times }) => sum + Math.max(1, times), 0);
  return {
    text: [words().incident.moreCalls(count), keys].filter(part => part !== '').join(' · '),
    more: [],
    tone: '',
  };
}

function callLine({ verb, outcome, explanation, actor, keyLabel, silentSince }: Call): Line {
  const key = silentSince === undefined ? keyLabel : words().incident.silent(keyLabel);
  const parts = [words().verbs[verb] ?? verb, words().outcomes[outcome] ?? outcome, actor || key];
  return { text: parts.filter(part => part !== '').join(' · '), more: [explanation], tone: '' };
}

function messagesLine(deliveries: readonly [Delivery, ...Delivery[]]): Line {
  const say = words().incident;
  const nameOf = ({ channel }: Delivery) => say.channels[channel] ?? channel;
  const is = (...wanted: string[]) => deliveries.some(({ status }) => wanted.includes(status));
  const whatOf = ({ explanation, keptMessage }: Delivery) =>
    keptMessage === '' ? explanation : `${explanation} “${keptMessage.trim()}”`;
  return {
    text: say.message(listed(deliveries.map(nameOf)), deliveries[0].contactName),
    more: deliveries.map(one => (deliveries.length === 1 ? whatOf(one) : `${nameOf(one)}: ${whatOf(one)}`)),
    tone: is('sent', 'delivered') ? 'done' : is('failed') ? 'bad' : '',
  };
}

const BAD = new Set(['nobody_to_alert', 'nobody_reached', 'exhausted', 'step_late', 'step_missed']);

function changeLine({ change, by, calledOff }: Told & { is: 'change' }): Line {
  const say = words().incident;
  const [text, more] = saidOf(change);
  const { kind } = change;
  // Who acknowledged, and what tripped it, is said already.
  const isNamed = kind === 'acknowledged' || (kind === 'opened' && more !== '');
  const who = isNamed || by === '' ? '' : words().calls.by(by);
  return {
    text,
    more: [
      [more, who].filter(part => part !== '').join(' · '),
      calledOff.length === 0 ? '' : say.calledOff(listed(calledOff)),
    ].filter(part => part !== ''),
    tone: BAD.has(kind) ? 'bad' : kind === 'closed' || kind === 'acknowledged' ? 'done' : '',
  };
}

function saidOf({ kind, detail, by, round, step, explanation }: IncidentChange): [text: string, more: string] {
  const say = words().incident;
  if (kind === 'step') return [say.step(round, step + 1), ''];
  if (kind === 'acknowledged') return [say.acknowledgedBy(detail), ''];
  if (kind === 'noted') return [say.goOn.noted(by), detail];
  if (kind === 'next_step') return [say.goOn.stepped(by), ''];
  if (kind === 'handed_over') return [say.goOn.handedOver(by, detail), ''];
  if (kind === 'declined') return [say.goOn.declined(by), ''];
  if (kind === 'disposition') return [say.disposed(by, say.dispositions[detail] ?? detail), ''];
  if (kind === 'asked_again') return [say.askedAgain(detail), ''];
  return [say.changes[kind] ?? kind, kind === 'closed' ? (say.reasons[detail] ?? '') : explanation];
}

function listed(names: readonly string[]): string {
  return new Intl.ListFormat(language.value).format(names);
}

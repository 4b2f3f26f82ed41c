import type { Delivery, IncidentChange, TimelineEntry } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { words } from '../words.ts';
import { Time } from './time.tsx';

/** Shows what happened, oldest first, and below it what is still to come. */
export function Timeline({ entries }: { entries: readonly TimelineEntry[] }) {
  const say = words().incident;
  const planned = entries.filter(({ state }) => state === 'scheduled');
  const happened = entries.filter(({ state }) => state !== 'scheduled');
  return (
    <>
      {planned.length > 0 && (
        <section class="stack">
          <h2>{say.next}</h2>
          <Entries of={planned} />
        </section>
      )}
      <section class="stack">
        <h2>{say.timeline}</h2>
        <Entries of={happened} />
      </section>
    </>
  );
}

function Entries({ of }: { of: readonly TimelineEntry[] }) {
  return (
    <ol class="card timeline">
      {of.map((entry, index) => {
        const said = lineOf(entry);
        return (
          <li key={`${index} ${entry.entry.case}`} class={entry.state === 'scheduled' ? 'planned' : said.tone}>
            <Time at={entry.at} />
            <div class="said">
              <span dir="auto">{said.text}</span>
              {said.more !== '' && (
                <p class="soft small" dir="auto">
                  {said.more}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ol>
  );
}

interface Line {
  text: string;
  more: string;
  tone: '' | 'done' | 'bad';
}

function lineOf({ entry }: TimelineEntry): Line {
  if (entry.case === 'delivery') return deliveryLine(entry.value);
  if (entry.case === 'change') return changeLine(entry.value);
  if (entry.case !== 'call') return { text: '', more: '', tone: '' };
  const { verb, outcome, explanation, actor, keyLabel, silentSince } = entry.value;
  const key = silentSince === undefined ? keyLabel : words().incident.silent(keyLabel);
  const parts = [words().verbs[verb] ?? verb, words().outcomes[outcome] ?? outcome, actor || key];
  return { text: parts.filter(part => part !== '').join(' · '), more: explanation, tone: '' };
}

function deliveryLine({ channel, contactName, status, explanation, keptMessage }: Delivery): Line {
  const say = words().incident;
  const tone = status === 'failed' ? 'bad' : status === 'sent' || status === 'delivered' ? 'done' : '';
  const more = keptMessage === '' ? explanation : `${explanation} “${keptMessage}”`;
  return { text: say.message(say.channels[channel] ?? channel, contactName), more, tone };
}

const BAD = new Set(['nobody_to_alert', 'nobody_reached', 'exhausted', 'step_late', 'step_missed']);

function changeLine({ kind, detail, by, round, step, explanation }: IncidentChange): Line {
  const say = words().incident;
  if (kind === 'step') return { text: say.step(round, step + 1), more: '', tone: '' };
  if (kind === 'acknowledged') return { text: say.acknowledgedBy(detail), more: '', tone: 'done' };
  if (kind === 'noted') return { text: say.goOn.noted(by), more: detail, tone: '' };
  if (kind === 'next_step') return { text: say.goOn.stepped(by), more: '', tone: '' };
  if (kind === 'handed_over') return { text: say.goOn.handedOver(by, detail), more: '', tone: '' };
  if (kind === 'declined') return { text: say.goOn.declined(by), more: '', tone: '' };
  if (kind === 'disposition') return { text: say.disposed(by, say.dispositions[detail] ?? detail), more: '', tone: '' };
  if (kind === 'asked_again') return { text: say.askedAgain(detail), more: '', tone: '' };
  const more = kind === 'closed' ? (say.reasons[detail] ?? '') : explanation;
  return { text: say.changes[kind] ?? kind, more, tone: BAD.has(kind) ? 'bad' : kind === 'closed' ? 'done' : '' };
}

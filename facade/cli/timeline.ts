import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type {
  Call,
  Delivery,
  Incident,
  IncidentChange,
  TimelineEntry,
} from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { clean } from '../../services/process/text.ts';
import { formatDuration } from './duration.ts';
import { facts } from './table.ts';
import { onDutyAs, time } from './text.ts';

/** Formats an incident: what fired, and its state. */
export function incidentLines(incident: Incident): string[] {
  const { sourceName, locationName, mode, responseKind, responseText, environment, triggerCount } = incident;
  const closed = incident.status === 'closed' ? `, closed ${stamp(incident.closedAt)} (${incident.closeReason})` : '';
  return facts([
    ['Incident', incident.id],
    ['Source', `${clean(sourceName)} at ${clean(locationName)}`],
    ['Mode', mode],
    ['Response', responseText === '' ? responseKind : `${responseKind}: ${clean(responseText)}`],
    ['Environment', environment === 'test' ? 'test: nobody is alerted' : environment],
    ['Status', `${incident.status}${closed}`],
    ['It was', incident.disposition.replace('_', ' ')],
    ['Opened', stamp(incident.openedAt)],
    ['Alerts', alerts(incident)],
    ['Escalation', `ends ${stamp(incident.escalationEndsAt)}`],
    ['Acknowledged', acknowledged(incident)],
    ['Triggers', triggerCount === 1 ? '1' : `${triggerCount}, the last ${stamp(incident.lastTriggerAt)}`],
    ['Tripped by', trippedLine(incident)],
    ['Opened by', `call ${incident.traceId}`],
  ]);
}

/** What tripped it; or of what nothing was heard, and since when. */
export function trippedLine({ trippedBy, silentSince }: Pick<Incident, 'trippedBy' | 'silentSince'>): string {
  return `${inTurn(trippedBy)}${silentSince === undefined ? '' : `, silent since ${stamp(silentSince)}`}`;
}

/** What tripped it first, and what joined since. */
export function inTurn(labels: readonly string[]): string {
  const [first, ...joined] = labels.map(label => clean(label));
  return joined.length === 0 ? (first ?? '') : `${first}, then ${joined.join(', ')}`;
}

function alerts({ outcome, policyName }: Incident): string {
  if (outcome === 'nobody_to_alert') return 'nobody: no policy is bound, or it names nobody';
  if (outcome === 'nobody_reached') return 'nobody: its messages failed, had no carrier or could not be scheduled';
  return outcome === 'exhausted'
    ? `${clean(policyName)}: everyone who could be reached was alerted, and nobody acknowledged`
    : policyName;
}

/** How a person acknowledged it, in words. */
const VIAS: Record<string, string> = {
  link: 'by the link of a message',
  key_press: 'by a key on a call',
  reply: 'by a reply to a text',
  push: 'in the push app',
  chat: 'in the chat',
};

function acknowledged({ acknowledgedAt, acknowledgedBy, acknowledgedVia }: Incident): string {
  if (acknowledgedAt === undefined) return 'by nobody';
  const how = VIAS[acknowledgedVia];
  return `by ${clean(acknowledgedBy)}, ${stamp(acknowledgedAt)}${how === undefined ? '' : `, ${how}`}`;
}

/** Formats a timeline, each entry with its time after the first one. */
export function timelineLines(timeline: readonly TimelineEntry[]): string[] {
  const start = timeline[0]?.at;
  return timeline.flatMap(({ at, state, entry }) => {
    const when = `  ${stamp(at)}  ${after(start, at).padEnd(9)}${state === 'scheduled' ? 'scheduled: ' : ''}`;
    switch (entry.case) {
      case 'call':
        return [`${when}${callLine(entry.value)}`];
      case 'change':
        return [`${when}${changeLine(entry.value)}`];
      case 'delivery':
        return [`${when}${deliveryLine(entry.value)}`, ...keptLines(entry.value)];
      default:
        return [];
    }
  });
}

/** Formats a call in one line: who did what, and the outcome. */
export function callLine({ verb, mode, outcome, actor, keyLabel, environment, traceId, silentSince }: Call): string {
  const who = `${clean(actor || keyLabel) || 'call'}${silentSince === undefined ? '' : ', silent'}`;
  const inMode = mode === '' ? '' : ` in ${clean(mode)}`;
  const asTest = environment === 'test' ? ', test' : '';
  return `${who}: ${verb.replaceAll('_', ' ')}${inMode} → ${outcome}${asTest} (${traceId})`;
}

/** Formats a call with its outcome. */
export function callLines(call: Call): string[] {
  return [
    ...facts([
      ['Call', call.traceId],
      ['At', stamp(call.at)],
      [
        'Answered',
        call.confirmedAt === undefined
          ? ''
          : `${stamp(call.confirmedAt)}; the database lost it, and it was stored again`,
      ],
      ['Did', `${call.verb || 'nothing known'}${call.mode === '' ? '' : ` in ${call.mode}`}`],
      ['Source', call.sourceName === '' ? call.sourceId : `${clean(call.sourceName)} (${call.sourceId})`],
      ['By', call.actor === '' ? `API key ${clean(call.keyLabel)} (${call.keyId})` : call.actor],
      ['Because silent since', stamp(call.silentSince)],
      ['Environment', call.environment],
      ['Outcome', call.outcome],
      ['Applied', stamp(call.appliedAt)],
      ['Incident', call.incidentId],
    ]),
    ...[call.explanation, call.advice].filter(text => text !== '').map(text => clean(text)),
  ];
}

/** Formats a time of a message; empty if absent. */
export function stamp(timestamp: Timestamp | undefined): string {
  return timestamp === undefined ? '' : time(timestampDate(timestamp));
}

function changeLine({ kind, detail, by, round, step, explanation }: IncidentChange): string {
  switch (kind) {
    case 'window':
      return `false-alarm window ${detail}`;
    case 'opened':
      return `incident opened${detail === '' ? '' : `, ${detail}`}${explanation === '' ? '' : `. ${clean(explanation)}`}`;
    case 'nobody_to_alert':
      return 'nobody to alert';
    case 'nobody_reached':
      return detail === ''
        ? 'nobody was reached: the escalation could not be scheduled'
        : 'nobody was reached: every message so far has failed or had no carrier';
    case 'escalation_capped':
      return `the policy asks for more messages than one incident may have: the rest (${clean(detail)}) is left out`;
    case 'step':
      return nth(round, step);
    case 'step_late':
      return `${nth(round, step)} ran ${formatDuration(Number(detail))} late`;
    case 'step_missed':
      return `${nth(round, step)} did not run in time: none of its messages was tried`;
    case 'step_brought_forward':
      return `${nth(round, step)} goes at once. ${clean(explanation)}`;
    case 'exhausted':
      return `the policy has ended and nobody acknowledged${explanation === '' ? '' : `. ${clean(explanation)}`}`;
    case 'still_happening':
      return 'triggered again after a pause: those alerted are notified';
    case 'acknowledged':
      return `acknowledged by ${clean(detail)}`;
    case 'next_step':
      return `${clean(by)} sent the next step at once`;
    case 'noted':
      return `${clean(by)} noted: ${clean(detail)}`;
    case 'handed_over':
      return `${clean(by)} handed it over to ${clean(detail)}`;
    case 'declined':
      return `${clean(by)} cannot`;
    case 'disposition':
      return `${clean(by)} said what it was: ${clean(detail).replace('_', ' ')}`;
    case 'asked_again':
      return `still open: ${clean(detail)}, who acknowledged, was asked again`;
    case 'closed':
      return `incident closed (${detail})`;
    default:
      return `${clean(kind)} ${clean(detail)}`.trim();
  }
}

/** Steps from here on are no policy's: somebody was asked to take over, or asked again. */
const ASKED = 1_000;

function nth(round: number, step: number): string {
  if (step >= ASKED) return 'the message to whoever was asked';
  return `step ${step + 1}${round === 0 ? '' : ` of round ${round + 1}`}`;
}

function deliveryLine(of: Delivery): string {
  const { kind, channel, contactName, status, reason, explanation } = of;
  const what = kind === 'alert' ? channel : `${channel} (${kind.replaceAll('_', ' ')})`;
  const why = explanation === '' ? reason : explanation;
  return `${what} to ${clean(contactName)}${onDutyAs(of)} → ${status}${why === '' ? '' : `: ${clean(why)}`}`;
}

/** Formats the text that nobody was sent, indented below its delivery. */
function keptLines({ keptMessage }: Delivery): string[] {
  return keptMessage === ''
    ? []
    : keptMessage
        .trimEnd()
        .split('\n')
        .map(line => `      | ${clean(line)}`);
}

function after(start: Timestamp | undefined, at: Timestamp | undefined): string {
  if (start === undefined || at === undefined) return '';
  return `+${formatDuration((timestampDate(at).getTime() - timestampDate(start).getTime()) / 1000)}`;
}

import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import type { GetIncidentResponse } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Call, Delivery, Incident } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import type { TriggerNow } from './trigger-now.ts';

/** A rehearsal that was applied. */
export interface Rehearsed {
  trigger: Pick<TriggerNow, 'source' | 'verdict' | 'modeName' | 'windowS'>;
  call: Call;
  /** The incident that it opened or joined; null if none. */
  told: GetIncidentResponse | null;
  carriers: readonly ChannelKind[];
}

interface Line {
  at: Timestamp;
  afterS: number;
  text: string;
}

/**
 * Describes what a rehearsal did, in sentences and in order of time: who would be alerted, when, and why not (SPEC.md 1
 * "Test mode").
 */
export function transcript({ trigger, call, told, carriers }: Rehearsed): Line[] {
  const triggeredAt = call.at!;
  const line = (text: string, at = triggeredAt): Line => ({
    at,
    afterS: Math.round((timestampMs(at) - timestampMs(triggeredAt)) / 1000),
    text,
  });
  const lines = [beginning(trigger), ...gateLine(trigger), ...windowLine(trigger)].map(text => line(text));
  if (told === null) return [...lines, line(call.explanation)];
  const incident = told.incident!;
  lines.push(line(...openingOf(call, incident)));
  const deliveries = told.timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value] : []));
  const rounds = deliveries.some(({ round }) => round > 0) ? 'several' : 'one';
  lines.push(...deliveries.map(one => line(`${tellingOf(one, carriers)} (${stepOf(one, rounds)}).`, one.dueAt!)));
  if (deliveries.length > 0)
    lines.push(line('That was the last message: nobody else is told.', incident.escalationEndsAt!));
  lines.push(...leftOutOf(told).map(text => line(text, incident.escalationEndsAt!)));
  return lines.toSorted((a, b) => timestampMs(a.at) - timestampMs(b.at));
}

function beginning({ source, modeName }: Rehearsed['trigger']): string {
  const what = source.kind === 'panic_button' ? `the panic button "${source.name}"` : `the alarm "${source.name}"`;
  const mode = modeName === null ? '' : ` in the mode ${modeName}`;
  return `A trigger of ${what}${mode} was rehearsed: it is recorded, and nobody is alerted.`;
}

function gateLine({ verdict, source }: Rehearsed['trigger']): string[] {
  if (verdict !== 'held_by_gate') return [];
  return [`A machine's trigger would be refused now: "${source.name}" only fires when armed, and it is disarmed.`];
}

function windowLine({ windowS }: Rehearsed['trigger']): string[] {
  if (windowS === 0) return [];
  return [
    `Any other trigger waits ${windowS} s in its false-alarm window first, where a disarm calls it off: all that follows comes ${windowS} s later then.`,
  ];
}

function openingOf(call: Call, incident: Incident): [text: string, at?: Timestamp | undefined] {
  if (call.outcome === 'folded') {
    const since = new Date(timestampMs(incident.openedAt!)).toISOString().slice(0, 19).replace('T', ' ');
    return [`It joined the incident that is open since ${since} UTC, which tells nobody anew.`];
  }
  if (incident.outcome === 'nobody_to_alert') {
    const why = incident.policyName === '' ? 'no policy is bound' : `the policy "${incident.policyName}" names nobody`;
    return [`An incident opens, and there is nobody to alert: ${why}.`, incident.openedAt];
  }
  return [`An incident opens and runs the policy "${incident.policyName}".`, incident.openedAt];
}

/** What the policy asks for beyond what one incident plans. */
function leftOutOf({ incident, timeline }: GetIncidentResponse): string[] {
  const capped = timeline.flatMap(({ entry }) =>
    entry.case === 'change' && entry.value.kind === 'escalation_capped' ? [entry.value] : [],
  );
  return capped.map(
    ({ detail }) =>
      `The policy "${incident!.policyName}" asks for more messages than one incident may have: the rest (${detail}) is left out.`,
  );
}

/** Why a message would not go out, by its recorded reason. */
const OBSTACLES: Record<string, string> = {
  no_address: 'there is no usable address',
  not_verified: 'nobody has shown yet that the address is theirs',
  plan_required: 'the plan of the account does not cover it',
};

function tellingOf({ contactName, channel, status, reason }: Delivery, carriers: readonly ChannelKind[]): string {
  if (status === 'cancelled') return `${contactName} is no longer told by ${channel}: the escalation had ended before`;
  if (reason !== '') return `${contactName} is not told by ${channel}, because ${OBSTACLES[reason] ?? reason}`;
  if (carriers.some(carrier => carrier === channel)) return `${contactName} is told by ${channel}`;
  return `${contactName} is not told by ${channel}, because no carrier is set up: it is kept here`;
}

function stepOf({ round, step }: Delivery, rounds: 'one' | 'several'): string {
  return rounds === 'one' ? `step ${step + 1}` : `round ${round + 1}, step ${step + 1}`;
}

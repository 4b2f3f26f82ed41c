import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import type { GetIncidentResponse } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Call, Delivery, Incident } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { say } from '../rpc/reader.ts';
import type { TriggerNow } from './trigger-now.ts';

/** A rehearsal that was applied. */
export interface Rehearsed {
  trigger: Pick<TriggerNow, 'source' | 'verdict' | 'modeName' | 'windowS'>;
  call: Call;
  /** The incident that it opened or joined; null if none. */
  told: GetIncidentResponse | null;
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
export function transcript({ trigger, call, told }: Rehearsed): Line[] {
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
  lines.push(...deliveries.map(one => line(messageOf(one, rounds), one.dueAt!)));
  if (deliveries.length > 0) lines.push(line(say().rehearsals.last, incident.escalationEndsAt!));
  lines.push(...leftOutOf(told).map(text => line(text, incident.escalationEndsAt!)));
  return lines.toSorted((a, b) => timestampMs(a.at) - timestampMs(b.at));
}

function beginning({ source, modeName }: Rehearsed['trigger']): string {
  return say().rehearsals.begun(source.kind, source.name, modeName);
}

function gateLine({ verdict, source }: Rehearsed['trigger']): string[] {
  return verdict === 'held_by_gate' ? [say().rehearsals.heldByGate(source.name)] : [];
}

function windowLine({ windowS }: Rehearsed['trigger']): string[] {
  return windowS === 0 ? [] : [say().rehearsals.window(windowS)];
}

function openingOf(call: Call, incident: Incident): [text: string, at?: Timestamp | undefined] {
  const { rehearsals } = say();
  const { policyName, openedAt } = incident;
  if (call.outcome === 'folded') return [rehearsals.joined];
  if (incident.outcome === 'nobody_to_alert') {
    return [policyName === '' ? rehearsals.noPolicy : rehearsals.emptyPolicy(policyName), openedAt];
  }
  return [rehearsals.opens(policyName), openedAt];
}

/** What the policy asks for beyond what one incident plans. */
function leftOutOf({ incident, timeline }: GetIncidentResponse): string[] {
  const capped = timeline.flatMap(({ entry }) =>
    entry.case === 'change' && entry.value.kind === 'escalation_capped' ? [entry.value] : [],
  );
  return capped.map(({ detail }) => say().rehearsals.leftOut(incident!.policyName, detail));
}

function messageOf(of: Delivery, rounds: 'one' | 'several'): string {
  const { contactName, dutyName, channel, status, reason, insteadOf } = of;
  const name = dutyName === '' ? contactName : say().rehearsals.onDuty(contactName, dutyName);
  const fate = status === 'cancelled' ? 'cancelled' : reason === '' ? 'told' : 'blocked';
  const round = rounds === 'one' ? null : of.round + 1;
  return say().rehearsals.message({ name, channel, fate, reason, insteadOf, round, step: of.step + 1 });
}

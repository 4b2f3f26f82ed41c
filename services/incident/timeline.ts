import type { MessageInitShape } from '@bufbuild/protobuf';
import type { InferEntity } from '@mikro-orm/postgresql';
import type {
  CallSchema,
  DeliverySchema,
  IncidentChangeSchema,
  TimelineEntrySchema,
} from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { copiedContact } from '../domain/alert.ts';
import { triedOf } from '../domain/chances.ts';
import { type ChannelKind, FAILING_AFTER, standsAt } from '../domain/delivery.ts';
import { HANDED_OVER_STEP, type StepTime, stepTimes } from '../domain/escalation.ts';
import { trippedBy } from '../domain/tripped.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { onDutyView, protoTime, timeAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Delivery, Incident, IncidentEntry } from '../store/entities/incident.ts';
import type { CallRow } from '../store/statements/call-row.ts';

type IncidentRow = InferEntity<typeof Incident>;
type DeliveryRow = InferEntity<typeof Delivery>;

/** A call of the incident with its message. */
export interface ShownCall {
  row: CallRow;
  view: MessageInitShape<typeof CallSchema>;
}

type Entry = NonNullable<MessageInitShape<typeof TimelineEntrySchema>['entry']>;

interface Line {
  time: Date;
  /** The order at the same instant: cause before effect. */
  rank: number;
  entry: Entry;
}

const RANK = {
  trigger: 0,
  window: 1,
  opened: 2,
  step: 3,
  delivery: 4,
  audited: 5,
  call: 6,
  ended: 7,
  told: 8,
  cancelled: 9,
} as const;

/** The rank of a change of the incident among what happened at the same instant. */
const CHANGE_RANK: Record<InferEntity<typeof IncidentEntry>['kind'], number> = {
  opened: RANK.opened,
  nobody_to_alert: RANK.opened,
  nobody_reached: RANK.audited,
  escalation_capped: RANK.opened,
  still_happening: RANK.opened,
  step_late: RANK.audited,
  step_missed: RANK.audited,
  step_brought_forward: RANK.audited,
  exhausted: RANK.ended,
  acknowledged: RANK.ended,
  next_step: RANK.call,
  noted: RANK.call,
  disposition: RANK.told,
  handed_over: RANK.call,
  declined: RANK.call,
  asked_again: RANK.opened,
  closed: RANK.ended,
};

/**
 * Returns everything that happened in an incident in order of time: call, window, opened, step, delivery, acknowledged,
 * closed (DECISIONS.md "Incidents and escalation").
 */
export function timelineView(
  incident: IncidentRow,
  entries: readonly InferEntity<typeof IncidentEntry>[],
  calls: readonly ShownCall[],
  deliveries: readonly DeliveryRow[],
  now: Date,
): MessageInitShape<typeof TimelineEntrySchema>[] {
  const standIns = new Map(deliveries.map(row => [lineOf(row, row.insteadOf ?? ''), row.channel]));
  const lines: Line[] = [
    ...calls.map(callLine),
    ...windowLines(incident, calls),
    ...entries.map(({ at, kind, detail, by, round, step }) =>
      change(at, CHANGE_RANK[kind], {
        kind,
        detail,
        by,
        round: round ?? 0,
        step: step ?? 0,
        explanation: explanationOf(incident, kind, detail),
      }),
    ),
    ...stepLines(incident, deliveries),
    ...deliveries.map(row => ({
      time: new Date(standsAt(timesOf(row))),
      rank: rankOf(row),
      entry: {
        case: 'delivery' as const,
        value: deliveryView(incident, row, standIns.get(lineOf(row, row.channel)) ?? null),
      },
    })),
  ];
  return inOrder(lines, now);
}

/** Returns the calls of a further page as timeline entries, in order of time. */
export function callsView(calls: readonly ShownCall[]): MessageInitShape<typeof TimelineEntrySchema>[] {
  return inOrder(calls.map(callLine), null);
}

/** `now` null: all of them have happened. */
function inOrder(lines: Line[], now: Date | null): MessageInitShape<typeof TimelineEntrySchema>[] {
  return lines
    .sort((a, b) => a.time.getTime() - b.time.getTime() || a.rank - b.rank)
    .map(line => ({ at: protoTime(line.time), state: stateOf(line, now), entry: line.entry }));
}

function callLine({ row, view }: ShownCall): Line {
  const rank = row.verb === 'trigger' ? RANK.trigger : RANK.call;
  return { time: new Date(row.at), rank, entry: { case: 'call', value: view } };
}

/** A cancelled message is no longer scheduled. */
function stateOf({ time, entry }: Line, now: Date | null): 'happened' | 'scheduled' {
  const calledOff = entry.case === 'delivery' && entry.value.status === 'cancelled';
  return now !== null && time > now && !calledOff ? 'scheduled' : 'happened';
}

function timesOf({ status, plannedAt, dueAt, firstAttemptAt }: DeliveryRow): Parameters<typeof standsAt>[0] {
  return {
    status,
    plannedAt: plannedAt.getTime(),
    dueAt: dueAt.getTime(),
    firstAttemptAt: firstAttemptAt?.getTime() ?? null,
  };
}

/** News of an acknowledgement follows the acknowledgement. */
function rankOf({ kind, status }: DeliveryRow): number {
  if (status === 'cancelled') return RANK.cancelled;
  return kind === 'acknowledged' ? RANK.told : RANK.delivery;
}

function explanationOf(
  { trippedKeys, trippedLabels, silentSince, openedAt }: IncidentRow,
  kind: InferEntity<typeof IncidentEntry>['kind'],
  detail: string,
): string {
  if (kind === 'opened') {
    const by = clean(trippedBy(trippedKeys, trippedLabels)[0] ?? '', NAME_LENGTH);
    const silentS = silentSince ? Math.round((openedAt.getTime() - silentSince.getTime()) / 1_000) : null;
    return say().changes({ kind, by, silentS });
  }
  if (kind === 'exhausted') return say().changes({ kind, tried: triedOf(detail) });
  return kind === 'step_brought_forward' ? say().changes({ kind, earlierS: Number(detail) }) : '';
}

function change(time: Date, rank: number, value: MessageInitShape<typeof IncidentChangeSchema>): Line {
  return { time, rank, entry: { case: 'change', value } };
}

/** The false-alarm window it opened from, which started with the first trigger that waited in it. */
function windowLines({ windowEndedAt }: IncidentRow, calls: readonly ShownCall[]): Line[] {
  if (!windowEndedAt) return [];
  const waited = calls.filter(({ row }) => row.verb === 'trigger' && row.pendingId);
  const began = waited.map(({ row }) => row.at).sort((a, b) => a - b)[0];
  const lines = began === undefined ? [] : [change(new Date(began), RANK.window, { kind: 'window', detail: 'began' })];
  return [...lines, change(windowEndedAt, RANK.window, { kind: 'window', detail: 'ended' })];
}

/**
 * When the steps of the policy were or are due, up to the end of the escalation. Planned again from the copy: a retry
 * moves the due time of a delivery, never that of its step. A step that was brought forward stands where it went.
 */
function stepLines({ copy, openedAt, escalationEndsAt }: IncidentRow, messages: readonly DeliveryRow[]): Line[] {
  const moved = new Map(
    messages.flatMap(({ movedFrom, plannedAt, ...of }) => (movedFrom ? [[keyOf(of), plannedAt.getTime()]] : [])),
  );
  const byPolicy = stepTimes(copy.policy, openedAt.getTime()).map(planned => ({
    ...planned,
    dueAt: moved.get(keyOf(planned)) ?? planned.dueAt,
  }));
  return [...byPolicy, ...stepsBeyond(byPolicy, messages)]
    .filter(({ dueAt }) => dueAt <= escalationEndsAt.getTime())
    .map(({ round, step, dueAt }) => change(new Date(dueAt), RANK.step, { kind: 'step', round, step }));
}

/** The steps of rounds that the policy does not have: it began anew because an acknowledgement had aged (DECISIONS.md "An acknowledgement ages"). */
function stepsBeyond(byPolicy: readonly StepTime[], messages: readonly DeliveryRow[]): StepTime[] {
  const last = Math.max(-1, ...byPolicy.map(({ round }) => round));
  const beyond = messages.filter(
    ({ kind, round, step }) => kind === 'alert' && round > last && step < HANDED_OVER_STEP,
  );
  const steps = Map.groupBy(beyond, keyOf).values();
  return [...steps].map(of => ({
    round: of[0]!.round,
    step: of[0]!.step,
    dueAt: Math.min(...of.map(({ plannedAt }) => plannedAt.getTime())),
  }));
}

function keyOf({ round, step }: { round: number; step: number }): string {
  return `${round}/${step}`;
}

/** Identifies the messages of a step to a contact over a channel. */
function lineOf({ kind, round, step, contactId }: DeliveryRow, channel: string): string {
  return `${kind}/${round}/${step}/${contactId}/${channel}`;
}

function deliveryView(
  incident: IncidentRow,
  row: DeliveryRow,
  instead: ChannelKind | null,
): MessageInitShape<typeof DeliverySchema> {
  const cancelledBy = cancellationOf(incident, row);
  const contact = copiedContact(incident.copy, row.contactId, row.step);
  // Follow-ups count rounds of their own.
  const onDuty = row.kind === 'alert' ? contact?.onDuty?.find(({ round }) => round === row.round) : undefined;
  // What failed before it was called off is told as such.
  const endedBy = row.tries >= FAILING_AFTER ? 'outdated' : cancelledBy;
  return {
    id: row.id,
    kind: row.kind,
    round: row.round,
    step: row.step,
    contactName: contact?.name ?? '',
    contactId: row.contactId,
    ...onDutyView(onDuty),
    channel: row.channel,
    status: row.status,
    reason: row.status === 'cancelled' ? endedBy : (row.reason ?? ''),
    dueAt: protoTime(row.dueAt),
    insteadOf: row.insteadOf ?? '',
    ...timeAt('sentAt', row.sentAt),
    attempts: row.tries,
    keptMessage: row.message ?? '',
    explanation: say().deliveries({
      channel: row.channel,
      status: row.status,
      reason: row.reason ?? '',
      cancelledBy,
      insteadOf: row.insteadOf ?? null,
      attempts: row.tries,
      instead,
      carrierTries: row.carrierTries ?? [],
    }),
    // Without a carrier nothing was attempted.
    ...timeAt('firstAttemptAt', row.status === 'no_carrier' ? null : row.firstAttemptAt),
    ...timeAt('deliveredAt', row.deliveredAt),
    plannedAt: protoTime(row.plannedAt),
    providerRef: row.providerRef ?? '',
    carrier: row.carrier ?? '',
    carrierTries: (row.carrierTries ?? []).map(({ at, carrier, tookMs, taken, nth = 0, ...one }) => ({
      ...{ carrier, tookMs, taken },
      addressNth: nth,
      at: protoTime(at),
      reason: say().faults(one.reason),
    })),
  };
}

/** Returns what cancels an unsent message: an acknowledgement cancels only alerts, closing cancels everything. */
function cancellationOf({ acknowledgedAt, closeReason }: IncidentRow, { kind }: DeliveryRow): string {
  return acknowledgedAt && kind === 'alert' ? 'acknowledged' : (closeReason ?? '');
}

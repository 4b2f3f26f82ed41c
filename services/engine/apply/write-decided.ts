import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import { shownState } from '../../domain/arming.ts';
import { whomToTell } from '../../domain/follow-up.ts';
import type { FollowUp, SourceState } from '../../domain/incident.ts';
import type { Kept } from '../../limits/kept.ts';
import { newId } from '../../store/id.ts';
import type { Connection } from '../../store/statement.ts';
import { resumeSteps } from '../../store/statements/ageing.ts';
import type { Folds, SourceRow } from '../../store/statements/apply.ts';
import { putOffExhaustions } from '../../store/statements/chances.ts';
import { type LoggedAction, logCalls, readIncidentNumbers } from '../../store/statements/log.ts';
import { bringStepForward } from '../../store/statements/unreached.ts';
import type { DeliveryWrite } from '../../store/statements/write.ts';
import { noWrites, writeAll, writeDeliveries } from '../../store/statements/write.ts';
import type { Decided, PlanOn } from './decided.ts';
import { readReached } from './statements/follow-up.ts';
import { addHandedTo } from './statements/handed-to.ts';
import { addWrites, onlyCounted } from './writes.ts';

/** Where to write, and what writing needs. */
export interface WriteOn extends PlanOn {
  client: PoolClient;
  log: Logger;
  /** Counts to be written later. */
  folds: Folds;
  /** Removes applied actions from where they waited, and stores those that have to wait. Written with the rest. */
  settle(decided: readonly Pick<Decided, 'row' | 'applied' | 'left'>[]): Promise<void>;
}

/** A source whose `state` now answers differently. */
export interface StateChange {
  accountId: string;
  sourceId: string;
}

/** What was written, as far as others act on it. */
export interface Written {
  changed: StateChange[];
  /** Sources that answer as before, of which there is something to see all the same: calls, a window. */
  seen: StateChange[];
  /** The new messages to send, now or later. */
  scheduled: Pick<DeliveryWrite, 'channel' | 'dueAt'>[];
  /** Whether owners have to be notified. */
  notices: 'some' | 'none';
  /** Whether something that could be applied has to wait. */
  left: 'some' | 'none';
  /** How many messages were planned. */
  messages: number;
  /** Sources of which nothing was written but counts, as they are now. */
  counted: SourceRow[];
  /** For metrics and traces: what was applied, and how long after it was accepted; how late windows ended. In milliseconds. */
  applied: { outcome: string; waitedMs: number; traceId: string; incidentId: string | null }[];
  windowsLateMs: number[];
}

/** Writes what was decided about sources. Call it inside a transaction. */
export async function writeDecided(on: WriteOn, decided: readonly Decided[]): Promise<Written> {
  const { client } = on;
  const writes = noWrites();
  const followUps: { accountId: string; followUp: FollowUp }[] = [];
  for (const one of decided) {
    addWrites(writes, on.folds, one, on.policyOf);
    for (const followUp of one.decision.followUps) followUps.push({ accountId: one.row.accountId, followUp });
  }
  const opened = new Map((await writeAll(client, writes)).map(({ id, seq }) => [id, seq]));
  await putOffExhaustions(
    client,
    decided.flatMap(({ row: { accountId }, decision }) =>
      decision.exhaustions.map(exhaustion => ({ accountId, ...exhaustion })),
    ),
  );
  await keepHandedTo(client, decided);
  const brought = [...(await bringForward(client, decided)), ...(await resume(client, decided))];
  const told = await planFollowUps(client, followUps);
  await writeDeliveries(client, told);
  await logCalls(client, await loggedOf(client, decided, opened));
  await on.settle(decided);
  giveBackClosing(on.kept, decided);
  return {
    changed: decided.filter(changed).map(placeOf),
    seen: decided.filter(one => !changed(one) && isSeen(one)).map(placeOf),
    scheduled: [...brought, ...[...writes.deliveries, ...told].filter(({ status }) => status === 'scheduled')],
    notices: writes.notices.length > 0 ? 'some' : 'none',
    left: decided.some(({ left }) => left.length > 0) ? 'some' : 'none',
    messages: writes.deliveries.length,
    counted: decided.filter(onlyCounted).map(({ row, decision }) => ({ ...row, ...decision.state })),
    applied: decided.flatMap(waitsOf),
    windowsLateMs: decided.flatMap(windowLatenessOf),
  };
}

async function keepHandedTo(client: PoolClient, decided: readonly Decided[]): Promise<void> {
  for (const { row, decision } of decided) {
    for (const { incidentId, contact } of decision.handedTo) {
      await addHandedTo(client, row.accountId, incidentId, contact);
    }
  }
}

/** Returns what is due now instead. */
async function bringForward(client: PoolClient, decided: readonly Decided[]): Promise<Written['scheduled']> {
  const due: Written['scheduled'] = [];
  for (const { row, decision } of decided) {
    for (const { incidentId, at, round, step } of decision.broughtForward) {
      const { outcome } = decision.state.incident ?? row.incident!;
      const { channels } = await bringStepForward(client, {
        accountId: row.accountId,
        incidentId,
        at,
        outcome,
        round,
        step,
      });
      due.push(...channels.map(channel => ({ channel, dueAt: at })));
    }
  }
  return due;
}

/** Returns what is due again. */
async function resume(client: PoolClient, decided: readonly Decided[]): Promise<Written['scheduled']> {
  const resumed = decided.flatMap(({ row: { accountId }, decision }) =>
    decision.resumed.map(one => ({ accountId, ...one })),
  );
  return await resumeSteps(client, resumed);
}

/** What ended no incident was counted as if it did: that was not known when it was accepted. */
function giveBackClosing(kept: Kept, decided: readonly Decided[]): void {
  for (const { row, decision, applied } of decided) {
    for (const [index, { incidentId }] of decision.outcomes.entries()) {
      const { verb, environment } = applied[index]!;
      if (incidentId !== null || environment === 'test') continue;
      if (verb === 'clear' || verb === 'disarm') kept.giveBack(row.accountId, 'closing');
    }
  }
}

function waitsOf({ row, decision, applied }: Decided): Written['applied'] {
  return decision.outcomes.map(({ outcome, incidentId }, index) => {
    const { traceId, acceptedAt } = applied[index]!;
    return { outcome, waitedMs: row.now - acceptedAt, traceId, incidentId };
  });
}

/** A window that starts and ends in one transaction is late as well, but how much is not known here. */
function windowLatenessOf({ row: { now, pending }, decision }: Decided): number[] {
  const ended = decision.windowsEnded.some(
    ({ pendingId, incidentId }) => pendingId === pending?.id && incidentId !== null,
  );
  return pending !== null && ended ? [now - pending.dueAt] : [];
}

async function loggedOf(
  client: PoolClient,
  decided: readonly Decided[],
  opened: ReadonlyMap<string, number>,
): Promise<LoggedAction[]> {
  const strangers: { accountId: string; incidentId: string }[] = [];
  const logged: (LoggedAction & { incidentId: string | null })[] = [];
  for (const { row, decision, applied } of decided) {
    for (const [index, { outcome, incidentId, pendingId }] of decision.outcomes.entries()) {
      const known = incidentId === row.incident?.id ? row.incidentSeq : (opened.get(incidentId ?? '') ?? null);
      const incidentSeq = incidentId === null ? null : known;
      if (incidentId !== null && incidentSeq === null) strangers.push({ accountId: row.accountId, incidentId });
      logged.push({ accountSeq: row.accountSeq, action: applied[index]!, outcome, incidentSeq, incidentId, pendingId });
    }
  }
  if (strangers.length === 0) return logged;
  // An acknowledge or close may name an incident that was closed long ago.
  const numbers = await readIncidentNumbers(client, strangers);
  return logged.map(one => ({ ...one, incidentSeq: one.incidentSeq ?? numbers.get(one.incidentId ?? '') ?? null }));
}

function placeOf({ row }: Decided): StateChange {
  return { accountId: row.accountId, sourceId: row.id };
}

/** Tells whether owners find something that was not there before. That a trigger was counted tells itself, by and by. */
function isSeen({ row: { pending, incident }, decision, applied }: Decided): boolean {
  if (incident?.environment === 'drill' || applied.some(({ environment }) => environment === 'drill')) return false;
  const isCall = decision.outcomes.some(({ outcome }) => outcome !== 'folded');
  const { pending: left } = decision.state;
  const isOther =
    pending?.dueAt !== left?.dueAt ||
    pending?.environment !== left?.environment ||
    pending?.trippedKeys.length !== left?.trippedKeys.length;
  return isCall || decision.entries.length > 0 || isOther;
}

function changed({ row, decision }: Decided): boolean {
  return shownOf(row) !== shownOf(decision.state);
}

/** Of a drill nobody is told that anything was triggered. */
function shownOf({ armedMode, incident }: SourceState): string {
  return shownState(armedMode, incident !== null && incident.environment !== 'drill');
}

/**
 * Plans the messages of follow-ups, due at once. Call it in the transaction of what they depend on, after it is
 * written.
 */
async function planFollowUps(
  on: Connection,
  followUps: readonly { accountId: string; followUp: FollowUp }[],
): Promise<DeliveryWrite[]> {
  if (followUps.length === 0) return [];
  const incidents = followUps.map(({ accountId, followUp }) => ({ accountId, incidentId: followUp.incidentId }));
  const reached = Map.groupBy(await readReached(on, incidents), ({ incidentId }) => incidentId);
  return followUps.flatMap(({ accountId, followUp }) =>
    whomToTell(followUp, reached.get(followUp.incidentId) ?? []).map(({ contactId, channel }) => ({
      accountId,
      id: newId(),
      incidentId: followUp.incidentId,
      kind: followUp.kind,
      round: followUp.ordinal,
      step: 0,
      contactId,
      channel,
      status: 'scheduled' as const,
      reason: null,
      insteadOf: null,
      dueAt: followUp.at,
    })),
  );
}

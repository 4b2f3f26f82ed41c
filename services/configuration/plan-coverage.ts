import { randomUUID } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import { PlanLimitSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { coveredSources, type PlanFacts, type PlanRule, planFacts, planRuleAt } from '../domain/plan.ts';
import type { Means } from '../domain/reach.ts';
import { type ChangeSignal, mergeSignals } from '../inventory/change-news.ts';
import { aheadByMs } from '../process/wall-clock.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import type { Connection } from '../store/statement.ts';
import {
  countEnabled,
  markLimitsChecked,
  type PlanNow,
  type PlannedSource,
  readPlanNow,
  readPlannedSources,
  switchSources,
} from '../store/statements/plan.ts';
import { enqueueOwnActions } from '../store/statements/queue.ts';
import { noWrites, writeAll } from '../store/statements/write.ts';
import type { AuditRow } from './audit-rows.ts';
import { type Consequences, isOn, isSource, wasOn } from './consequences.ts';
import type { Edit } from './edit.ts';
import { noSuch } from './errors.ts';

/** Returns the plan and its rules for an account now. Throws NOT_FOUND. */
export async function planOf(
  db: Connection,
  accountId: string,
): Promise<PlanNow & { facts: PlanFacts; rule: PlanRule }> {
  const account = await readPlanNow(db, accountId);
  if (account === null) throw noSuch('account');
  const facts = planFacts(account.plan, account.createdAt.getTime());
  return { ...account, facts, rule: planRuleAt(facts, account.now.getTime()) };
}

/** Returns what an account's messages can be sent with now, and the database's time. */
export async function readMeans(
  db: Connection,
  accountId: string,
  carriers: readonly ChannelKind[],
): Promise<{ means: Means; at: Date }> {
  const { facts, now } = await planOf(db, accountId);
  return { means: { account: facts, carriers, aheadMs: aheadByMs() }, at: now };
}

/**
 * Returns why edits cannot be written: they create or enable a source for which the plan has no room (DECISIONS.md
 * "Downgrade"). Null if they can. Refused rather than deactivated: a new source must neither take an older one's place
 * unasked nor seem to work. FAILED_PRECONDITION with the detail PlanLimit.
 */
export async function overPlan(
  db: Connection,
  accountId: string,
  edits: readonly Edit[],
): Promise<ConnectError | null> {
  const ofSources = edits.filter(isSource);
  if (!ofSources.some(edit => isOn(edit) && !wasOn(edit))) return null;
  const { plan, rule } = await planOf(db, accountId);
  if (rule.sourcesMost === null) return null;
  const others = await countEnabled(
    db,
    accountId,
    ofSources.map(({ id }) => id),
  );
  const sources = others + ofSources.filter(isOn).length;
  return sources > rule.sourcesMost ? tooMany(plan, rule.sourcesMost, sources) : null;
}

function tooMany(plan: string, sourcesMost: number, sources: number): ConnectError {
  const limit = { plan, sourcesMost, sources };
  const details = [{ desc: PlanLimitSchema, value: limit }];
  return new ConnectError(say().refusals.planLimit(limit), Code.FailedPrecondition, undefined, details);
}

/**
 * Switches off what the plan does not cover (an open incident closes as `source_disabled`, a pending trigger is
 * cancelled, the owner is notified) and switches on again what it covers (DECISIONS.md "Downgrade"). Call it under the
 * account's lock. Returns what to announce, and the audit entries.
 */
export async function applyPlan(
  db: Connection,
  accountId: string,
  actor: string,
): Promise<Consequences & { audit: AuditRow[] }> {
  const { facts, now, limitsCheckedAt } = await planOf(db, accountId);
  const sources = await readPlannedSources(db, accountId);
  const coverage = coveredSources(sources, facts, now.getTime());
  const { deactivate, reactivate } = coverage;
  const moved = new Set([...deactivate, ...reactivate]);
  const switched = sources.filter(({ id }) => moved.has(id));
  if (switched.length > 0) await switchSources(db, accountId, coverage);
  const firstDaysOver = now.getTime() >= facts.trialEndsAt;
  if (firstDaysOver && (limitsCheckedAt === null || switched.length > 0)) await markLimitsChecked(db, accountId);
  if (deactivate.length > 0) {
    const own = { accountId, actor, incidentId: null, verb: 'disable' as const };
    await enqueueOwnActions(
      db,
      deactivate.map(id => ({ ...own, sourceId: id, traceId: randomUUID() })),
    );
    const names = switched.filter(({ deactivated }) => !deactivated).map(({ name }) => name);
    await tellOwner(db, accountId, names, now);
  }
  return {
    signals: mergeSignals(switched.flatMap(signalsOf)),
    actions: deactivate.length > 0 ? 'queued' : 'none',
    audit: switched.map(auditRow),
  };
}

/** Beyond that only their number is given. */
const NAMED = 5;

/** Notifies each time: the sources switched off now may differ from those this morning. */
async function tellOwner(db: Connection, accountId: string, names: readonly string[], now: Date): Promise<void> {
  const id = newId();
  const sources = names.length > NAMED ? names.length : names.join(', ');
  const kind = 'sources_deactivated';
  const notice = { accountId, id, kind, once: id, incidentId: null, about: { sources } } as const;
  await writeAll(db, { ...noWrites(), notices: [{ ...notice, at: now.getTime() }] });
}

/** Describe and state list enabled sources. */
function signalsOf({ id, kind }: PlannedSource): ChangeSignal[] {
  if (kind === 'panic_button') return [{ kind: 'inventory', alarmId: '' }];
  return [
    { kind: 'inventory', alarmId: id },
    { kind: 'state', alarmId: id },
  ];
}

/** The rest stays as it was: `deactivated` is not one of the owner's fields, so it has no other entry. */
function auditRow({ id, kind, name, deactivated }: PlannedSource): AuditRow {
  return {
    kind,
    thingId: id,
    name,
    action: 'update',
    before: { deactivated },
    after: { deactivated: !deactivated },
  };
}

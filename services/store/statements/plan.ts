import type { CountedSource, Plan } from '../../domain/plan.ts';
import type { SourceKind } from '../../domain/source.ts';
import { environmentAt } from '../source-sql.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** What the rules of the plan need to know about an account. */
export interface PlanNow {
  plan: Plan;
  createdAt: Date;
  /** When the plan last switched sources off and on since the first days ended; null if not yet. */
  limitsCheckedAt: Date | null;
  now: Date;
}

const planNowStatement: Statement<PlanNow> = {
  name: 'plan_now',
  text: `
SELECT plan, created_at AS "createdAt", limits_checked_at AS "limitsCheckedAt", tocsin_now() AS now
FROM account WHERE id = $1`,
};

/** Returns null if there is no such account. */
export async function readPlanNow(db: Connection, accountId: string): Promise<PlanNow | null> {
  const [row] = await run(db, planNowStatement, [accountId]);
  return row ?? null;
}

/** An existing source with what the audit says about it. */
export interface PlannedSource extends CountedSource {
  kind: SourceKind;
  name: string;
}

const sourcesStatement: Statement<PlannedSource> = {
  name: 'plan_sources',
  text: `
SELECT s.id, s.kind, s.name, s.disabled, s.deactivated,
  ${environmentAt()} AS environment
FROM source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
WHERE s.account_id = $1 AND s.deleted_at IS NULL ORDER BY s.seq`,
};

/** Returns the existing sources of an account in the order of creation. */
export function readPlannedSources(db: Connection, accountId: string): Promise<PlannedSource[]> {
  return run(db, sourcesStatement, [accountId]);
}

const enabledStatement: Statement<{ enabled: number }> = {
  name: 'plan_enabled_sources',
  text: `
SELECT count(*)::int AS enabled FROM source
WHERE account_id = $1 AND deleted_at IS NULL AND NOT disabled AND id <> ALL ($2::text[])`,
};

/** Counts the existing sources that are not disabled, leaving out those of `but`. */
export async function countEnabled(db: Connection, accountId: string, but: readonly string[]): Promise<number> {
  const [row] = await run(db, enabledStatement, [accountId, but]);
  return row!.enabled;
}

const switchStatement: Statement<never> = {
  name: 'plan_switch_sources',
  text: `
UPDATE source SET deactivated = id = ANY ($2::text[])
WHERE account_id = $1 AND (id = ANY ($2::text[]) OR id = ANY ($3::text[]))`,
};

const checkedStatement: Statement<never> = {
  name: 'plan_checked',
  text: 'UPDATE account SET limits_checked_at = tocsin_now() WHERE id = $1',
};

/** Switches sources off and on, by id. Call it under the account's lock. */
export async function switchSources(
  db: Connection,
  accountId: string,
  { deactivate, reactivate }: { deactivate: readonly string[]; reactivate: readonly string[] },
): Promise<void> {
  await run(db, switchStatement, [accountId, deactivate, reactivate]);
}

/** Records that the plan's limit was applied after the first days. */
export async function markLimitsChecked(db: Connection, accountId: string): Promise<void> {
  await run(db, checkedStatement, [accountId]);
}

/** An account on the free plan to which its limit was not applied yet. */
export interface Unchecked {
  accountId: string;
  createdAt: Date;
  now: Date;
}

const uncheckedStatement: Statement<Unchecked> = {
  name: 'plan_unchecked',
  text: `
SELECT id AS "accountId", created_at AS "createdAt", (SELECT tocsin_now()) AS now FROM account
WHERE plan = 'free' AND limits_checked_at IS NULL ORDER BY created_at LIMIT $1`,
};

/** Returns the oldest of them, at most `limit`. */
export function readUnchecked(db: Connection, limit: number): Promise<Unchecked[]> {
  return run(db, uncheckedStatement, [limit]);
}

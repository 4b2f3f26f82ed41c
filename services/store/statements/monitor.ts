import type { Environment } from '../../domain/source.ts';
import { type Columns, fieldsOf, ms, namesOf, rowsOf } from '../columns.ts';
import { type Connection, run, type Statement } from '../statement.ts';
import { FAILING } from './turn.ts';

/** Identifies a step of an escalation; its messages share it. */
export interface StepKey {
  accountId: string;
  incidentId: string;
  round: number;
  step: number;
}

/** A message to be judged, locked until the end of the transaction. Times are milliseconds since 1970. */
export interface LockedMessage extends StepKey {
  id: string;
  progress: 'waiting' | 'tried' | 'over';
  plannedAt: number;
  firstAttemptAt: number | null;
}

/**
 * The facts a step is judged by (domain/audit-step.ts), and what its owner is told. Times are milliseconds since 1970.
 */
export interface StepRow extends StepKey {
  now: number;
  environment: Environment;
  sourceName: string;
  openedAt: number;
  plannedAt: number;
  firstAttemptAt: number | null;
  untried: 'waiting' | 'explained' | 'ended';
  endedAt: number | null;
}

/** The judgement on a message. */
export type AuditMark = 'in_time' | 'late' | 'overdue' | 'missed';

interface Marked {
  accountId: string;
  id: string;
  mark: AuditMark;
}

export interface StepEntry extends StepKey {
  kind: 'step_late' | 'step_missed' | 'step_brought_forward';
  /** Milliseconds since 1970. */
  at: number;
  /** How late, or how much earlier than planned, in whole seconds; empty for `step_missed`. */
  detail: string;
}

const STEP: Columns<StepKey> = { accountId: 'text', incidentId: 'text', round: 'int', step: 'int' };

const ENTRY: Columns<StepEntry> = { ...STEP, kind: 'text', at: 'time', detail: 'text' };

const UNAUDITED = "kind = 'alert' AND audited IS NULL AND status <> 'suppressed'";
const OVERDUE_MOVED =
  "audited = 'overdue' AND (first_attempt_at IS NOT NULL OR status NOT IN ('scheduled', 'sending'))";

const MESSAGE = `account_id AS "accountId", id, incident_id AS "incidentId", round, step, ${ms('planned_at')} AS "plannedAt",
  ${ms('first_attempt_at')} AS "firstAttemptAt",
  CASE WHEN first_attempt_at IS NOT NULL THEN 'tried' WHEN status = 'scheduled' THEN 'waiting' ELSE 'over' END AS progress`;

/**
 * Messages planned more than $1 seconds ago that were not judged yet, and those that were overdue and no longer are.
 */
const lockStatement: Statement<LockedMessage> = {
  name: 'lock_unaudited',
  text: `
WITH fresh AS (
  SELECT ${MESSAGE} FROM delivery
  WHERE ${UNAUDITED} AND planned_at < (SELECT tocsin_now()) - make_interval(secs => $1)
  ORDER BY delivery.planned_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
),
moved AS (
  SELECT ${MESSAGE} FROM delivery WHERE ${OVERDUE_MOVED}
  ORDER BY delivery.planned_at LIMIT $2 FOR NO KEY UPDATE SKIP LOCKED
)
SELECT * FROM moved UNION ALL SELECT * FROM fresh`,
};

/** The present state of steps whose incident still exists. Messages put off on purpose say nothing about their step. */
const stepsStatement: Statement<StepRow> = {
  name: 'read_steps',
  text: `
SELECT ${fieldsOf(STEP, 'k')}, ${ms('tocsin_now()')} AS now, i.environment, i.copy->>'sourceName' AS "sourceName",
  ${ms('i.opened_at')} AS "openedAt", ${ms('least(i.acknowledged_at, i.closed_at)')} AS "endedAt", d.*
FROM ${rowsOf(STEP, 'k')}
JOIN incident i ON i.account_id = k.account_id AND i.id = k.incident_id
CROSS JOIN LATERAL (
  SELECT ${ms("min(m.planned_at) FILTER (WHERE m.audited IS DISTINCT FROM 'put_off')")} AS "plannedAt",
    ${ms("min(m.first_attempt_at) FILTER (WHERE m.audited IS DISTINCT FROM 'put_off')")} AS "firstAttemptAt",
    CASE
      WHEN bool_or(m.first_attempt_at IS NULL AND m.status = 'scheduled' AND m.audited IS DISTINCT FROM 'put_off')
        THEN 'waiting'
      WHEN bool_or(m.first_attempt_at IS NULL AND m.status = 'cancelled' AND m.audited IS DISTINCT FROM 'put_off')
        THEN 'ended'
      ELSE 'explained'
    END AS untried
  FROM delivery m
  WHERE m.account_id = k.account_id AND m.incident_id = k.incident_id AND m.kind = 'alert' AND m.round = k.round
    AND m.step = k.step
) d`,
};

const markStatement: Statement<never> = {
  name: 'mark_audited',
  text: `
UPDATE delivery d SET audited = r.mark FROM ${rowsOf<Marked>({ accountId: 'text', id: 'text', mark: 'text' })}
WHERE d.account_id = r.account_id AND d.id = r.id`,
};

/** Writes each step and kind once; returns those that are new. */
const entriesStatement: Statement<StepKey & Pick<StepEntry, 'kind'>> = {
  name: 'write_step_entries',
  text: `
INSERT INTO incident_entry (${namesOf(ENTRY)}) SELECT ${namesOf(ENTRY)} FROM ${rowsOf(ENTRY)}
ORDER BY account_id, incident_id, round, step, kind
ON CONFLICT (account_id, incident_id, kind, round, step) WHERE round IS NOT NULL DO NOTHING
RETURNING account_id AS "accountId", incident_id AS "incidentId", round, step, kind`,
};

/**
 * In how many milliseconds there is something to judge, and how long the oldest message has been due. One that is
 * failing waits for its carrier and is not late.
 */
export interface AuditOutlook {
  /** Null if nothing waits. */
  inMs: number | null;
  oldestDueS: number;
}

const outlookStatement: Statement<AuditOutlook> = {
  name: 'audit_outlook',
  text: `
SELECT CASE WHEN EXISTS (SELECT FROM delivery WHERE ${OVERDUE_MOVED}) THEN 0 ELSE (
    SELECT (extract(epoch FROM min(planned_at) - (SELECT tocsin_now())) + $1) * 1000 FROM delivery WHERE ${UNAUDITED}
  ) END::float8 AS "inMs",
  greatest(0, extract(epoch FROM (SELECT tocsin_now()) - (
    SELECT min(o.due_at) FROM unnest($2::text[]) AS c (channel) CROSS JOIN LATERAL (
      SELECT due_at FROM delivery
      WHERE channel = c.channel AND status = 'scheduled' AND NOT ${FAILING} AND due_at <= (SELECT tocsin_now())
      ORDER BY due_at LIMIT 1
    ) o
  )))::float8 AS "oldestDueS"`,
};

/** Locks at most `limit` messages of each of the two sorts that were planned more than `afterS` seconds ago. */
export function lockUnaudited(db: Connection, afterS: number, limit: number) {
  return run(db, lockStatement, [afterS, limit]);
}

export function readSteps(db: Connection, steps: readonly StepKey[]) {
  return run(db, stepsStatement, [JSON.stringify(steps)]);
}

export async function markAudited(db: Connection, marks: readonly Marked[]): Promise<void> {
  if (marks.length > 0) await run(db, markStatement, [JSON.stringify(marks)]);
}

/** Returns the entries that did not exist yet. */
export async function writeStepEntries(db: Connection, entries: readonly StepEntry[]) {
  return entries.length === 0 ? [] : run(db, entriesStatement, [JSON.stringify(entries)]);
}

export async function auditOutlook(db: Connection, afterS: number, channels: readonly string[]): Promise<AuditOutlook> {
  const [row] = await run(db, outlookStatement, [afterS, channels]);
  return row!;
}

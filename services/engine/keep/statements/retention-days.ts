import { type Connection, run, type Statement } from '../../../store/statement.ts';
import { BATCH, before } from '../../../store/statements/retention.ts';

/** Tables with one row per day (UTC), and those whose rows expire at a time of their own; of all accounts. */
const BY_DAY = ['spend', 'source_spend', 'source_told', 'unverified_sent'] as const;
const BY_END = ['console_session', 'sign_in_asker', 'sign_in_link'] as const;

export type DayTable = (typeof BY_DAY | typeof BY_END)[number];

function dayStatement(table: DayTable, column: 'day' | 'expires_at'): Statement<{ rows: number }> {
  const first = column === 'day' ? `((${before('$1')}) AT TIME ZONE 'UTC')::date` : `(${before('$1')})`;
  return {
    name: `remove_old_days_of_${table}`,
    text: `
WITH old AS MATERIALIZED (
  SELECT ctid AS tid FROM ${table} WHERE ${column} < ${first} ORDER BY ${column} LIMIT ${BATCH} FOR UPDATE SKIP LOCKED
),
gone AS (DELETE FROM ${table} t USING old o WHERE t.ctid = o.tid RETURNING t.ctid)
SELECT count(*)::int AS rows FROM gone`,
  };
}

const DAY_STATEMENTS = new Map<DayTable, Statement<{ rows: number }>>([
  ...BY_DAY.map(table => [table, dayStatement(table, 'day')] as const),
  ...BY_END.map(table => [table, dayStatement(table, 'expires_at')] as const),
]);

/** Removes at most BATCH rows whose day or expiry is more than so many days ago. Returns how many. */
export async function removeOldDays(db: Connection, table: DayTable, days: number): Promise<number> {
  const [removed] = await run(db, DAY_STATEMENTS.get(table)!, [days]);
  return removed!.rows;
}

import { LOCKS } from '../lock.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/*
 * Removes what is too old, oldest first and found by an index. Of what stays, a statement reads only the one row at
 * which it ends, per source or account.
 */

/** The most rows one transaction removes, and the most sources or accounts it looks at. */
export const BATCH = 1_000;

/**
 * Makes sure that only one transaction at a time removes rows, over all processes; call it at the beginning. `busy`:
 * another one is under way. Its commits do not wait for the disk, which accepting needs: what a crash undoes is found
 * again.
 */
export async function beginRemoving(db: Connection): Promise<'begun' | 'busy'> {
  const text = `SET LOCAL synchronous_commit = off; SELECT pg_try_advisory_xact_lock(${LOCKS.retention}) AS held`;
  const results = (await db.query(text)) as unknown as { rows: { held: boolean }[] }[];
  return results.at(-1)!.rows[0]!.held ? 'begun' : 'busy';
}

/** The condition for being older than so many days. */
export function before(days: string): string {
  return `(SELECT tocsin_now()) - make_interval(days => ${days})`;
}

/** A table whose rows are younger the higher their number is, within each source or account. */
interface Aging {
  /** Selects `seq` and `key` of all sources or accounts. */
  owners: string;
  keyType: 'bigint' | 'text';
  /** The column with the key, and the one with the number of the row. */
  key: string;
  number: string;
  /** Which rows of `t` are meant, and the order in which an index has them. */
  among: string;
  order: string;
  /** The number from which on rows of `d.key` stay, however old they are. */
  stays: string;
  /** What to remove along with the `gone` rows. */
  withThem: string;
  /** The columns that needs of a row. */
  returning: string;
}

export type AgingTable = 'logged_call' | 'audit' | 'notice';

const ALL = '9223372036854775807';

/** `seq` and `key` (the id) of all accounts, and of deleted ones whose history and audit outlive them. */
export const ACCOUNTS = `SELECT seq, id AS key FROM account
  UNION ALL SELECT seq, account_id FROM deleted_account WHERE erased_at IS NULL`;

const OF_ACCOUNT = {
  owners: ACCOUNTS,
  keyType: 'text',
  key: 'account_id',
  stays: `${ALL}::bigint`,
  withThem: '',
  returning: '',
} as const;

const AGING: Record<AgingTable, Aging> = {
  logged_call: {
    owners: 'SELECT seq, seq AS key FROM source',
    keyType: 'bigint',
    key: 'source_seq',
    number: 'id',
    among: 'true',
    order: 't.id',
    // All calls since the first one of what is not over yet.
    stays: `(
      SELECT least(i.first_call_id, st.pending_id, ${ALL}) FROM source s
      LEFT JOIN incident i ON i.account_id = s.account_id AND i.source_id = s.id AND i.status = 'open'
      LEFT JOIN source_state st ON st.account_id = s.account_id AND st.source_id = s.id
      WHERE s.seq = d.key)`,
    // The calls of a false-alarm window refer to how it ended, so that goes with the last of them.
    withThem: `,
windows AS (
  DELETE FROM window_end w USING (
    SELECT pending_id, max(number) AS last FROM gone WHERE pending_id IS NOT NULL GROUP BY pending_id
  ) p
  WHERE w.pending_id = p.pending_id
    AND NOT EXISTS (SELECT FROM logged_call t WHERE t.pending_id = p.pending_id AND t.id > p.last)
)`,
    returning: ', t.pending_id',
  },
  audit: {
    ...OF_ACCOUNT,
    number: 'id',
    among: 'true',
    order: 't.id',
  },
  // Those about an incident go with it.
  notice: {
    ...OF_ACCOUNT,
    number: 'seq',
    among: `t.incident_id IS NULL AND t.planned_at IS NOT NULL AND NOT EXISTS (SELECT FROM notice_delivery d
      WHERE d.account_id = t.account_id AND d.notice_id = t.id AND d.status IN ('scheduled', 'sending'))`,
    order: 't.incident_id, t.seq',
  },
};

/** A source or account with rows that are too old, and the number after which they begin. */
export interface Old {
  key: string;
  after: string;
}

/** A look at some sources or accounts. `last`: the number of the last of them; null if there are no more. */
export interface FoundOld {
  last: string | null;
  old: Old[];
}

function findStatement(table: AgingTable, { owners, key, number, among, order }: Aging): Statement<FoundOld> {
  return {
    name: `find_old_${table}`,
    text: `
WITH page AS MATERIALIZED (SELECT * FROM (${owners}) o WHERE seq > $1::bigint ORDER BY seq LIMIT ${BATCH}),
old AS (
  SELECT p.key::text AS key, (oldest.number - 1)::text AS after FROM page p CROSS JOIN LATERAL (
    SELECT t.${number} AS number, t.at FROM ${table} t WHERE t.${key} = p.key AND ${among} ORDER BY ${order} LIMIT 1
  ) oldest
  WHERE oldest.at < ${before('$2')}
)
SELECT (SELECT max(seq)::text FROM page) AS last, coalesce((SELECT json_agg(o) FROM old o), '[]') AS old`,
  };
}

/** How many rows of a source or account were removed; `after`: the last of them. */
interface Removed extends Old {
  rows: number;
}

/** Walks row by row in index order: wherever the walk ends, nothing behind it was read. */
function removeStatement(table: AgingTable, aging: Aging): Statement<Removed> {
  const { keyType, key, number, among, order, stays, withThem, returning } = aging;
  return {
    name: `remove_old_${table}`,
    text: `
WITH RECURSIVE due AS MATERIALIZED (
  SELECT d.key, d.after, ${stays} AS stays FROM unnest($1::${keyType}[], $2::bigint[]) AS d (key, after)
),
walk AS (
  SELECT key, after AS number, stays, 'begins' AS place FROM due
  UNION ALL
  SELECT w.key, n.number, w.stays, 'row' FROM walk w CROSS JOIN LATERAL (
    SELECT t.${number} AS number, t.at FROM ${table} t
    WHERE t.${key} = w.key AND ${among} AND t.${number} > w.number AND t.${number} < w.stays ORDER BY ${order} LIMIT 1
  ) n
  WHERE n.at < ${before('$3')}
),
-- Does not wait for others that remove the same rows: an account keeps only so many refused calls.
old AS MATERIALIZED (
  SELECT t.${key} AS key, t.${number} AS number FROM walk w
  JOIN ${table} t ON t.${key} = w.key AND t.${number} = w.number
  WHERE w.place = 'row' LIMIT ${BATCH} FOR UPDATE OF t SKIP LOCKED
),
gone AS (
  DELETE FROM ${table} t USING old o WHERE t.${key} = o.key AND t.${number} = o.number
  RETURNING t.${key} AS key, t.${number} AS number${returning}
)${withThem}
SELECT key::text AS key, max(number)::text AS after, count(*)::int AS rows FROM gone GROUP BY key`,
  };
}

/**
 * Through a function of the owner of the tables: the product may not remove anything from the audit (DECISIONS.md
 * "Database roles").
 */
const removeAuditStatement: Statement<Removed> = {
  name: 'remove_old_audit',
  text: `SELECT key, after, rows FROM tocsin_remove_old_audit($1::text[], $2::bigint[], $3::int, ${BATCH})`,
};

const STATEMENTS: Record<AgingTable, { find: Statement<FoundOld>; remove: Statement<Removed> }> = {
  logged_call: statementsOf('logged_call'),
  audit: { find: findStatement('audit', AGING.audit), remove: removeAuditStatement },
  notice: statementsOf('notice'),
};

function statementsOf(table: AgingTable) {
  return { find: findStatement(table, AGING[table]), remove: removeStatement(table, AGING[table]) };
}

/** Returns which of the next BATCH sources or accounts after the number `after` have rows older than so many days. */
export async function findOld(db: Connection, table: AgingTable, after: string, days: number): Promise<FoundOld> {
  const [found] = await run(db, STATEMENTS[table].find, [after, days]);
  return found!;
}

/**
 * Removes at most BATCH rows that are older than so many days from each of at most BATCH sources or accounts in turn.
 * Returns those that may have more.
 */
export async function removeOld(db: Connection, table: AgingTable, old: readonly Old[], days: number) {
  const keys = old.map(({ key }) => key);
  const removed = await run(db, STATEMENTS[table].remove, [keys, old.map(({ after }) => after), days]);
  const rows = removed.reduce((sum, one) => sum + one.rows, 0);
  return { rows, old: rows < BATCH ? [] : removed.map(({ key, after }): Old => ({ key, after })) };
}

/** Refused calls that named no source of their account are stored together, over all accounts, oldest first. */
const namelessStatement: Statement<{ rows: number }> = {
  name: 'remove_old_nameless_calls',
  text: `
WITH oldest AS MATERIALIZED (
  SELECT t.account_seq, t.id, t.at FROM logged_call t WHERE t.source_seq IS NULL ORDER BY t.source_seq, t.id LIMIT ${BATCH}
),
old AS MATERIALIZED (
  SELECT t.account_seq, t.id FROM oldest o JOIN logged_call t ON t.account_seq = o.account_seq AND t.id = o.id
  WHERE o.at < ${before('$1')} FOR UPDATE OF t SKIP LOCKED
),
gone AS (
  DELETE FROM logged_call t USING old o WHERE t.account_seq = o.account_seq AND t.id = o.id RETURNING t.id
)
SELECT count(*)::int AS rows FROM gone`,
};

/** Removes at most BATCH calls of no source that are older than so many days. Returns how many. */
export async function removeNameless(db: Connection, days: number): Promise<number> {
  const [removed] = await run(db, namelessStatement, [days]);
  return removed!.rows;
}

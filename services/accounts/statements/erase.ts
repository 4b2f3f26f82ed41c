import { type Connection, run, type Statement } from '../../store/statement.ts';

/*
 * Removes what a deleted account left (DECISIONS.md "Deleting an account"), a few rows at a time: if stopped midway, it
 * starts again and finds the rest. Modes, states and secrets go with their parents, by foreign keys; what every living
 * account has exactly one of went with the account.
 */

/** A table with rows left. `t` is one of them, $1 the id of the account. */
interface Left {
  table: string;
  /** Selects the account's rows. */
  ofAccount: string;
  /** Less than any value of `id`, the column that orders the walk. */
  from: string;
  /** The most rows one transaction removes. */
  most: number;
  /** What to remove along with the `gone` rows where no foreign key does. */
  withThem?: string;
}

/** For rows with dependants, each of which takes some along. */
const FEWER = 200;
const MANY = 1_000;

const BY_ID = 't.account_id = $1';
const ENDS_OF_WINDOWS = 'DELETE FROM window_end w USING gone g';

/** Dependants come before what they depend on. */
const LEFT: readonly Left[] = [
  { table: 'delivery', ofAccount: BY_ID, from: '', most: MANY },
  { table: 'incident_entry', ofAccount: BY_ID, from: '0', most: MANY },
  { table: 'notice', ofAccount: BY_ID, from: '', most: MANY },
  { table: 'proof', ofAccount: BY_ID, from: '0', most: MANY },
  {
    table: 'logged_call',
    ofAccount: 't.account_seq = (SELECT d.seq FROM deleted_account d WHERE d.account_id = $1)',
    from: '0',
    most: MANY,
    withThem: `${ENDS_OF_WINDOWS} WHERE w.pending_id = g.pending_id`,
  },
  {
    table: 'incident',
    ofAccount: BY_ID,
    from: '',
    most: FEWER,
    withThem: `${ENDS_OF_WINDOWS} WHERE w.incident_seq = g.seq`,
  },
  { table: 'queued_action', ofAccount: BY_ID, from: '0', most: MANY },
  { table: 'api_key', ofAccount: BY_ID, from: '', most: FEWER },
  {
    table: 'source',
    ofAccount: BY_ID,
    from: '',
    most: FEWER,
    withThem: 'DELETE FROM gate w USING gone g WHERE w.source_seq = g.seq',
  },
  { table: 'location', ofAccount: BY_ID, from: '', most: FEWER },
];

/** What one transaction removed; `after`: the last row of it. */
interface Gone {
  rows: number;
  after: string;
}

function statementOf({ table, ofAccount, most, withThem }: Left): Statement<Gone> {
  return {
    name: `erase_${table}`,
    text: `
WITH old AS MATERIALIZED (
  SELECT t.id FROM ${table} t WHERE ${ofAccount} AND t.id > $2 ORDER BY t.id LIMIT ${most}
),
gone AS (DELETE FROM ${table} t USING old o WHERE ${ofAccount} AND t.id = o.id RETURNING t.*)${
      withThem === undefined
        ? ''
        : `,
with_them AS (${withThem})`
    }
SELECT count(*)::int AS rows, max(id)::text AS after FROM gone`,
  };
}

const auditStatement: Statement<{ rows: number }> = {
  name: 'erase_audit',
  text: `SELECT tocsin_erase_audit($1, ${MANY}) AS rows`,
};

/** Still counts for a day toward the limit of the address, but no longer shows whose messages they were. */
const unverifiedStatement: Statement<{ rows: number }> = {
  name: 'erase_unverified_sent',
  text: `
WITH old AS MATERIALIZED (
  SELECT t.day, t.address_digest FROM unverified_sent t WHERE $1 = ANY (t.accounts) LIMIT ${MANY} FOR UPDATE
),
gone AS (
  UPDATE unverified_sent t SET accounts = array_replace(t.accounts, $1, '') FROM old o
  WHERE t.day = o.day AND t.address_digest = o.address_digest RETURNING t.day
)
SELECT count(*)::int AS rows FROM gone`,
};

/** Removes the next rows. Returns how many, and the place after them if there may be more, else null. */
export type EraseStep = (
  db: Connection,
  accountId: string,
  after: string,
) => Promise<{ rows: number; next: string | null }>;

/** All removing steps in order, each starting from the place `''`. */
export const ERASE_STEPS: readonly EraseStep[] = [
  ...LEFT.map(stepOf),
  repeating(unverifiedStatement),
  repeating(auditStatement),
];

function stepOf(left: Left): EraseStep {
  const statement = statementOf(left);
  return async (db, accountId, after) => {
    const [gone] = await run(db, statement, [accountId, after === '' ? left.from : after]);
    return { rows: gone!.rows, next: gone!.rows < left.most ? null : gone!.after };
  };
}

function repeating(statement: Statement<{ rows: number }>): EraseStep {
  return async (db, accountId) => {
    const [gone] = await run(db, statement, [accountId]);
    return { rows: gone!.rows, next: gone!.rows < MANY ? null : '' };
  };
}

import { type Connection, run, type Statement } from '../statement.ts';

/*
 * Removes what a deleted account left (DECISIONS.md "Deleting an account"), a few rows at a time: whoever is stopped in the
 * middle begins again and finds the rest. Modes, states and secrets go with what they belong to, by foreign keys; what every
 * living account has one of went with the account.
 */

/** A table of which rows are left. `t` is one of them, $1 the id of the account. */
interface Left {
  table: string;
  /** Which rows are the account's. */
  ofAccount: string;
  /** Below all values of `id`, by which rows are gone through. */
  from: string;
  /** How many one transaction removes at most. */
  most: number;
  /** What goes with the rows that are `gone`, where no foreign key says so. */
  withThem?: string;
}

/** Of the rows that others hang on, each of which takes some of theirs along. */
const FEWER = 200;
const MANY = 1_000;

const BY_ID = 't.account_id = $1';
const ENDS_OF_WINDOWS = 'DELETE FROM window_end w USING gone g';

/** What hangs on something stands before it. */
const LEFT: readonly Left[] = [
  { table: 'delivery', ofAccount: BY_ID, from: '', most: MANY },
  { table: 'incident_entry', ofAccount: BY_ID, from: '0', most: MANY },
  { table: 'notice', ofAccount: BY_ID, from: '', most: MANY },
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

/** What one transaction removed; `after`: the last of it. */
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

/** Counts for whoever else writes to the address, for a day; whose messages they were is nobody's business any more. */
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

/** Removes the next rows; gives how many, and where there may be more the place after them, else null. */
export type EraseStep = (
  on: Connection,
  accountId: string,
  after: string,
) => Promise<{ rows: number; next: string | null }>;

/** What removes everything, one after the other, each from the place `''` on. */
export const ERASE_STEPS: readonly EraseStep[] = [
  ...LEFT.map(stepOf),
  repeating(unverifiedStatement),
  repeating(auditStatement),
];

function stepOf(left: Left): EraseStep {
  const statement = statementOf(left);
  return async (on, accountId, after) => {
    const [gone] = await run(on, statement, [accountId, after === '' ? left.from : after]);
    return { rows: gone!.rows, next: gone!.rows < left.most ? null : gone!.after };
  };
}

function repeating(statement: Statement<{ rows: number }>): EraseStep {
  return async (on, accountId) => {
    const [gone] = await run(on, statement, [accountId]);
    return { rows: gone!.rows, next: gone!.rows < MANY ? null : '' };
  };
}

import { TEST_NOTICE_MS } from '../domain/test-end.ts';
import { ms } from '../store/columns.ts';
import { type Connection, run, type Statement } from '../store/statement.ts';

/** A source or location whose test ends. */
export interface EndingTest {
  kind: 'alarm' | 'panic_button' | 'location';
  id: string;
  name: string;
  /** Milliseconds since 1970. */
  until: number;
  state: 'ends' | 'ended';
  /** Whether its end makes triggers alert people: a source that is disabled or whose location stays in test alerts nobody. */
  then: 'live' | 'silent';
}

/** Before its end by so much owners are told. */
const SOON = `interval '${TEST_NOTICE_MS} milliseconds'`;

/** Those of `of` with a test that ends soon and of which owners were not told, and those whose test has ended. */
function dueOf(of: 's' | 'l', now: string): string {
  return `WHERE ${of}.test AND ${of}.deleted_at IS NULL AND ${of}.test_until <= ${now} + ${SOON}
    AND (${of}.test_until <= ${now} OR ${of}.test_told_for IS DISTINCT FROM ${of}.test_until)`;
}

const NOW = '(SELECT tocsin_now())';

const accountsStatement: Statement<{ due: string[]; inMs: number | null }> = {
  name: 'tests_that_end',
  text: `
SELECT coalesce((SELECT json_agg(d.account_id) FROM (
    SELECT s.account_id FROM source s ${dueOf('s', NOW)}
    UNION SELECT l.account_id FROM location l ${dueOf('l', NOW)}
    LIMIT $1) d), '[]') AS due,
  (extract(epoch FROM least(
    (SELECT min(CASE WHEN s.test_told_for IS DISTINCT FROM s.test_until THEN s.test_until - ${SOON} ELSE s.test_until END)
      FROM source s WHERE s.test AND s.test_until IS NOT NULL AND s.deleted_at IS NULL),
    (SELECT min(CASE WHEN l.test_told_for IS DISTINCT FROM l.test_until THEN l.test_until - ${SOON} ELSE l.test_until END)
      FROM location l WHERE l.test AND l.test_until IS NOT NULL AND l.deleted_at IS NULL)
  ) - tocsin_now()) * 1000)::float8 AS "inMs"`,
};

/**
 * Returns at most `most` accounts with a test that ends, or of whose end their owners are to be told; and in how many
 * milliseconds the next one is due; null if there is none.
 */
export async function readTestsThatEnd(db: Connection, most: number): Promise<{ due: string[]; inMs: number | null }> {
  const [row] = await run(db, accountsStatement, [most]);
  return row!;
}

const endingStatement: Statement<EndingTest> = {
  name: 'ending_tests',
  text: `
WITH t AS MATERIALIZED (SELECT tocsin_now() AS now)
SELECT s.kind, s.id, s.name, ${ms('s.test_until')} AS until, CASE WHEN s.test_until <= t.now THEN 'ended' ELSE 'ends' END AS state,
  CASE WHEN s.disabled OR s.deactivated OR l.test AND coalesce(l.test_until > s.test_until, true) THEN 'silent' ELSE 'live' END AS then
FROM t CROSS JOIN source s JOIN location l ON l.account_id = s.account_id AND l.id = s.location_id
${dueOf('s', 't.now')} AND s.account_id = $1
UNION ALL
SELECT 'location', l.id, l.name, ${ms('l.test_until')}, CASE WHEN l.test_until <= t.now THEN 'ended' ELSE 'ends' END, 'live'
FROM t CROSS JOIN location l
${dueOf('l', 't.now')} AND l.account_id = $1
ORDER BY until, name`,
};

/** Returns those of an account. Call it under the account's lock. */
export function readEndingTests(db: Connection, accountId: string): Promise<EndingTest[]> {
  return run(db, endingStatement, [accountId]);
}

function toldStatement(table: 'source' | 'location'): Statement<never> {
  return {
    name: `test_end_told_of_${table}`,
    text: `UPDATE ${table} SET test_told_for = test_until WHERE account_id = $1 AND id = ANY ($2::text[])`,
  };
}

const TOLD = { source: toldStatement('source'), location: toldStatement('location') };

/** Remembers that owners were told of these ends. */
export async function markTold(db: Connection, accountId: string, of: readonly EndingTest[]): Promise<void> {
  for (const table of ['source', 'location'] as const) {
    const ids = of.filter(({ kind }) => (kind === 'location') === (table === 'location')).map(({ id }) => id);
    if (ids.length > 0) await run(db, TOLD[table], [accountId, ids]);
  }
}

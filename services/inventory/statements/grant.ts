import { type Connection, run, type Statement } from '../../store/statement.ts';
import { KEY_FAULT } from '../../store/statements/key.ts';

const endedStatement: Statement<{ n: number }> = {
  name: 'ended_digests',
  text: `
SELECT d.n::int AS n
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
LEFT JOIN api_key_secret x ON x.digest = d.digest
LEFT JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id
WHERE (${KEY_FAULT}) IS NOT NULL
ORDER BY d.n`,
};

/**
 * Returns the places (from 0) of the digests that are not valid, in one statement for all. Reveals nothing else about
 * them.
 */
export async function endedDigests(on: Connection, digests: readonly Buffer[]): Promise<number[]> {
  if (digests.length === 0) return [];
  return (await run(on, endedStatement, [digests])).map(({ n }) => n - 1);
}

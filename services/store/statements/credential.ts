import { type Connection, run, type Statement } from '../statement.ts';
import { KEY_FAULT } from './key.ts';

/** An API key, as far as the facade needs to know it. */
export interface KnownKey {
  accountId: string;
  id: string;
  /** Why it is no longer valid; null if it is. */
  fault: 'key_revoked' | 'key_expired' | null;
}

const keysStatement: Statement<KnownKey & { n: number }> = {
  name: 'known_keys',
  text: `
SELECT d.n::int AS n, k.account_id AS "accountId", k.id, ${KEY_FAULT} AS fault
FROM unnest($1::bytea[]) WITH ORDINALITY AS d (digest, n)
CROSS JOIN (SELECT tocsin_now() AS now) t
JOIN api_key_secret x ON x.digest = d.digest
JOIN api_key k ON k.account_id = x.account_id AND k.id = x.key_id`,
};

/** Returns the keys with these digests, in the same order; null for unknown ones. One statement for all of them. */
export async function readKnownKeys(db: Connection, digests: readonly Buffer[]): Promise<(KnownKey | null)[]> {
  return inOrder(await run(db, keysStatement, [digests]), digests);
}

/** Returns rows by their place among the digests (`n`, from 1); null where a digest has none. */
export function inOrder<Known>(
  rows: readonly (Known & { n: number })[],
  { length }: readonly Buffer[],
): (Known | null)[] {
  const found = new Map<number, Known>(rows.map(row => [row.n, row]));
  return Array.from({ length }, (_, place) => found.get(place + 1) ?? null);
}

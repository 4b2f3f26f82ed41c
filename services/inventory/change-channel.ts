import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { invalidField } from '../rpc/fields.ts';
import { endedDigests } from '../store/statements/grant.ts';
import type { KeyRow } from '../store/statements/inventory.ts';

/** How many grants one question may hold: what bounds the statement behind it. */
export const GRANTS_MOST = 10_000;

/** A digest of 32 bytes as base64url. */
const GRANT = /^[A-Za-z0-9_-]{43}$/;

/** Whom a key speaks for: its account, and its one alarm where it is scoped to one. */
export type KeyReach = Pick<KeyRow, 'account_id' | 'key_id' | 'alarm_id'>;

/** The channel that describe gives a key (DECISIONS.md "Channel"). */
export function channelOf({ account_id, alarm_id }: KeyReach): string {
  return alarm_id === null ? `/account/${account_id}` : `/account/${account_id}/alarm/${alarm_id}`;
}

/**
 * Refuses every channel but the key's own and that of its account (DECISIONS.md "Channel"); none at all is fine. A key that
 * is scoped to one alarm hears that alarm only, whichever of the two it names. The words are the same for what is
 * somebody else's, what does not exist and what is no channel.
 */
export function checkChannel(channel: string, key: KeyReach): void {
  if (['', channelOf(key), channelOf({ ...key, alarm_id: null })].includes(channel)) return;
  throw new ConnectError('This key may not listen there: describe names its channel.', Code.PermissionDenied);
}

/**
 * What stands for one secret of one key while a socket is open. Made of the digest alone, so that thousands are rechecked
 * in one statement and whoever holds one can do nothing else with it.
 */
export function grantOf(digest: Buffer): string {
  return digest.toString('base64url');
}

/**
 * Those of the grants that no longer open anything: the key revoked or expired, the secret rotated away, or no grant at
 * all. Throws INVALID_ARGUMENT for more than GRANTS_MOST.
 */
export async function endedGrants(pool: Pool, grants: readonly string[]): Promise<string[]> {
  if (grants.length > GRANTS_MOST) throw invalidField('grants', `at most ${GRANTS_MOST} in one call`, grants.length);
  const known = grants.filter(grant => GRANT.test(grant));
  const places = await endedDigests(
    pool,
    known.map(grant => Buffer.from(grant, 'base64url')),
  );
  return [...grants.filter(grant => !GRANT.test(grant)), ...places.map(place => known[place]!)];
}

import { Code, ConnectError } from '@connectrpc/connect';
import type { Pool } from 'pg';
import { invalidField } from '../rpc/fields.ts';
import type { KeyRow } from './statements.ts';
import { endedDigests, type KeyOfDigest, readKeysOf } from './statements.ts';

/** How many grants one request may contain: limits the statement behind it. */
export const GRANTS_MOST = 10_000;

/** A digest of 32 bytes as base64url. */
const GRANT = /^[A-Za-z0-9_-]{43}$/;

/** What a key may read: its account, and if it is scoped to one alarm, that alarm. */
export type KeyReach = Pick<KeyRow, 'accountId' | 'keyId' | 'alarmId'>;

/** Returns the channel that describe gives a key (DECISIONS.md "Channel"). */
export function channelOf({ accountId, alarmId }: KeyReach): string {
  return alarmId === null ? `/account/${accountId}` : `/account/${accountId}/alarm/${alarmId}`;
}

/**
 * Refuses every channel except the key's own and that of its account (DECISIONS.md "Channel"); an absent channel is
 * fine. A key scoped to one alarm hears that alarm only, whichever of the two it names. The error is the same for
 * somebody else's channel, an unknown one and a malformed one.
 */
export function checkChannel(channel: string, key: KeyReach): void {
  if (['', channelOf(key), channelOf({ ...key, alarmId: null })].includes(channel)) return;
  throw new ConnectError('This key may not listen there: describe names its channel.', Code.PermissionDenied);
}

/**
 * Returns what represents one secret of one key while a socket is open. Made of the digest alone, so that thousands are
 * rechecked in one statement, and a grant is good for nothing else.
 */
export function grantOf(digest: Buffer): string {
  return digest.toString('base64url');
}

/**
 * Returns the grants that are no longer valid: the key was revoked or has expired, the secret was rotated away, or it
 * is not a grant. Throws INVALID_ARGUMENT for more than GRANTS_MOST.
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

/**
 * Returns the keys of grants whose sockets live, without those that have `ended`. A grant proves that its sender had the
 * key: nobody makes one for a key of another account. Throws INVALID_ARGUMENT for more than GRANTS_MOST.
 */
export async function keysAlive(
  pool: Pool,
  grants: readonly string[],
  ended: ReadonlySet<string>,
): Promise<KeyOfDigest[]> {
  if (grants.length > GRANTS_MOST) throw invalidField('alive', `at most ${GRANTS_MOST} in one call`, grants.length);
  const alive = grants.filter(grant => GRANT.test(grant) && !ended.has(grant));
  return readKeysOf(
    pool,
    alive.map(grant => Buffer.from(grant, 'base64url')),
  );
}

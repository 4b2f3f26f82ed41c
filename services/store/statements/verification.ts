import type { ChannelKind } from '../../domain/delivery.ts';
import { placeOf } from '../../domain/verification.ts';
import { type Pepper, underEach, underPepper } from '../secret.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** A channel of a contact. */
export interface OwnedChannel {
  accountId: string;
  contactId: string;
  channel: ChannelKind;
}

/** One address of a channel. */
export interface OwnedAddress extends OwnedChannel {
  slot: number;
}

/** What is known about codes for a channel, by the database's time. */
export interface CodesNow {
  now: Date;
  /** Display name of the account. */
  accountName: string;
  /** The last code sent; null if none was sent since the address was stored. */
  last: { digest: Buffer; expiresAt: Date; guesses: number; slot: number } | null;
}

/**
 * Returns what is stored instead of a code, under each pepper, the one to store first: HMAC-SHA-256 under the pepper. Whoever has the table could try a million
 * codes quickly, but lacks the pepper. The channel is included, so a code is worthless on another one.
 */
export function codeDigests(pepper: Pepper, { accountId, contactId, channel }: OwnedChannel, code: string): Buffer[] {
  return underEach(pepper, `verification ${accountId} ${contactId} ${channel} ${code}`);
}

/**
 * Returns what is stored instead of an address that codes were sent to. Account and channel are included, so it does
 * not reveal who else sends there.
 */
export function addressDigest(pepper: Pepper, of: Omit<OwnedChannel, 'contactId'>, address: string): Buffer {
  const text = `verification address ${of.accountId} ${of.channel} ${address.toLowerCase()}`;
  return underPepper(pepper, text);
}

/** What is counted for an address over all accounts: drills and codes, or invitations. */
export type CountedMessages = 'messages' | 'invitations';

/**
 * Returns what is stored instead of an address counted over all accounts. Only the pepper keeps somebody with the table
 * from trying all telephone numbers.
 */
function placeDigest(pepper: Pepper, place: string, counted: CountedMessages): Buffer {
  const text = counted === 'messages' ? `unverified address ${place}` : `invited address ${place}`;
  return underPepper(pepper, text);
}

interface CodesRow {
  now: Date;
  accountName: string;
  digest: Buffer | null;
  expiresAt: Date;
  guesses: number;
  slot: number;
}

const codesStatement: Statement<CodesRow> = {
  name: 'verification_codes',
  text: `
SELECT tocsin_now() AS now, a.name AS "accountName", v.digest, v.expires_at AS "expiresAt", v.guesses, v.slot
FROM account a LEFT JOIN verification v ON v.account_id = a.id AND v.contact_id = $2 AND v.channel = $3
WHERE a.id = $1`,
};

/** Reads what is known about codes for a channel. Call it under the account's lock, like everything below. */
export async function readCodes(db: Connection, { accountId, contactId, channel }: OwnedChannel): Promise<CodesNow> {
  const [row] = await run(db, codesStatement, [accountId, contactId, channel]);
  const { now, accountName, digest, expiresAt, guesses, slot } = row!;
  return { now, accountName, last: digest === null ? null : { digest, expiresAt, guesses, slot } };
}

const sentStatement: Statement<{ sent: Date[] }> = {
  name: 'verification_sent',
  text: 'SELECT sent FROM verification_sent WHERE account_id = $1 AND address_digest = $2',
};

/** Returns when codes were sent to an address within the last day, and perhaps before. */
export async function readSent(db: Connection, accountId: string, digest: Buffer): Promise<Date[]> {
  const [row] = await run(db, sentStatement, [accountId, digest]);
  return row?.sent ?? [];
}

const keepSentStatement: Statement<never> = {
  name: 'verification_keep_sent',
  text: `
WITH old AS (
  DELETE FROM verification_sent
  WHERE account_id = $1 AND address_digest <> $2 AND last_at < (SELECT tocsin_now()) - interval '1 day'
)
INSERT INTO verification_sent (account_id, address_digest, last_at, sent) VALUES ($1, $2, tocsin_now(), $3)
ON CONFLICT (account_id, address_digest) DO UPDATE SET last_at = EXCLUDED.last_at, sent = EXCLUDED.sent`,
};

/** Stores when codes were sent to an address, including the one going out now, and drops the account's oldest. */
export async function keepSent(
  db: Connection,
  accountId: string,
  digest: Buffer,
  sent: readonly Date[],
): Promise<void> {
  await run(db, keepSentStatement, [accountId, digest, sent]);
}

/** The accounts of the messages sent to an address today (UTC), one entry for each message. */
export interface UnverifiedSent {
  accounts: string[];
  /** When the next day begins. */
  resetsAt: Date;
}

const lockUnverifiedStatement: Statement<UnverifiedSent> = {
  name: 'unverified_lock',
  text: `
INSERT INTO unverified_sent AS u (day, address_digest, accounts) VALUES ((tocsin_now() AT TIME ZONE 'UTC')::date, $1, '{}')
ON CONFLICT (day, address_digest) DO UPDATE SET accounts = u.accounts
RETURNING u.accounts, (u.day + 1)::timestamp AT TIME ZONE 'UTC' AS "resetsAt"`,
};

const addUnverifiedStatement: Statement<never> = {
  name: 'unverified_add',
  text: `
UPDATE unverified_sent SET accounts = array_append(accounts, $2)
WHERE address_digest = $1 AND day = ($3::timestamptz AT TIME ZONE 'UTC')::date - 1`,
};

/**
 * Returns the accounts whose messages went to an address today (UTC) and locks that until the end of the transaction;
 * `add` then counts one more for an account.
 */
export async function lockUnverified(
  db: Connection,
  pepper: Pepper,
  { channel, address }: { channel: ChannelKind; address: string },
  counted: CountedMessages,
) {
  const digest = placeDigest(pepper, placeOf(channel, address), counted);
  const [sent] = await run(db, lockUnverifiedStatement, [digest]);
  return {
    ...sent!,
    add: (accountId: string) => run(db, addUnverifiedStatement, [digest, accountId, sent!.resetsAt]),
  };
}

const keepStatement: Statement<never> = {
  name: 'verification_keep',
  text: `
INSERT INTO verification (account_id, contact_id, channel, slot, digest, expires_at)
VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (account_id, contact_id, channel) DO UPDATE SET slot = EXCLUDED.slot, digest = EXCLUDED.digest,
  expires_at = EXCLUDED.expires_at, guesses = 0`,
};

/** Stores a new code for one address of a channel, in place of the previous one of the channel. */
export async function keepCode(
  db: Connection,
  { accountId, contactId, channel, slot }: OwnedAddress,
  { digest, expiresAt }: { digest: Buffer; expiresAt: Date },
): Promise<void> {
  await run(db, keepStatement, [accountId, contactId, channel, slot, digest, expiresAt]);
}

const countStatement: Statement<never> = {
  name: 'verification_count',
  text: `
UPDATE verification SET guesses = guesses + 1 WHERE account_id = $1 AND contact_id = $2 AND channel = $3`,
};

/** Counts a wrong guess. */
export async function countGuess(db: Connection, { accountId, contactId, channel }: OwnedChannel): Promise<void> {
  await run(db, countStatement, [accountId, contactId, channel]);
}

const verifiedStatement: Statement<never> = {
  name: 'verification_verified',
  text: `
WITH used AS (
  DELETE FROM verification WHERE account_id = $1 AND contact_id = $2 AND channel = $3 AND slot = $4
)
UPDATE contact_channel SET verified_at = tocsin_now() WHERE account_id = $1 AND contact_id = $2 AND channel = $3 AND slot = $4`,
};

/** Marks an address as verified now and deletes its code. */
export async function markVerified(
  db: Connection,
  { accountId, contactId, channel, slot }: OwnedAddress,
): Promise<void> {
  await run(db, verifiedStatement, [accountId, contactId, channel, slot]);
}

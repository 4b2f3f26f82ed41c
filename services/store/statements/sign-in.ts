import { BROWSER_KNOWN_DAYS, CONFIRMATION_GOOD_DAYS, LINK_GOOD_S, SESSION } from '../../domain/sign-in.ts';
import { type Pepper, underEach, underPepper } from '../secret.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/**
 * Returns what a person is stored under: HMAC-SHA-256 of their email in lower case, under each pepper, the one to store
 * first.
 */
export function personDigests(pepper: Pepper, email: string): Buffer[] {
  return underEach(pepper, `member ${email.trim().toLowerCase()}`);
}

const personStatement: Statement<{ person: Buffer }> = {
  name: 'person_stored',
  text: 'SELECT email_digest AS person FROM member WHERE email_digest = ANY ($1::bytea[]) ORDER BY email_digest <> $2 LIMIT 1',
};

/** Returns what a person is looked up by: what they are stored under, while KEY_PEPPER is being changed. */
export async function personOf(db: Connection, pepper: Pepper, email: string): Promise<Buffer> {
  const digests = personDigests(pepper, email);
  if (digests.length === 1) return digests[0]!;
  const [stored] = await run(db, personStatement, [digests, digests[0]]);
  return stored?.person ?? digests[0]!;
}

/**
 * Returns what is stored instead of a sign-in code, under each pepper, the one to store first. It includes the person, so
 * it is worthless for anybody else.
 */
export function signInCodeDigests(pepper: Pepper, person: Buffer, code: string): Buffer[] {
  return underEach(pepper, `sign in ${person.toString('hex')} ${code}`);
}

/** Where a person's codes are sent, and how they are written. */
export interface CodeReader {
  now: Date;
  accountId: string;
  name: string;
  timeZone: string;
  /** Sealed. */
  email: string;
}

const readerStatement: Statement<CodeReader> = {
  name: 'sign_in_reader',
  text: `
SELECT tocsin_now() AS now, m.account_id AS "accountId", m.name, a.owner_time_zone AS "timeZone", m.email
FROM member m JOIN account a ON a.id = m.account_id WHERE m.email_digest = $1 ORDER BY a.seq LIMIT 1`,
};

/** Returns where a person's codes go, as a member of their first account; null if they are not a member anywhere. */
export async function readReader(db: Connection, person: Buffer): Promise<CodeReader | null> {
  const [reader] = await run(db, readerStatement, [person]);
  return reader ?? null;
}

/** Who asks for codes of a person, by digest: a browser, a network, or all strangers together. */
export function askerDigest(pepper: Pepper, kind: 'browser' | 'network' | 'strangers', name = ''): Buffer {
  return underPepper(pepper, `sign in asker ${kind} ${name}`);
}

const lockStatement: Statement<never> = {
  name: 'sign_in_lock',
  text: `
INSERT INTO sign_in_asker AS a (person, asker) VALUES ($1, $2)
ON CONFLICT (person, asker) DO UPDATE SET person = EXCLUDED.person`,
};

const sentStatement: Statement<{ asker: Buffer; sent: Date[]; standing: 'signed_in_before' | 'new' }> = {
  name: 'sign_in_sent',
  text: `
SELECT asker, sent, CASE WHEN signed_in_at IS NULL THEN 'new' ELSE 'signed_in_before' END AS standing
FROM sign_in_asker WHERE person = $1 AND asker = ANY($2::bytea[])`,
};

/** What is known of one who asks for a person's codes. */
export interface AskerKnown {
  /** When codes were sent recently that count for it. */
  sent: Date[];
  standing: 'signed_in_before' | 'new';
}

const NOTHING_KNOWN: AskerKnown = { sent: [], standing: 'new' };

/**
 * Returns what is known of those who ask for a person's codes, in the same order. `lock`: the one of them whose row locks
 * out other senders to this person until the end of the transaction.
 */
export async function lockAskers(
  db: Connection,
  person: Buffer,
  askers: readonly Buffer[],
  lock: Buffer,
): Promise<AskerKnown[]> {
  await run(db, lockStatement, [person, lock]);
  const known = await run(db, sentStatement, [person, askers]);
  return askers.map(asker => known.find(row => row.asker.equals(asker)) ?? NOTHING_KNOWN);
}

const addressesStatement: Statement<{ address: string }> = {
  name: 'sign_in_addresses',
  text: 'SELECT DISTINCT address FROM console_session WHERE person = $1 AND expires_at > tocsin_now()',
};

/** Returns the addresses from which a person's sessions were last used. */
export async function readSessionAddresses(db: Connection, person: Buffer): Promise<string[]> {
  return (await run(db, addressesStatement, [person])).map(({ address }) => address);
}

const countStatement: Statement<never> = {
  name: 'sign_in_count',
  text: `
INSERT INTO sign_in_asker (person, asker, sent, expires_at) VALUES ($1, $2, $3, tocsin_now())
ON CONFLICT (person, asker) DO UPDATE
SET sent = EXCLUDED.sent, expires_at = greatest(sign_in_asker.expires_at, EXCLUDED.expires_at)`,
};

/** Records when codes were sent that count for an asker. */
export async function countSent(db: Connection, person: Buffer, asker: Buffer, sent: readonly Date[]): Promise<void> {
  await run(db, countStatement, [person, asker, sent]);
}

const keepStatement: Statement<never> = {
  name: 'sign_in_keep_code',
  text: `
INSERT INTO sign_in_asker (person, asker, digest, code_expires_at, expires_at) VALUES ($1, $2, $3, $4, $4)
ON CONFLICT (person, asker) DO UPDATE SET digest = EXCLUDED.digest, code_expires_at = EXCLUDED.code_expires_at, guesses = 0,
  expires_at = greatest(sign_in_asker.expires_at, EXCLUDED.expires_at)`,
};

/** Stores a new code for a browser in place of its previous one. */
export async function keepSignInCode(
  db: Connection,
  person: Buffer,
  browser: Buffer,
  { digest, expiresAt }: { digest: Buffer; expiresAt: Date },
): Promise<void> {
  await run(db, keepStatement, [person, browser, digest, expiresAt]);
}

/** A code that was sent to a person who is a member somewhere. */
interface CodeSent {
  now: Date;
  digest: Buffer;
  expiresAt: Date;
  guesses: number;
}

const codeStatement: Statement<CodeSent> = {
  name: 'sign_in_code',
  text: `
SELECT tocsin_now() AS now, s.digest, s.code_expires_at AS "expiresAt", s.guesses FROM sign_in_asker s
WHERE s.person = $1 AND s.asker = $2 AND s.digest IS NOT NULL
  AND EXISTS (SELECT FROM member m WHERE m.email_digest = $1) FOR UPDATE OF s`,
};

/**
 * Returns the last unused code that this browser asked for; null if there is none. Locks out other guesses until the end
 * of the transaction.
 */
export async function lockCode(db: Connection, person: Buffer, browser: Buffer): Promise<CodeSent | null> {
  const [code] = await run(db, codeStatement, [person, browser]);
  return code ?? null;
}

const guessStatement: Statement<never> = {
  name: 'sign_in_guess',
  text: 'UPDATE sign_in_asker SET guesses = guesses + 1 WHERE person = $1 AND asker = $2',
};

/** Counts a wrong guess. */
export async function countSignInGuess(db: Connection, person: Buffer, browser: Buffer): Promise<void> {
  await run(db, guessStatement, [person, browser]);
}

const usedStatement: Statement<never> = {
  name: 'sign_in_used',
  text: 'UPDATE sign_in_asker SET digest = NULL WHERE person = $1 AND asker = $2',
};

/** Ends a code: each signs in once. */
export async function useCode(db: Connection, person: Buffer, browser: Buffer): Promise<void> {
  await run(db, usedStatement, [person, browser]);
}

const knownStatement: Statement<never> = {
  name: 'sign_in_known',
  text: `
INSERT INTO sign_in_asker (person, asker, signed_in_at, expires_at)
VALUES ($1, $2, tocsin_now(), tocsin_now() + interval '${BROWSER_KNOWN_DAYS} days')
ON CONFLICT (person, asker) DO UPDATE SET signed_in_at = EXCLUDED.signed_in_at, expires_at = EXCLUDED.expires_at`,
};

/** Records that a person signed in with a browser. */
export async function noteBrowser(db: Connection, person: Buffer, browser: Buffer): Promise<void> {
  await run(db, knownStatement, [person, browser]);
}

const makeLinkStatement: Statement<{ expiresAt: Date }> = {
  name: 'sign_in_make_link',
  text: `
INSERT INTO sign_in_link (digest, token_digest, expires_at)
VALUES ($1, $2, tocsin_now() + interval '${LINK_GOOD_S} seconds') RETURNING expires_at AS "expiresAt"`,
};

/** Stores a link that signs in as a console token. Returns when it expires. */
export async function keepLink(db: Connection, digest: Buffer, tokenDigest: Buffer): Promise<Date> {
  const [link] = await run(db, makeLinkStatement, [digest, tokenDigest]);
  return link!.expiresAt;
}

const useLinkStatement: Statement<{ tokenDigest: Buffer; state: 'good' | 'old' }> = {
  name: 'sign_in_use_link',
  text: `
DELETE FROM sign_in_link WHERE digest = $1 AND token_digest IS NOT NULL
RETURNING token_digest AS "tokenDigest", CASE WHEN expires_at > tocsin_now() THEN 'good' ELSE 'old' END AS state`,
};

/** Uses a link, which works once. Returns the digest of its token; null if the link is expired, used or unknown. */
export async function takeLink(db: Connection, digest: Buffer): Promise<Buffer | null> {
  const [link] = await run(db, useLinkStatement, [digest]);
  return link?.state === 'good' ? link.tokenDigest : null;
}

const makeConfirmationStatement: Statement<never> = {
  name: 'sign_in_make_confirmation',
  text: `
INSERT INTO sign_in_link (digest, account_id, member_id, expires_at)
VALUES ($1, $2, $3, tocsin_now() + interval '${CONFIRMATION_GOOD_DAYS} days')`,
};

/** Stores a link that confirms the address of a member. */
export async function keepConfirmation(
  db: Connection,
  digest: Buffer,
  { accountId, id }: { accountId: string; id: string },
): Promise<void> {
  await run(db, makeConfirmationStatement, [digest, accountId, id]);
}

const useConfirmationStatement: Statement<{ accountName: string }> = {
  name: 'sign_in_use_confirmation',
  text: `
UPDATE member m SET confirmed_at = coalesce(m.confirmed_at, tocsin_now()) FROM sign_in_link l, account a
WHERE l.digest = $1 AND l.expires_at > tocsin_now() AND m.account_id = l.account_id AND m.id = l.member_id
  AND a.id = m.account_id
RETURNING a.name AS "accountName"`,
};

/** Confirms an address by its link, which may be repeated. Returns the account's name; null if the link is no good. */
export async function takeConfirmation(db: Connection, digest: Buffer): Promise<{ accountName: string } | null> {
  const [confirmed] = await run(db, useConfirmationStatement, [digest]);
  return confirmed ?? null;
}

const tokenStatement: Statement<{ id: string }> = {
  name: 'sign_in_token',
  text: `
SELECT id FROM console_token
WHERE digest = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > tocsin_now())`,
};

/** Tells whether a console token with this digest is valid now. */
export async function isGoodToken(db: Connection, digest: Buffer): Promise<boolean> {
  return (await run(db, tokenStatement, [digest])).length > 0;
}

/** A new session of a person or a console token. */
export interface NewSession {
  id: string;
  digest: Buffer;
  person: Buffer | null;
  tokenDigest: Buffer | null;
  agent: string;
  address: string;
}

const sessionStatement: Statement<never> = {
  name: 'keep_session',
  text: `
INSERT INTO console_session (id, digest, person, token_digest, agent, address, expires_at)
VALUES ($1, $2, $3, $4, $5, $6, tocsin_now() + interval '${SESSION.goodDays} days')`,
};

const roomStatement: Statement<never> = {
  name: 'make_room_for_session',
  text: `
DELETE FROM console_session WHERE id IN (SELECT id FROM console_session WHERE id IN (
  SELECT id FROM console_session WHERE person = $1 OR token_digest = $2
  ORDER BY last_seen_at DESC, id OFFSET ${SESSION.most - 1} LIMIT ${SESSION.most}) FOR UPDATE SKIP LOCKED)`,
};

/** Starts a session. Where its party has too many, those that were unused for longest end. */
export async function keepSession(db: Connection, session: NewSession): Promise<void> {
  const { id, digest, person, tokenDigest, agent, address } = session;
  await run(db, roomStatement, [person, tokenDigest]);
  await run(db, sessionStatement, [id, digest, person, tokenDigest, agent, address]);
}

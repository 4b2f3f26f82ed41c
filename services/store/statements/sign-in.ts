import { createHmac } from 'node:crypto';
import { LINK_GOOD_S, SESSION } from '../../domain/sign-in.ts';
import { type Connection, run, type Statement } from '../statement.ts';

/** Returns what a person is looked up by: HMAC-SHA-256 of their email in lower case, under the pepper. */
export function personDigest(pepper: string, email: string): Buffer {
  return createHmac('sha256', pepper).update(`member ${email.trim().toLowerCase()}`).digest();
}

/** Returns what is stored instead of a sign-in code. It includes the person, so it is worthless for anybody else. */
export function signInCodeDigest(pepper: string, person: Buffer, code: string): Buffer {
  return createHmac('sha256', pepper)
    .update(`sign in ${person.toString('hex')} ${code}`)
    .digest();
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
export async function readReader(on: Connection, person: Buffer): Promise<CodeReader | null> {
  const [reader] = await run(on, readerStatement, [person]);
  return reader ?? null;
}

const lockStatement: Statement<{ sent: Date[] }> = {
  name: 'sign_in_lock',
  text: `
INSERT INTO sign_in_code AS s (person) VALUES ($1)
ON CONFLICT (person) DO UPDATE SET person = EXCLUDED.person RETURNING s.sent`,
};

/** Returns when codes were sent to a person recently. Locks out other senders until the end of the transaction. */
export async function lockSent(on: Connection, person: Buffer): Promise<Date[]> {
  const [row] = await run(on, lockStatement, [person]);
  return row!.sent;
}

const keepStatement: Statement<never> = {
  name: 'sign_in_keep_code',
  text: 'UPDATE sign_in_code SET digest = $2, expires_at = $3, sent = $4, guesses = 0 WHERE person = $1',
};

/** Stores a new code in place of the previous one. */
export async function keepSignInCode(
  on: Connection,
  person: Buffer,
  { digest, expiresAt, sent }: { digest: Buffer; expiresAt: Date; sent: readonly Date[] },
): Promise<void> {
  await run(on, keepStatement, [person, digest, expiresAt, sent]);
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
SELECT tocsin_now() AS now, s.digest, s.expires_at AS "expiresAt", s.guesses FROM sign_in_code s
WHERE s.person = $1 AND s.digest IS NOT NULL AND EXISTS (SELECT FROM member m WHERE m.email_digest = $1) FOR UPDATE OF s`,
};

/** Returns the last unused code; null if there is none. Locks out other guesses until the end of the transaction. */
export async function lockCode(on: Connection, person: Buffer): Promise<CodeSent | null> {
  const [code] = await run(on, codeStatement, [person]);
  return code ?? null;
}

const guessStatement: Statement<never> = {
  name: 'sign_in_guess',
  text: 'UPDATE sign_in_code SET guesses = guesses + 1 WHERE person = $1',
};

/** Counts a wrong guess. */
export async function countSignInGuess(on: Connection, person: Buffer): Promise<void> {
  await run(on, guessStatement, [person]);
}

const usedStatement: Statement<never> = {
  name: 'sign_in_used',
  text: 'UPDATE sign_in_code SET digest = NULL WHERE person = $1',
};

/** Ends a code: each signs in once. */
export async function useCode(on: Connection, person: Buffer): Promise<void> {
  await run(on, usedStatement, [person]);
}

const makeLinkStatement: Statement<{ expiresAt: Date }> = {
  name: 'sign_in_make_link',
  text: `
INSERT INTO sign_in_link (digest, token_digest, expires_at)
VALUES ($1, $2, tocsin_now() + interval '${LINK_GOOD_S} seconds') RETURNING expires_at AS "expiresAt"`,
};

/** Stores a link that signs in as a console token. Returns when it expires. */
export async function keepLink(on: Connection, digest: Buffer, tokenDigest: Buffer): Promise<Date> {
  const [link] = await run(on, makeLinkStatement, [digest, tokenDigest]);
  return link!.expiresAt;
}

const useLinkStatement: Statement<{ tokenDigest: Buffer; state: 'good' | 'old' }> = {
  name: 'sign_in_use_link',
  text: `
DELETE FROM sign_in_link WHERE digest = $1
RETURNING token_digest AS "tokenDigest", CASE WHEN expires_at > tocsin_now() THEN 'good' ELSE 'old' END AS state`,
};

/** Uses a link, which works once. Returns the digest of its token; null if the link is expired, used or unknown. */
export async function takeLink(on: Connection, digest: Buffer): Promise<Buffer | null> {
  const [link] = await run(on, useLinkStatement, [digest]);
  return link?.state === 'good' ? link.tokenDigest : null;
}

const tokenStatement: Statement<{ id: string }> = {
  name: 'sign_in_token',
  text: `
SELECT id FROM console_token
WHERE digest = $1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > tocsin_now())`,
};

/** Tells whether a console token with this digest is valid now. */
export async function isGoodToken(on: Connection, digest: Buffer): Promise<boolean> {
  return (await run(on, tokenStatement, [digest])).length > 0;
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

/** Starts a session. */
export async function keepSession(on: Connection, session: NewSession): Promise<void> {
  const { id, digest, person, tokenDigest, agent, address } = session;
  await run(on, sessionStatement, [id, digest, person, tokenDigest, agent, address]);
}

import { timingSafeEqual } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool, PoolClient } from 'pg';
import type { SignInRequest } from '../../gen/tocsin/console/v1/sessions_pb.ts';
import { digitsOf, judgeGuess } from '../domain/verification.ts';
import { say } from '../rpc/reader.ts';
import { newId } from '../store/id.ts';
import { isSecret, newSecret, type Pepper, secretDigest, underEach } from '../store/secret.ts';
import { inTransaction } from '../store/statement.ts';
import { shownAgent } from '../store/statements/access.ts';
import { confirmPerson } from '../store/statements/member.ts';
import {
  askerDigest,
  countSent,
  countSignInGuess,
  isGoodToken,
  keepLink,
  keepSession,
  lockCode,
  type NewSession,
  noteBrowser,
  personOf,
  readReader,
  signInCodeDigests,
  takeConfirmation,
  takeLink,
  useCode,
} from '../store/statements/sign-in.ts';
import type { Store } from '../store/store.ts';
import { type Browser, signedInBrowser } from './browser.ts';
import type { Oidc } from './oidc.ts';
import { takePhoneLink } from './phone-link.ts';

/** The party a session belongs to: a person or a token, by their digest. */
type Opened = Pick<NewSession, 'person' | 'tokenDigest'>;

/** A new session and its secret, to be shown once. */
export interface MadeSession {
  id: string;
  secret: string;
  /** What the browser of a person shows from now on; empty for a token. */
  browser: string;
}

/** Where somebody signs in; `browser` null: no browser that we know of. */
export interface SignInFrom {
  address: string;
  agent: string;
  browser: Browser | null;
}

/**
 * Starts a session for valid credentials (DECISIONS.md "Sign-in"). A wrong guess at a code stays counted. Throws
 * UNAUTHENTICATED, in the same words whatever is wrong.
 */
export async function signIn(
  on: { pool: Pool; orm: MikroORM; pepper: Pepper; oidc: Oidc | null },
  way: SignInRequest['way'],
  from: SignInFrom,
): Promise<MadeSession> {
  // Before the transaction: the provider may be slow.
  const email = way.case === 'oidcAnswer' ? ((await on.oidc?.vouchedFor(way.value)) ?? null) : null;
  const made = await inTransaction(on.pool, async client => {
    const opened =
      email !== null
        ? await openedByEmail(client, on.pepper, email)
        : way.case === 'phoneLink'
          ? await takePhoneLink({ ...on, client }, way.value.secret, from.agent)
          : await openedBy(client, on.pepper, way, from.browser);
    if (opened === null) return null;
    const [id, secret] = [newId(), newSecret('tcs')];
    await keepSession(client, {
      id,
      digest: secretDigest(on.pepper, secret),
      ...opened,
      address: from.address,
      agent: shownAgent(from.agent),
    });
    const browser = opened.person === null ? '' : await rememberBrowser(client, on.pepper, opened.person, from.browser);
    if (opened.person !== null) await confirmPerson(client, opened.person, null);
    return { id, secret, browser };
  });
  // After the commit: it must not roll back a counted guess.
  if (made === null) throw new ConnectError(say().refusals.signIn[way.case ?? 'none'], Code.Unauthenticated);
  return made;
}

/** From now on this browser gets codes for this person whatever strangers ask for. Returns what it shows. */
async function rememberBrowser(
  client: PoolClient,
  pepper: Pepper,
  person: Buffer,
  browser: Browser | null,
): Promise<string> {
  const { id, shown } = signedInBrowser(pepper, browser);
  await noteBrowser(client, person, askerDigest(pepper, 'browser', id));
  return shown;
}

async function openedBy(
  client: PoolClient,
  pepper: Pepper,
  way: SignInRequest['way'],
  browser: Browser | null,
): Promise<Opened | null> {
  switch (way.case) {
    case 'emailCode':
      return openedByCode(client, pepper, way.value, askerDigest(pepper, 'browser', browser?.id));
    case 'link': {
      const { secret } = way.value;
      if (!isSecret('tcl', secret)) return null;
      const tokenDigest = await firstFound(underEach(pepper, secret), digest => takeLink(client, digest));
      return tokenDigest === null ? null : openedByToken(client, [tokenDigest]);
    }
    case 'consoleToken':
      return way.value.token === '' ? null : openedByToken(client, underEach(pepper, way.value.token));
    case 'oidcAnswer':
    case 'phoneLink':
    case undefined:
      return null;
  }
}

/** The email of somebody who is not a member anywhere gives no access. */
async function openedByEmail(client: PoolClient, pepper: Pepper, email: string): Promise<Opened | null> {
  const person = await personOf(client, pepper, email);
  return (await readReader(client, person)) === null ? null : { person, tokenDigest: null };
}

async function openedByToken(client: PoolClient, digests: readonly Buffer[]): Promise<Opened | null> {
  const good = await firstFound(digests, async digest => ((await isGoodToken(client, digest)) ? digest : null));
  return good === null ? null : { person: null, tokenDigest: good };
}

/** Of several digests of one secret, at most one is stored. */
async function firstFound<Found>(
  digests: readonly Buffer[],
  find: (digest: Buffer) => Promise<Found | null>,
): Promise<Found | null> {
  for (const digest of digests) {
    const found = await find(digest);
    if (found !== null) return found;
  }
  return null;
}

async function openedByCode(
  client: PoolClient,
  pepper: Pepper,
  { email, code }: { email: string; code: string },
  browser: Buffer,
): Promise<Opened | null> {
  const digits = digitsOf(code);
  const person = await personOf(client, pepper, email);
  // What is no code at all says nothing about a person.
  if (digits === null) return null;
  const sent = await lockCode(client, person, browser);
  const same =
    sent !== null && signInCodeDigests(pepper, person, digits).some(digest => timingSafeEqual(digest, sent.digest));
  const guess = same ? 'same' : 'different';
  const verdict =
    sent === null
      ? 'none_sent'
      : judgeGuess({ ...sent, expiresAt: sent.expiresAt.getTime() }, guess, sent.now.getTime());
  if (verdict === 'wrong') await countSignInGuess(client, person, browser);
  else if (verdict !== 'right') await noteMiss(client, person);
  if (verdict !== 'right') return null;
  await useCode(client, person, browser);
  return { person, tokenDigest: null };
}

/**
 * Confirms the address of a member by the link of their invitation. Returns the account's name. Throws UNAUTHENTICATED
 * if the link is unknown or old, or they are no member any more.
 */
export async function confirmAddress(on: { pool: Pool; pepper: Pepper }, secret: string) {
  const digests = isSecret('tcc', secret) ? underEach(on.pepper, secret) : [];
  const confirmed = await firstFound(digests, digest => takeConfirmation(on.pool, digest));
  if (confirmed === null) throw new ConnectError(say().refusals.noConfirmation, Code.Unauthenticated);
  return confirmed;
}

/**
 * Writes as much as counting a wrong guess does, where there is nothing to count: how long an answer takes must not tell
 * whether somebody is a member. The first byte of the digest stands for the person, so that strangers fill no disk.
 */
async function noteMiss(client: PoolClient, person: Buffer): Promise<void> {
  const nobody = person.subarray(0, 1);
  await countSent(client, nobody, nobody, []);
}

/**
 * Creates a link that signs in once as the console token with this digest: its secret, to be shown once, and its
 * expiry.
 */
export async function makeLink({ store, pepper }: { store: Pick<Store, 'pool'>; pepper: Pepper }, tokenDigest: Buffer) {
  const secret = newSecret('tcl');
  return { secret, expiresAt: await keepLink(store.pool, secretDigest(pepper, secret), tokenDigest) };
}

import { randomUUID } from 'node:crypto';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { type Actor, type TokenKind, tokenActor } from '../domain/actor.ts';
import { Account } from '../store/entities/account.ts';
import { DeletedAccount } from '../store/entities/deleted-account.ts';
import { secretDigest } from '../store/secret.ts';
import { run, type Statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { DirectContext } from './direct.ts';

/** What came with every call of a machine is read without making headers of it where it came from within this process. */
function sent(context: HandlerContext, name: string): string | null {
  return context instanceof DirectContext ? context.sent(name) : context.requestHeader.get(name);
}

/** The API key of a call, empty when there is none. Whether it is good is for the database to say. */
export function apiKeyOf(context: HandlerContext): string {
  return sent(context, 'x-api-key') ?? '';
}

/**
 * Where a call came from: address and user agent (metadata `x-tocsin-client`, one blank between), as the facade saw them, or
 * for a call that came to the RPC port, as services/rpc/gate.ts did.
 */
export function clientOf(context: HandlerContext): { address: string; agent: string } {
  const [address = '', ...agent] = (sent(context, 'x-tocsin-client') ?? '').split(' ');
  return { address, agent: agent.join(' ') };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-[0-9a-f]{16}-/;

/** The trace id of a `traceparent` (W3C) as a UUID; null where it is none. */
export function traceIdIn(traceparent: string): string | null {
  const parts = TRACEPARENT.exec(traceparent);
  return parts === null ? null : parts.slice(1).join('-');
}

/** Names a call in the log. */
export interface CallTrace {
  traceId: string;
  /** The trace id of the `traceparent` that was sent with it; null: none, or its own. */
  parentTraceId: string | null;
}

/**
 * The id of a call: the one that the facade answers with (metadata `x-tocsin-trace`), or a fresh one, which a typed caller
 * reads in the metadata of the same name (DECISIONS.md "Who opens what").
 */
export function traceOf(context: HandlerContext): CallTrace {
  const parent = traceIdIn(sent(context, 'traceparent') ?? '');
  const given = sent(context, TRACE_HEADER);
  if (given !== null && isUuid(given)) return { traceId: given, parentTraceId: parent === given ? null : parent };
  const traceId = randomUUID();
  context.responseHeader.set(TRACE_HEADER, traceId);
  return { traceId, parentTraceId: parent };
}

const TRACE_HEADER = 'x-tocsin-trace';

/** Whether a word is a UUID as this product writes them: lower case. */
export function isUuid(word: string): boolean {
  return UUID.test(word);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The one answer to every bad key: what is wrong with it is not for the caller to know (DECISIONS.md "401"). */
export function badKey(): ConnectError {
  return new ConnectError('The API key is missing or not valid.', Code.Unauthenticated);
}

/** The one answer to every bad console token. */
export function badToken(): ConnectError {
  const wanted = 'Send "authorization: Bearer tcn_…" with a console token; an API key opens nothing here.';
  return new ConnectError(`The console token is missing or not valid. ${wanted}`, Code.Unauthenticated);
}

/** What follows `Bearer` in the metadata of a call; empty when there is nothing. */
export function bearerOf(header: Headers): string {
  return /^Bearer +(\S+)$/i.exec(header.get('authorization') ?? '')?.[1] ?? '';
}

/** To a good caller whose account has made too many calls (DECISIONS.md "Could not commit, deadline, overload"). */
export function tooManyCalls(): ConnectError {
  const message = 'This account has made too many calls. Wait a second, then send this one again.';
  return new ConnectError(message, Code.ResourceExhausted, { 'retry-after': '1' });
}

/** Whom a console token speaks for. */
export interface Access {
  token: TokenKind;
  /** The account of the call; null where the operator named none. */
  accountId: string | null;
  /** Who, in audit and timelines. */
  actor: Actor;
}

/** Access to one account. */
export type AccountAccess = Access & { accountId: string };

/** Which accounts a call may be about: those that are there, or deleted ones too, which only the operator can name. */
export type Accounts = 'living' | 'deleted_too';

interface TokenFound {
  id: string;
  accountId: string | null;
  kind: TokenKind;
  label: string;
  /** When it ended by itself; null: it did not. */
  endedAt: Date | null;
}

/** No check of the secret's shape before: the operator may have chosen CONSOLE_TOKEN. */
const tokenStatement: Statement<TokenFound> = {
  name: 'find_console_token',
  text: `
SELECT id, account_id AS "accountId", kind, label, CASE WHEN expires_at <= tocsin_now() THEN expires_at END AS "endedAt"
FROM console_token WHERE digest = $1 AND revoked_at IS NULL`,
};

/**
 * What the console token of a call opens (DECISIONS.md "Who opens what"). Throws UNAUTHENTICATED without a good token,
 * NOT_FOUND when the operator names an account that there is not. An account's own token may name its account or none.
 */
export async function accessOf(
  store: Store,
  pepper: string,
  context: HandlerContext,
  accounts: Accounts = 'living',
): Promise<Access> {
  const token = await tokenOf(store, pepper, context);
  const actor = tokenActor(token);
  const named = context.requestHeader.get('x-tocsin-account') || null;
  const own = token.accountId;
  if (own !== null && (named === null || named === own)) return { token: token.kind, accountId: own, actor };
  // The same words for an account that is not there and for one of somebody else.
  if (own !== null || (named !== null && !(await isThere(store, named, accounts)))) {
    throw new ConnectError('There is no account with the id that x-tocsin-account names.', Code.NotFound);
  }
  return { token: token.kind, accountId: named, actor };
}

async function tokenOf(store: Store, pepper: string, context: HandlerContext): Promise<TokenFound> {
  const secret = bearerOf(context.requestHeader);
  const [token] = secret === '' ? [] : await run(store.pool, tokenStatement, [secretDigest(pepper, secret)]);
  if (token === undefined) throw badToken();
  // Only who holds the secret gets here: nobody else learns that it ever was one.
  if (token.endedAt !== null) {
    const at = token.endedAt.toISOString();
    throw new ConnectError(`This console token ended at ${at}. Ask the operator for a new one.`, Code.Unauthenticated);
  }
  return token;
}

async function isThere(store: Store, accountId: string, accounts: Accounts): Promise<boolean> {
  const em = store.orm.em.fork();
  if ((await em.count(Account, { id: accountId })) > 0) return true;
  return accounts === 'deleted_too' && (await em.count(DeletedAccount, { accountId })) > 0;
}

/** As accessOf, and INVALID_ARGUMENT when the operator names no account. */
export async function accountAccessOf(
  store: Store,
  pepper: string,
  context: HandlerContext,
  accounts: Accounts = 'living',
): Promise<AccountAccess> {
  const access = await accessOf(store, pepper, context, accounts);
  if (access.accountId !== null) return { ...access, accountId: access.accountId };
  const message = "The operator's token needs the account in the metadata x-tocsin-account.";
  throw new ConnectError(message, Code.InvalidArgument);
}

/** The account of a call, where who asks does not matter. Throws as accountAccessOf. */
export async function accountOf(store: Store, pepper: string, context: HandlerContext): Promise<string> {
  return (await accountAccessOf(store, pepper, context)).accountId;
}

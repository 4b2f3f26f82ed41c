import { randomUUID } from 'node:crypto';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { type Actor, type TokenKind, tokenActor } from '../domain/actor.ts';
import { Account } from '../store/entities/account.ts';
import { DeletedAccount } from '../store/entities/deleted-account.ts';
import { secretDigest } from '../store/secret.ts';
import { run, type Statement } from '../store/statement.ts';
import type { Store } from '../store/store.ts';
import { DirectContext } from './direct.ts';

/** Reads metadata of a call, without building headers for a call from within this process. */
function sent(context: HandlerContext, name: string): string | null {
  return context instanceof DirectContext ? context.sent(name) : context.requestHeader.get(name);
}

/** Returns the API key of a call, empty if there is none. Whether it is valid is for the database to say. */
export function apiKeyOf(context: HandlerContext): string {
  return sent(context, 'x-api-key') ?? '';
}

/**
 * Returns where a call came from: address and user agent (metadata `x-tocsin-client`, separated by a blank), as seen by the facade
 * or, for a call to the RPC port, by services/rpc/gate.ts.
 */
export function clientOf(context: HandlerContext): { address: string; agent: string } {
  const [address = '', ...agent] = (sent(context, 'x-tocsin-client') ?? '').split(' ');
  return { address, agent: agent.join(' ') };
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-[0-9a-f]{16}-/;

/** Returns the trace id of a `traceparent` (W3C) as a UUID; null if it is malformed. */
export function traceIdIn(traceparent: string): string | null {
  const parts = TRACEPARENT.exec(traceparent);
  return parts === null ? null : parts.slice(1).join('-');
}

/** The ids of a call in the log. */
export interface CallTrace {
  traceId: string;
  /** The trace id of the `traceparent` that was sent with it; null: none, or its own. */
  parentTraceId: string | null;
}

/**
 * Returns the id of a call: the one that the facade answers with (metadata `x-tocsin-trace`), or a fresh one, which a typed
 * caller finds in the metadata of the same name (DECISIONS.md "Who opens what").
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

/** Tells whether a word is a UUID in lower case, as this product writes them. */
export function isUuid(word: string): boolean {
  return UUID.test(word);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the one answer to every bad key, which does not say what is wrong with it (DECISIONS.md "401"). */
export function badKey(): ConnectError {
  return new ConnectError('The API key is missing or not valid.', Code.Unauthenticated);
}

/** Makes the one answer to every bad console token. */
export function badToken(): ConnectError {
  const wanted = 'Send "authorization: Bearer tcn_…" with a console token; an API key opens nothing here.';
  return new ConnectError(`The console token is missing or not valid. ${wanted}`, Code.Unauthenticated);
}

/** Returns the bearer token of a call; empty if there is none. */
export function bearerOf(header: Headers): string {
  return /^Bearer +(\S+)$/i.exec(header.get('authorization') ?? '')?.[1] ?? '';
}

/** Makes the answer to a valid caller whose account has made too many calls (DECISIONS.md "Could not commit, deadline, overload"). */
export function tooManyCalls(): ConnectError {
  const message = 'This account has made too many calls. Wait a second, then send this one again.';
  return new ConnectError(message, Code.ResourceExhausted, { 'retry-after': '1' });
}

/** Whom a console token speaks for. */
export interface Access {
  token: TokenKind;
  /** The account of the call; null where the operator named none. */
  accountId: string | null;
  /** Who acts, as shown in audit and timelines. */
  actor: Actor;
}

/** Access to one account. */
export type AccountAccess = Access & { accountId: string };

/** Which accounts a call may name: existing ones, or deleted ones too, which only the operator can name. */
export type Accounts = 'living' | 'deleted_too';

interface TokenFound {
  id: string;
  accountId: string | null;
  kind: TokenKind;
  label: string;
  /** When it expired; null: it has not. */
  endedAt: Date | null;
}

/** The shape of the secret is not checked first: the operator may have chosen CONSOLE_TOKEN. */
const tokenStatement: Statement<TokenFound> = {
  name: 'find_console_token',
  text: `
SELECT id, account_id AS "accountId", kind, label, CASE WHEN expires_at <= tocsin_now() THEN expires_at END AS "endedAt"
FROM console_token WHERE digest = $1 AND revoked_at IS NULL`,
};

/**
 * Returns what the console token of a call opens (DECISIONS.md "Who opens what"). Throws UNAUTHENTICATED without a valid token,
 * and NOT_FOUND if the operator names an unknown account. An account's own token may name its account or none.
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
  // The same words for an unknown account and for somebody else's.
  if (own !== null || (named !== null && !(await isThere(store, named, accounts)))) {
    throw new ConnectError('There is no account with the id that x-tocsin-account names.', Code.NotFound);
  }
  return { token: token.kind, accountId: named, actor };
}

async function tokenOf(store: Store, pepper: string, context: HandlerContext): Promise<TokenFound> {
  const secret = bearerOf(context.requestHeader);
  const [token] = secret === '' ? [] : await run(store.pool, tokenStatement, [secretDigest(pepper, secret)]);
  if (token === undefined) throw badToken();
  // Only the holder of the secret gets here: nobody else learns that it once was valid.
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

/** Returns the same for one account. Throws as accessOf, and INVALID_ARGUMENT if the operator names no account. */
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

/** Returns the account of a call where it does not matter who asks. Throws as accountAccessOf. */
export async function accountOf(store: Store, pepper: string, context: HandlerContext): Promise<string> {
  return (await accountAccessOf(store, pepper, context)).accountId;
}

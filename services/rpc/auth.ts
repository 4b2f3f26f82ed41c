import { randomUUID } from 'node:crypto';
import { Code, ConnectError, createContextKey, type HandlerContext } from '@connectrpc/connect';
import { type Actor, memberActor, type TokenKind, tokenActor } from '../domain/actor.ts';
import { roleMissing } from '../domain/role.ts';
import type { Span } from '../process/span.ts';
import { shownDate } from '../process/wall-clock.ts';
import { Account } from '../store/entities/account.ts';
import { DeletedAccount } from '../store/entities/deleted-account.ts';
import { type Pepper, underEach } from '../store/secret.ts';
import { findHolders, type Holder, type Membership, noteSeen } from '../store/statements/access.ts';
import type { Store } from '../store/store.ts';
import { sentWith } from './direct-context.ts';
import { say } from './reader.ts';

/** Returns the API key of a call, empty if there is none. Whether it is valid is for the database to say. */
export function apiKeyOf(context: HandlerContext): string {
  return sentWith(context, 'x-api-key') ?? '';
}

/**
 * Returns where a call came from: address and user agent (metadata `x-tocsin-client`, separated by a blank), as seen by the facade
 * or, for a call to the RPC port, by services/rpc/gate.ts.
 */
export function clientOf(context: HandlerContext): { address: string; agent: string } {
  const [address = '', ...agent] = (sentWith(context, 'x-tocsin-client') ?? '').split(' ');
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
  const parent = traceIdIn(sentWith(context, 'traceparent') ?? '');
  const given = sentWith(context, TRACE_HEADER);
  if (given !== null && isUuid(given)) return { traceId: given, parentTraceId: parent === given ? null : parent };
  const traceId = randomUUID();
  context.responseHeader.set(TRACE_HEADER, traceId);
  return { traceId, parentTraceId: parent };
}

/** The metadata with the id of a call; believed from the facade alone (services/rpc/gate.ts). */
export const TRACE_HEADER = 'x-tocsin-trace';

/**
 * Returns where the span of a call belongs: that of a facade's call is the facade's, and the services' own a part of it; a typed
 * call is the services' own, and linked to its caller's `traceparent`.
 */
export function spanPlaceOf(context: HandlerContext): Pick<Span, 'place' | 'caller'> {
  if (isUuid(sentWith(context, TRACE_HEADER) ?? '')) return { place: 'part' };
  return { place: 'call', caller: sentWith(context, 'traceparent') ?? undefined };
}

/** Tells whether a word is a UUID in lower case, as this product writes them. */
export function isUuid(word: string): boolean {
  return UUID.test(word);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Makes the one answer to every bad key, which does not say what is wrong with it (DECISIONS.md "401"). */
export function badKey(): ConnectError {
  return new ConnectError('The API key is missing or not valid.', Code.Unauthenticated);
}

/**
 * The one answer to every bad console token, and to every session that has ended or never existed; `shown`: the
 * credential presented.
 */
export function badToken(shown = ''): ConnectError {
  if (shown.startsWith('tcs_')) {
    return new ConnectError(say().refusals.sessionEnded, Code.Unauthenticated);
  }
  return new ConnectError(say().refusals.badToken, Code.Unauthenticated);
}

/** Returns the bearer token of a call; empty if there is none. */
export function bearerOf(header: Headers): string {
  return /^Bearer +(\S+)$/i.exec(header.get('authorization') ?? '')?.[1] ?? '';
}

/** Makes the answer to a valid caller whose account has made too many calls (DECISIONS.md "Could not commit, deadline, overload"). */
export function tooManyCalls(retryAfterS = 1): ConnectError {
  const after = { 'retry-after': String(retryAfterS) };
  return new ConnectError(say().refusals.tooManyCalls(retryAfterS), Code.ResourceExhausted, after);
}

/** The party that a console token or a session authenticates. */
export interface Access {
  /** What it gives access to; a member is bound to one account like an account's token. */
  token: TokenKind;
  /** The account of the call; null if the operator named none. */
  accountId: string | null;
  /** Who acts, as shown in audit and timelines. */
  actor: Actor;
}

/** Access to one account. */
export type AccountAccess = Access & { accountId: string };

/** Which accounts a call may name: existing ones, or deleted ones too, which only the operator can name. */
export type Accounts = 'living' | 'deleted_too';

/**
 * Returns what the console token or session of a call gives access to (DECISIONS.md "Who opens what", "Members and
 * roles"). Throws UNAUTHENTICATED without a valid one, NOT_FOUND if it names an account that does not exist or is not
 * its own, PERMISSION_DENIED if the role of a member is too low for the method. An account's own token may name its
 * account or none, and so may a member of one account; a member of several must name one (INVALID_ARGUMENT).
 */
export async function accessOf(
  store: Store,
  pepper: Pepper,
  context: HandlerContext,
  accounts: Accounts = 'living',
): Promise<Access> {
  const holder = await holderOf(store, pepper, context);
  const named = context.requestHeader.get('x-tocsin-account') || null;
  if (holder.token === null) return memberAccess(store, context, holder, named);
  if (holder.session?.seen === 'due') await noteSeen(store.pool, holder.session.id, clientOf(context), null);
  const { kind, accountId: own } = holder.token;
  const access = { token: kind, actor: tokenActor(holder.token) } as const;
  if (own !== null && (named === null || named === own)) return { ...access, accountId: own };
  if (own !== null || (named !== null && !(await isThere(store, named, accounts)))) throw noSuchAccount();
  return { ...access, accountId: named };
}

async function memberAccess(
  store: Store,
  context: HandlerContext,
  { session, memberships }: Holder,
  named: string | null,
): Promise<Access> {
  const membership = membershipOf(memberships, named);
  if (membership === null) throw named === null ? namesNoAccount() : noSuchAccount();
  const { role, accountId } = membership;
  const needed = roleMissing(role, context.service.typeName, context.method.name);
  if (needed !== null) throw new ConnectError(say().refusals.roleTooLow(needed, role), Code.PermissionDenied);
  if (session?.seen === 'due' || membership.seen === 'due') {
    await noteSeen(store.pool, session!.id, clientOf(context), membership);
  }
  return { token: 'account', accountId, actor: memberActor(membership) };
}

/**
 * Returns the membership that a call is about: the one it names, or the only one if it names none; null if there is
 * none.
 */
export function membershipOf(memberships: readonly Membership[], named: string | null): Membership | null {
  if (named !== null) return memberships.find(({ accountId }) => accountId === named) ?? null;
  return memberships.length === 1 ? memberships[0]! : null;
}

/** The same error for an unknown account and for one of somebody else. */
function noSuchAccount(): ConnectError {
  return new ConnectError(say().refusals.noAccount, Code.NotFound);
}

function namesNoAccount(): ConnectError {
  return new ConnectError(say().refusals.severalAccounts, Code.InvalidArgument);
}

const HOLDER = createContextKey<{ holder: Holder; at: number } | null>(null);

/** For how long the holder that a gate found stands for a call, in milliseconds: a body may take a minute to arrive. */
const CARRIED_FOR_MS = 1_000;

/** Lays the holder that a gate has just found into its call, so that what answers it need not ask again. */
export function carryHolder(context: HandlerContext, holder: Holder): void {
  context.values.set(HOLDER, { holder, at: performance.now() });
}

/** Takes the holder out of the call: whoever asks once more, as streams do, wants to know whether it still is one. */
function takeHolder({ values }: HandlerContext): Holder | null {
  const carried = values.get(HOLDER);
  values.set(HOLDER, null);
  return carried !== null && performance.now() - carried.at < CARRIED_FOR_MS ? carried.holder : null;
}

/**
 * Returns the holder of a console token or session, whatever it gives access to. Throws UNAUTHENTICATED if it is not
 * valid.
 */
export async function holderOf(store: Store, pepper: Pepper, context: HandlerContext): Promise<Holder> {
  const secret = bearerOf(context.requestHeader);
  const holder = takeHolder(context) ?? (await findHolder(store, pepper, secret));
  if (holder === null) throw badToken(secret);
  // Only somebody with the secret gets here, so nobody else learns that it was ever valid.
  if (holder.endedAt !== null) {
    throw new ConnectError(say().refusals.tokenEnded(shownDate(holder.endedAt).toISOString()), Code.Unauthenticated);
  }
  return holder;
}

/** Returns the party that a secret authenticates, under whichever pepper it is stored; null for nobody. */
export async function findHolder(store: Store, pepper: Pepper, secret: string): Promise<Holder | null> {
  if (secret === '') return null;
  const found = await findHolders(store.pool, underEach(pepper, secret));
  return found.find(holder => holder !== null) ?? null;
}

async function isThere(store: Store, accountId: string, accounts: Accounts): Promise<boolean> {
  const em = store.orm.em.fork();
  if ((await em.count(Account, { id: accountId })) > 0) return true;
  return accounts === 'deleted_too' && (await em.count(DeletedAccount, { accountId })) > 0;
}

/**
 * Returns the same for one account. Throws like accessOf, and INVALID_ARGUMENT if the operator names no account.
 */
export async function accountAccessOf(
  store: Store,
  pepper: Pepper,
  context: HandlerContext,
  accounts: Accounts = 'living',
): Promise<AccountAccess> {
  const access = await accessOf(store, pepper, context, accounts);
  if (access.accountId !== null) return { ...access, accountId: access.accountId };
  throw new ConnectError(say().refusals.operatorNamesNone, Code.InvalidArgument);
}

/** Returns the account of a call if it does not matter who asks. Throws like accountAccessOf. */
export async function accountOf(store: Store, pepper: Pepper, context: HandlerContext): Promise<string> {
  return (await accountAccessOf(store, pepper, context)).accountId;
}

/**
 * Returns a function that makes RPC methods from functions of (request, who): before one runs, the caller is known to
 * have access to the account of the call. Throws like accountAccessOf.
 */
export function withAccess(store: Store, pepper: Pepper, accounts: Accounts = 'living') {
  return <Request, Response>(
    answer: (request: Request, who: AccountAccess, context: HandlerContext) => Response | Promise<Response>,
  ) =>
    async (request: Request, context: HandlerContext): Promise<Response> =>
      answer(request, await accountAccessOf(store, pepper, context, accounts), context);
}

import { randomUUID } from 'node:crypto';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import { Account } from './store/account.ts';
import { ConsoleToken } from './store/key.ts';
import { secretDigest } from './store/secret.ts';
import type { Store } from './store/store.ts';

/** The API key of a call, empty when there is none. Whether it is good is for the database to say. */
export function apiKeyOf(context: HandlerContext): string {
  return context.requestHeader.get('x-api-key') ?? '';
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-[0-9a-f]{16}-/;

/** The id of a call as a UUID: the trace id of `traceparent` (W3C), or a fresh one where there is none or it is malformed. */
export function traceIdOf(context: HandlerContext): string {
  const parts = TRACEPARENT.exec(context.requestHeader.get('traceparent') ?? '');
  return parts === null ? randomUUID() : parts.slice(1).join('-');
}

/** The one answer to every bad key: what is wrong with it is not for the caller to know (DECISIONS.md "401"). */
export function badKey(): ConnectError {
  return new ConnectError('The API key is missing or not valid.', Code.Unauthenticated);
}

/**
 * The account that a console token opens (DECISIONS.md "Who opens what"): its own, or for the operator's token the one
 * named in `x-tocsin-account`. Throws UNAUTHENTICATED without a good token, INVALID_ARGUMENT when the operator names no
 * account, NOT_FOUND when there is no such account.
 */
export async function accountOf(store: Store, pepper: string, context: HandlerContext): Promise<string> {
  const secret = /^Bearer +(\S+)$/i.exec(context.requestHeader.get('authorization') ?? '')?.[1] ?? '';
  const em = store.orm.em.fork();
  // No check of its shape: the operator may have chosen CONSOLE_TOKEN.
  const token =
    secret === '' ? null : await em.findOne(ConsoleToken, { digest: secretDigest(pepper, secret), revokedAt: null });
  if (token === null) {
    const wanted = 'Send "authorization: Bearer tcn_…" with a console token; an API key opens nothing here.';
    throw new ConnectError(`The console token is missing or not valid. ${wanted}`, Code.Unauthenticated);
  }
  if (token.accountId) return token.accountId;
  const named = context.requestHeader.get('x-tocsin-account');
  if (!named) {
    throw new ConnectError(
      "The operator's token needs the account in the metadata x-tocsin-account.",
      Code.InvalidArgument,
    );
  }
  if ((await em.count(Account, { id: named })) === 0) {
    throw new ConnectError('There is no account with the id that x-tocsin-account names.', Code.NotFound);
  }
  return named;
}

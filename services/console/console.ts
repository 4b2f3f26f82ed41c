import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { FindingSchema } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { type AccountAccess, type Accounts, accountAccessOf } from '../rpc/auth.ts';
import { unavailable } from '../rpc/unavailable.ts';
import type { Store } from '../store/store.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from './change.ts';
import { invalidFields } from './errors.ts';
import { type Page, placeOf } from './read.ts';
import type { ResourceKind } from './resource.ts';

export type FindingInit = MessageInitShape<typeof FindingSchema>;

/** What the services of the console stand on. */
export interface ConsoleOn extends ChangeOn {
  store: Store;
  /** KEY_PEPPER: under it tokens and keys are digested. */
  pepper: string;
  /** What stands against the sources that a thing concerns being ready, worst first. */
  findingsAbout(accountId: string, kind: ResourceKind, id: string): Promise<FindingInit[]>;
}

const PAGE = { most: 200, usual: 50 } as const;

/**
 * Answers a call that reads: within the account of its token, or the one of `accounts` that the operator names. A database that
 * is away is UNAVAILABLE.
 */
export async function reading<T>(
  on: Pick<ConsoleOn, 'store' | 'pepper'>,
  context: HandlerContext,
  read: (access: AccountAccess) => Promise<T>,
  accounts: Accounts = 'living',
): Promise<T> {
  try {
    return await read(await accountAccessOf(on.store, on.pepper, context, accounts));
  } catch (error) {
    return unavailable(error);
  }
}

/** Answers a call that changes: within the account of its token, under the account's lock, all or nothing. */
export function changing<T>(
  on: ConsoleOn,
  context: HandlerContext,
  work: (open: OpenAccount) => Promise<T>,
): Promise<T> {
  return reading(on, context, access => changeAccount(on, access, work));
}

/** What a list was asked for. Throws INVALID_ARGUMENT for a size or a token that is none. */
export function pageAsked({ pageSize, pageToken }: { pageSize: number; pageToken: string }) {
  if (pageSize < 0 || pageSize > PAGE.most) {
    throw invalidFields([{ field: 'pageSize', problem: `takes 0 to ${PAGE.most}, got ${pageSize}.` }]);
  }
  const after = placeOf(pageToken);
  if (after === null) {
    throw invalidFields([{ field: 'pageToken', problem: 'takes the next_page_token of the page before.' }]);
  }
  return { after, size: pageSize === 0 ? PAGE.usual : pageSize };
}

/** A page with each of its things as a message. */
export function pageOf<T, M>(page: Page<T>, view: (thing: T) => M): Page<M> {
  return { things: page.things.map(view), nextPageToken: page.nextPageToken };
}

/** The message that a request must hold. */
export function given<T>(message: T | undefined, field: string): T {
  if (message !== undefined) return message;
  throw invalidFields([{ field, problem: 'takes a message, got nothing.' }]);
}

/** What only the operator may do (DECISIONS.md "Who opens what"). */
export function operatorOnly(what: string): ConnectError {
  return new ConnectError(`${what} takes the operator's token, got an account's own.`, Code.PermissionDenied);
}

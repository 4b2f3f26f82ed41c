import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import type { FindingSchema } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { mismatch } from '../process/text.ts';
import { type AccountAccess, type Accounts, accountAccessOf } from '../rpc/auth.ts';
import type { Store } from '../store/store.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from './change.ts';
import { invalidField } from './errors.ts';
import type { ReadOn } from './read.ts';
import type { ResourceKind } from './resource.ts';

export type FindingInit = MessageInitShape<typeof FindingSchema>;

/** What the services of the console need. */
export interface ConsoleOn extends ChangeOn {
  store: Store;
  /** KEY_PEPPER, under which tokens and keys are digested. */
  pepper: string;
  /** Returns the readiness findings of the sources that a thing concerns, worst first. */
  findingsAbout(accountId: string, kind: ResourceKind, id: string): Promise<FindingInit[]>;
}

/** Answers a call that reads: within the account of its token, or the one of `accounts` that the operator names. */
export async function reading<T>(
  on: Pick<ConsoleOn, 'store' | 'pepper'>,
  context: HandlerContext,
  read: (access: AccountAccess) => Promise<T>,
  accounts: Accounts = 'living',
): Promise<T> {
  return read(await accountAccessOf(on.store, on.pepper, context, accounts));
}

/** Returns where to read an account outside of a change. */
export function readOnOf({ store, seal }: Pick<ConsoleOn, 'store' | 'seal'>, accountId: string): ReadOn {
  return { em: store.orm.em.fork(), accountId, seal };
}

/** Answers a call that changes: within the account of its token, under the account's lock, all or nothing. */
export function changing<T>(
  on: ConsoleOn,
  context: HandlerContext,
  work: (open: OpenAccount) => Promise<T>,
): Promise<T> {
  return reading(on, context, access => changeAccount(on, access, work));
}

/** Returns the message that a request must contain. */
export function given<T>(message: T | undefined, field: string): T {
  if (message !== undefined) return message;
  throw invalidField(field, 'a message', undefined);
}

/** The error for what only the operator may do (DECISIONS.md "Who opens what"). */
export function operatorOnly(what: string): ConnectError {
  return new ConnectError(`${what} ${mismatch("the operator's token", "an account's own")}`, Code.PermissionDenied);
}

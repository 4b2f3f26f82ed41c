import type { MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { FindingSchema } from '../../gen/tocsin/console/v1/readiness_pb.ts';
import { withAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import type { Pepper } from '../store/secret.ts';
import type { Store } from '../store/store.ts';
import type { OperatorAct } from '../words/owner/types.ts';
import { type ChangeOn, changeAccount, type OpenAccount } from './change.ts';
import { invalidField } from './errors.ts';
import type { ReadOn } from './read.ts';
import type { ResourceKind } from './resource.ts';

export type FindingInit = MessageInitShape<typeof FindingSchema>;

/** What the services of the console need. */
export interface ConsoleOn extends ChangeOn {
  store: Store;
  /** KEY_PEPPER, under which tokens and keys are digested. */
  pepper: Pepper;
  /** Returns the readiness findings of the sources that a thing concerns, worst first. */
  findingsAbout(accountId: string, kind: ResourceKind, id: string): Promise<FindingInit[]>;
  /** Returns the findings about the account itself. */
  findingsOfAccount(accountId: string): Promise<FindingInit[]>;
  /**
   * Asks owners of an account who were never asked to confirm their address. Returns the outcome of the first mail,
   * `under_way` if it takes long; empty if nobody was asked.
   */
  askOwners(accountId: string): Promise<string>;
}

/** Returns where to read an account outside of a change. */
export function readOnOf({ store, seal }: Pick<ConsoleOn, 'store' | 'seal'>, accountId: string): ReadOn {
  return { em: store.orm.em.fork(), accountId, seal };
}

/**
 * Returns a function that makes RPC methods from functions of (request, open): each changes the account of its call,
 * under the account's lock, all or nothing.
 */
export function changing(deps: ConsoleOn) {
  const asked = withAccess(deps.store, deps.pepper);
  return <Request, Response>(change: (request: Request, open: OpenAccount) => Promise<Response>) =>
    asked((request: Request, who) => changeAccount(deps, who, open => change(request, open)));
}

/** Returns the message that a request must contain. */
export function requireField<T>(message: T | undefined, field: string): T {
  if (message !== undefined) return message;
  throw invalidField(field, say().accepts.aMessage, undefined);
}

/** The error for what only the operator may do (DECISIONS.md "Who opens what"). */
export function operatorOnly(act: OperatorAct): ConnectError {
  return new ConnectError(say().refusals.operatorOnly(act), Code.PermissionDenied);
}

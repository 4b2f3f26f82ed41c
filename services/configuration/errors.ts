import { Code, ConnectError } from '@connectrpc/connect';
import type { z } from 'zod';
import { InUseSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import type { FieldFault } from '../rpc/fields.ts';
import { say } from '../rpc/reader.ts';
import type { Thing } from '../words/owner/types.ts';

export { type FieldFault, invalidField, invalidFields, mismatchOf } from '../rpc/fields.ts';

/** A thing that uses another. */
export interface ThingUser {
  kind: string;
  id: string;
  key: string;
  name: string;
}

/** How many users of a thing are named. */
const USERS_NAMED = 20;

/** Converts what zod found into paths and sentences. */
export function faultsOf(error: z.ZodError): FieldFault[] {
  return issuesOf(error).flatMap(issue => {
    const path = pathOf(issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ field: path, problem: issue.message }];
    return issue.keys.map(key => ({
      field: path === '' ? key : `${path}.${key}`,
      problem: say().accepts.noKnownField,
    }));
  });
}

/**
 * Returns what zod found, and in a field that takes one of several forms what is wrong in the form that was meant: the one
 * whose kind of value it is.
 */
export function issuesOf({ issues }: { issues: readonly z.core.$ZodIssue[] }): z.core.$ZodIssue[] {
  return issues.flatMap(issue => {
    if (issue.code !== 'invalid_union') return [issue];
    const meant = issue.errors.filter(
      form => !form.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
    );
    if (meant.length !== 1) return [issue];
    return issuesOf({ issues: meant[0]!.map(inner => ({ ...inner, path: [...issue.path, ...inner.path] })) });
  });
}

/** Formats `['modes', 1, 'windowS']` as `modes[1].windowS`. */
export function pathOf(path: readonly PropertyKey[]): string {
  return path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/**
 * The same error for what never existed, is gone, or belongs to somebody else. `near`: the account's own key that was
 * probably meant.
 */
export function noSuch(thing: Thing, near = ''): ConnectError {
  return new ConnectError(say().refusals.noSuch(thing, near), Code.NotFound);
}

export function keyTaken(thing: Thing, key: string): ConnectError {
  return new ConnectError(say().refusals.keyTaken(thing, key), Code.AlreadyExists);
}

export function changedMeanwhile(thing: Thing, read: number, now: number): ConnectError {
  return new ConnectError(say().refusals.changedMeanwhile(thing, read, now), Code.Aborted);
}

/** The error for more things of a kind than an account may have (DECISIONS.md "What an account may store"). */
export function thingsFull(thing: Thing, most: number): ConnectError {
  return new ConnectError(say().refusals.thingsFull(thing, most), Code.FailedPrecondition);
}

/** FAILED_PRECONDITION: the thing to be deleted is in use, and by what. */
export function inUse(thing: Thing, users: readonly ThingUser[]): ConnectError {
  const named = users.slice(0, USERS_NAMED);
  const message = say().refusals.inUse(thing, named, users.length - named.length);
  const details = [{ desc: InUseSchema, value: { users: named, total: users.length } }];
  return new ConnectError(message, Code.FailedPrecondition, undefined, details);
}

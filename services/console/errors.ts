import { Code, ConnectError } from '@connectrpc/connect';
import type { z } from 'zod';
import { InUseSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import type { FieldFault } from '../rpc/fields.ts';

export { type FieldFault, invalidField, invalidFields } from '../rpc/fields.ts';

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
  return error.issues.flatMap(issue => {
    const path = pathOf(issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ field: path, problem: issue.message }];
    return issue.keys.map(key => ({ field: path === '' ? key : `${path}.${key}`, problem: 'is not a known field.' }));
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
export function noSuch(word: string, near = ''): ConnectError {
  const meant = near === '' ? '.' : `: did you mean "${near}"?`;
  return new ConnectError(`There is no such ${word} in this account${meant}`, Code.NotFound);
}

export function keyTaken(word: string, key: string): ConnectError {
  const message = `The key "${key}" is taken by another ${word} of this account: choose another key.`;
  return new ConnectError(message, Code.AlreadyExists);
}

export function changedMeanwhile(word: string, read: number, now: number): ConnectError {
  const message = `This ${word} has version ${now}, the change was made for version ${read}: read it again, then change it.`;
  return new ConnectError(message, Code.Aborted);
}

/** FAILED_PRECONDITION: the thing to be deleted is in use, and by what. */
export function inUse(word: string, users: readonly ThingUser[]): ConnectError {
  const named = users.slice(0, USERS_NAMED);
  const by = named.map(({ kind, name, key }) => `${kind.replace('_', ' ')} "${name}" (${key})`);
  const more = users.length > named.length ? ` and ${users.length - named.length} more` : '';
  const message = `This ${word} is used by ${by.join(', ')}${more}: change those first.`;
  const details = [{ desc: InUseSchema, value: { users: named, total: users.length } }];
  return new ConnectError(message, Code.FailedPrecondition, undefined, details);
}

import { Code, ConnectError } from '@connectrpc/connect';
import { InvalidFieldsSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { invalidFields } from './errors.ts';

/*
 * A file writes people as a list, or turns as a map, in one place; a message has a field for each. Faults are found in what is
 * stored, as files write it, and said of a message by its own paths.
 */

/** Returns the path within a message of what a file has at `path`: `hours[0].who[1]` is `hours[0].who.contactIds[1]`. */
export function messagePath(path: string): string {
  return path
    .replace(/^(except\[\d+\])\.who/, '$1.contactIds')
    .replace(/^(hours\[\d+\]\.who|otherwise)(?=\[)/, '$1.contactIds')
    .replace(/^(hours\[\d+\]\.who|otherwise)\.(change|every|at|since)$/, '$1.turns.$2')
    .replace(/^(hours\[\d+\]\.who|otherwise)\.turns(?=\[|$)/, '$1.turns.contactIds');
}

/** Returns the same methods, which say what is wrong by the paths of the message. */
export function inMessagePaths<Methods extends object>(methods: Methods): Methods {
  const wrapped = Object.entries(methods).map(([name, method]) => [
    name,
    (...given: unknown[]) => Promise.resolve(method(...given)).catch(fault),
  ]);
  return Object.fromEntries(wrapped) as Methods;
}

function fault(error: unknown): never {
  if (!(error instanceof ConnectError) || error.code !== Code.InvalidArgument) throw error;
  // What was thrown here is not on the wire yet: its details are the messages themselves.
  const fields = error.details.flatMap(detail =>
    'desc' in detail && detail.desc.typeName === InvalidFieldsSchema.typeName
      ? (detail.value as { fields: { field: string; problem: string }[] }).fields
      : [],
  );
  if (fields.length === 0) throw error;
  throw invalidFields(fields.map(({ field, problem }) => ({ field: messagePath(field), problem })));
}

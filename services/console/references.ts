import { shown } from '../process/text.ts';
import type { FieldFault } from './errors.ts';
import { nearKey } from './no-such.ts';
import { type ReadOn, readKeys } from './read.ts';
import type { Document, ReferredKind, Resource } from './resource.ts';
import { resourceOf } from './resources.ts';

/** A new or changed thing, as far as what it names is concerned. */
export interface Naming {
  resource: Resource;
  id: string;
  after: Document;
}

/**
 * Puts ids in the place of keys, and says what is named and is not there. What is made in the same change may be named by
 * its id. Belongs under the account's lock.
 */
export async function takeReferences(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  namings: readonly Naming[],
): Promise<FieldFault[]> {
  const references = namings.flatMap(({ resource, after }) => resource.references(after));
  const faults: FieldFault[] = [];
  for (const [kind, named] of Map.groupBy(references, ({ kind }) => kind)) {
    const living = await livingOf(on, resourceOf(kind), [...new Set(named.map(one => one.named))]);
    for (const { resource, id, after } of namings) {
      if (resource.kind === kind) for (const name of [after.key, id]) living.set(name, id);
    }
    for (const reference of named) {
      const id = living.get(reference.named);
      if (id !== undefined) reference.take(id);
      else {
        const near = await nearKey(on, resourceOf(kind), reference.named);
        faults.push({ field: reference.path, problem: unknownReference(kind, reference.named, near) });
      }
    }
  }
  return faults;
}

function unknownReference(kind: ReferredKind, named: string, near: string): string {
  const meant = near === '' ? '' : ` Did you mean ${shown(near)}?`;
  return `takes the id or the key of ${kind === 'alarm' ? 'an' : 'a'} ${kind} of this account, got ${shown(named)}.${meant}`;
}

/** What is named, by id and by key; an id goes before an equal key. */
async function livingOf(
  on: Pick<ReadOn, 'em' | 'accountId'>,
  resource: Resource,
  named: string[],
): Promise<Map<string, string>> {
  const rows = await readKeys(on, resource, { $or: [{ id: { $in: named } }, { key: { $in: named } }] });
  return new Map([...rows.map(({ id, key }) => [key, id] as const), ...rows.map(({ id }) => [id, id] as const)]);
}

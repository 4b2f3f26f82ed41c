import { type AccountDoc, docOf, readAccount } from '../account-view.ts';
import { type ReadOn, readAll } from '../read.ts';
import type { ResourceKind, Stored } from '../resource.ts';
import type { ApiKeyDoc } from '../resources/api-key.ts';
import { resourceOf } from '../resources.ts';
import { fileName, LISTED_REFERENCES, REFERENCES, SECTIONS } from './schema.ts';

/** An account as it is stored. */
export interface StoredAccount {
  account: AccountDoc;
  /** By kind and key, in the order of creation, without revoked API keys. */
  things: ReadonlyMap<ResourceKind, ReadonlyMap<string, Stored>>;
  /** Revoked keys are kept for the calls they made and are not part of a configuration. */
  revoked: readonly Stored<ApiKeyDoc>[];
}

/** Reads everything a file can describe. Call it in one transaction. */
export async function readStored(deps: ReadOn): Promise<StoredAccount> {
  const account = docOf(await readAccount(deps.em, deps.accountId, deps.seal));
  const all = new Map<ResourceKind, Stored[]>();
  for (const kind of Object.values(SECTIONS)) all.set(kind, await readAll(deps, resourceOf(kind)));
  const byKey = (things: Stored[]) =>
    new Map(things.filter(one => !isRevoked(one)).map(one => [one.doc.key, one] as const));
  return {
    account,
    things: new Map([...all].map(([kind, things]) => [kind, byKey(things)])),
    revoked: all.get('api_key')!.filter(isRevoked) as Stored<ApiKeyDoc>[],
  };
}

/** Only API keys have a status. */
function isRevoked({ facts }: Stored): boolean {
  return facts.status === 'revoked';
}

/** The ids of the things of each kind, by key. */
export type Ids = ReadonlyMap<ResourceKind, ReadonlyMap<string, string>>;

/** Finds the key of a thing by its id. */
export type KeyOf = (id: string) => string;

/** Returns the keys of what is stored, and of what else has an id already. */
export function keysOf({ things }: StoredAccount, ids: Ids = new Map()): KeyOf {
  const keys = new Map<string, string>();
  for (const ofKind of ids.values()) for (const [key, id] of ofKind) keys.set(id, key);
  for (const ofKind of things.values()) for (const [key, { id }] of ofKind) keys.set(id, key);
  return id => keys.get(id) ?? id;
}

/** Returns a document in the words of the file: other things by key, under the file's names. */
export function inFileWords(value: unknown, keyOf: KeyOf): unknown {
  if (Array.isArray(value)) return value.map(one => inFileWords(one, keyOf));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([field, one]) => {
    if (Object.hasOwn(LISTED_REFERENCES, field) && Array.isArray(one)) return [field, one.map(keyOf)];
    if (!Object.hasOwn(REFERENCES, field)) return [field, inFileWords(one, keyOf)];
    return [fileName(field), one === '' ? '' : keyOf(one)];
  });
  return Object.fromEntries(fields);
}

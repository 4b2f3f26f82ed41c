import { type AccountDoc, docOf, readAccount } from '../account-view.ts';
import { type ReadOn, readAll } from '../read.ts';
import type { ResourceKind, Stored } from '../resource.ts';
import type { ApiKeyDoc } from '../resources/api-key.ts';
import { resourceOf } from '../resources.ts';
import { fileName, LISTED_REFERENCES, REFERENCES, SECTIONS } from './schema.ts';

/** An account as it is stored. */
export interface StoredAccount {
  account: AccountDoc;
  /** By kind in the order of creation, without revoked API keys. */
  things: Map<ResourceKind, Stored[]>;
  /** Revoked keys are kept for the calls they made and are not part of a configuration. */
  revoked: Stored<ApiKeyDoc>[];
}

/** Reads everything a file can describe. Call it in one transaction. */
export async function readStored(deps: ReadOn): Promise<StoredAccount> {
  const account = docOf(await readAccount(deps.em, deps.accountId, deps.seal));
  const things = new Map<ResourceKind, Stored[]>();
  for (const kind of Object.values(SECTIONS)) things.set(kind, await readAll(deps, resourceOf(kind)));
  const keys = things.get('api_key') as unknown as Stored<ApiKeyDoc>[];
  things.set('api_key', keys.filter(key => !isRevoked(key)) as unknown as Stored[]);
  return { account, things, revoked: keys.filter(isRevoked) };
}

function isRevoked({ facts }: Stored<ApiKeyDoc>): boolean {
  return facts.status === 'revoked';
}

/** Finds the key of a thing by its id. */
export type KeyOf = (id: string) => string;

/** Returns the keys of what is stored, and of what else has an id already. */
export function keysOf(account: StoredAccount, more: ReadonlyMap<string, string> = new Map()): KeyOf {
  const keys = new Map(more);
  for (const stored of account.things.values()) for (const { id, doc } of stored) keys.set(id, doc.key);
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

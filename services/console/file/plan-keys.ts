import type { NounKind, Stored } from '../noun.ts';
import type { ApiKeyDoc } from '../nouns/api-key.ts';
import { type Difference, differences, referenceOf } from './differences.ts';
import { type SecretChange, secretChanges } from './key-secrets.ts';
import type { Plan, Within } from './plan.ts';
import type { Problem } from './problem.ts';
import type { Ids } from './references.ts';
import type { FileThing } from './things.ts';

/** What is stored, as far as API keys are concerned. */
interface Known {
  ids: Ids;
  byKey: ReadonlyMap<NounKind, Map<string, Stored>>;
  revoked: readonly Stored<ApiKeyDoc>[];
}

/**
 * What is special about API keys (DECISIONS.md "Key format"): their reach is fixed, their secrets are rotated and not
 * changed, and a revoked one gives its key away when the file makes another one of that key.
 */
export async function planKeys(
  { on, pepper, accountId }: Within,
  things: readonly FileThing[],
  { ids, byKey, revoked }: Known,
  plan: Plan,
): Promise<{ problems: Problem[] }> {
  const keys = things
    .filter(({ kind }) => kind === 'api_key')
    .map(thing => {
      const before = byKey.get('api_key')!.get(thing.key) as Stored<ApiKeyDoc> | undefined;
      const isNew: 'new' | 'known' = before === undefined ? 'new' : 'known';
      return { thing, id: ids.get('api_key')!.get(thing.key)!, before, isNew };
    });
  const moved = keys.filter(({ thing, before }) => before && before.doc.alarmId !== docOf(thing).alarmId);
  const { changes, problems } = await secretChanges(on, pepper, accountId, keys);
  for (const { thing, id, isNew } of keys) {
    planSecret(thing, id, changes.get(id) ?? 'as_it_was', plan);
    if (isNew === 'new') freeKey(thing.key, revoked, plan);
  }
  return { problems: [...problems, ...moved.map(({ thing }) => reachIsFixed(thing))] };
}

function docOf(thing: FileThing): ApiKeyDoc {
  return thing.doc as ApiKeyDoc;
}

function reachIsFixed({ field, named, line, column }: FileThing): Problem {
  const place = named.find(({ kind }) => kind === 'alarm') ?? { line, column };
  const problem =
    'cannot change: the reach of a key is fixed when it is made. Make another key, with another key here.';
  return { line: place.line, column: place.column, field: `${field}.alarm`, problem, didYouMean: '' };
}

function planSecret(thing: FileThing, keyId: string, change: SecretChange, plan: Plan): void {
  if (change === 'as_it_was') return;
  const { label } = docOf(thing);
  plan.secrets.push({ keyId, key: thing.key, label, change, chosen: thing.secret });
  if (change !== 'another') return;
  const after = JSON.stringify(referenceOf(thing.secret!.reference));
  const field: Difference = { field: 'secret', before: '"…"', after };
  const shown = plan.changes.find(({ id }) => id === keyId);
  if (shown !== undefined) shown.fields.push(field);
  else
    plan.changes.push({ action: 'update', kind: 'api_key', key: thing.key, id: keyId, name: label, fields: [field] });
}

function freeKey(key: string, revoked: readonly Stored<ApiKeyDoc>[], plan: Plan): void {
  const before = revoked.find(({ doc }) => doc.key === key);
  if (before === undefined) return;
  const after: ApiKeyDoc = { ...before.doc, key: `${key.slice(0, 54)}-${before.id.slice(0, 8)}` };
  plan.freed.push({ id: before.id, before: before.doc, after });
  const fields = differences({ key }, { key: after.key }, {});
  plan.changes.push({ action: 'update', kind: 'api_key', key: after.key, id: before.id, name: after.label, fields });
}

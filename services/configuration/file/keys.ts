import { say } from '../../rpc/reader.ts';
import { isGuessableSecret, type Pepper, underEach } from '../../store/secret.ts';
import { type Connection, run, type Statement } from '../../store/statement.ts';
import type { ResourceKind, Stored } from '../resource.ts';
import type { ApiKeyDoc } from '../resources/api-key.ts';
import type { Diff, Ids, SecretChange, Within } from './diff.ts';
import { type Difference, differences, referenceOf } from './differences.ts';
import { type Problem, problemAt } from './problem.ts';
import type { FileThing } from './things.ts';

/** What is stored about API keys. */
interface Known {
  ids: Ids;
  byKey: ReadonlyMap<ResourceKind, Map<string, Stored>>;
  revoked: readonly Stored<ApiKeyDoc>[];
}

/**
 * The special rules of API keys (DECISIONS.md "Key format"): their reach is fixed, their secrets are rotated and not
 * changed, and a revoked key gives up its key when the file creates another with it.
 */
export async function diffKeys(
  { client, pepper, accountId }: Within,
  things: readonly FileThing[],
  { ids, byKey, revoked }: Known,
  diff: Diff,
): Promise<{ problems: Problem[] }> {
  const keys = things
    .filter(({ kind }) => kind === 'api_key')
    .map(thing => {
      const before = byKey.get('api_key')!.get(thing.key) as Stored<ApiKeyDoc> | undefined;
      const isNew: 'new' | 'known' = before === undefined ? 'new' : 'known';
      return { thing, id: ids.get('api_key')!.get(thing.key)!, before, isNew };
    });
  const moved = keys.filter(({ thing, before }) => before && before.doc.alarmId !== docOf(thing).alarmId);
  const { changes, problems } = await secretChanges(client, pepper, accountId, keys);
  for (const { thing, id, isNew } of keys) {
    diffSecret(thing, id, changes.get(id) ?? 'as_it_was', diff);
    if (isNew === 'new') freeKey(thing.key, revoked, diff);
  }
  return { problems: [...problems, ...moved.map(({ thing }) => reachIsFixed(thing))] };
}

function docOf(thing: FileThing): ApiKeyDoc {
  return thing.doc as ApiKeyDoc;
}

function reachIsFixed(thing: FileThing): Problem {
  const place = thing.named.find(({ kind }) => kind === 'alarm') ?? thing;
  return problemAt(place, `${thing.field}.alarm`, say().file.reachIsFixed);
}

function diffSecret(thing: FileThing, keyId: string, change: SecretChange, diff: Diff): void {
  if (change === 'as_it_was') return;
  const { label } = docOf(thing);
  diff.secrets.push({ keyId, key: thing.key, label, change, chosen: thing.secret });
  if (change !== 'another') return;
  const after = JSON.stringify(referenceOf(thing.secret!.reference));
  const field: Difference = { field: 'secret', before: '"…"', after };
  const shown = diff.changes.find(({ id }) => id === keyId);
  if (shown !== undefined) shown.fields.push(field);
  else
    diff.changes.push({ action: 'update', kind: 'api_key', key: thing.key, id: keyId, name: label, fields: [field] });
}

function freeKey(key: string, revoked: readonly Stored<ApiKeyDoc>[], diff: Diff): void {
  const before = revoked.find(({ doc }) => doc.key === key);
  if (before === undefined) return;
  const after: ApiKeyDoc = { ...before.doc, key: `${key.slice(0, 54)}-${before.id.slice(0, 8)}` };
  diff.freed.push({ id: before.id, before: before.doc, after });
  const fields = differences({ key }, { key: after.key }, {});
  diff.changes.push({ action: 'update', kind: 'api_key', key: after.key, id: before.id, name: after.label, fields });
}

const takenStatement: Statement<{ digest: string; key_id: string; state: 'living' | 'ended' }> = {
  name: 'taken_key_secrets',
  // A secret belongs to one key of the whole deployment, so this query cannot be limited to one account; it reveals
  // nothing about others.
  text: `
SELECT encode(digest, 'hex') AS digest, CASE account_id WHEN $1 THEN key_id ELSE '' END AS key_id,
  CASE WHEN ends_at IS NULL OR ends_at > tocsin_now() THEN 'living' ELSE 'ended' END AS state
FROM api_key_secret WHERE digest = ANY ($2::bytea[])`,
};

/** Decides what happens to the secret of each API key, by the key's id, and which secrets cannot be used. */
async function secretChanges(
  db: Connection,
  pepper: Pepper,
  accountId: string,
  keys: readonly { thing: FileThing; id: string; isNew: 'new' | 'known' }[],
): Promise<{ changes: Map<string, SecretChange>; problems: Problem[] }> {
  const digests = new Map(
    keys.flatMap(({ thing, id }) => (thing.secret ? [[id, underEach(pepper, thing.secret.secret)] as const] : [])),
  );
  const rows = digests.size === 0 ? [] : await run(db, takenStatement, [accountId, [...digests.values()].flat()]);
  const taken = new Map(rows.map(row => [row.digest, row]));

  const changes = new Map<string, SecretChange>();
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const { thing, id, isNew } of keys) {
    const ofThis = digests.get(id)?.map(each => each.toString('hex'));
    const digest = ofThis?.[0];
    if (ofThis === undefined || digest === undefined) {
      changes.set(id, isNew === 'new' ? 'minted' : 'as_it_was');
      continue;
    }
    const had = ofThis.map(each => taken.get(each)).find(row => row !== undefined);
    if (had?.key_id === id && had.state === 'living' && !seen.has(digest)) changes.set(id, 'as_it_was');
    else if (had !== undefined || seen.has(digest)) problems.push(alreadyHad(thing));
    // A stored secret stays valid, because cameras call with it.
    else if (isGuessableSecret(thing.secret!.secret)) problems.push(guessable(thing));
    else changes.set(id, isNew === 'new' ? 'first' : 'another');
    seen.add(digest);
  }
  return { changes, problems };
}

function alreadyHad(thing: FileThing): Problem {
  return atSecret(thing, say().file.secretHad(thing.secret!.reference));
}

function guessable(thing: FileThing): Problem {
  return atSecret(thing, say().file.secretGuessable(thing.secret!.reference));
}

function atSecret({ field, secret }: FileThing, problem: string): Problem {
  return problemAt(secret!, `${field}.secret`, problem);
}

import { say } from '../../rpc/reader.ts';
import { isGuessableSecret, underEach } from '../../store/secret.ts';
import { run, type Statement } from '../../store/statement.ts';
import type { Stored } from '../resource.ts';
import type { ApiKeyDoc } from '../resources/api-key.ts';
import type { Diff, KeySecret, Within } from './diff.ts';
import { type Difference, differences, referenceOf } from './differences.ts';
import { problemAt } from './problem.ts';
import type { Ids, StoredAccount } from './stored.ts';
import type { ChosenSecret, FileThing } from './things.ts';

/**
 * The special rules of API keys (DECISIONS.md "Key format"): their reach is fixed, their secrets are rotated and not
 * changed, and a revoked key gives up its key when the file creates another with it.
 */
export async function diffKeys(
  within: Within,
  things: readonly FileThing[],
  { things: stored, revoked }: StoredAccount,
  ids: Ids,
  diff: Diff,
): Promise<void> {
  const keys = things.filter(({ kind }) => kind === 'api_key');
  const holderOf = await readHolders(within, keys);
  const seen = new Set<string>();
  for (const thing of keys) {
    const { key, field, secret } = thing;
    const id = ids.get('api_key')!.get(key)!;
    const before = stored.get('api_key')!.get(key) as Stored<ApiKeyDoc> | undefined;
    if (before && before.doc.alarmId !== docOf(thing).alarmId) {
      const place = thing.named.find(({ kind }) => kind === 'alarm') ?? thing;
      diff.problems.push(problemAt(place, `${field}.alarm`, say().file.reachIsFixed));
    }
    if (secret === null) {
      if (before === undefined) diffSecret(thing, id, 'minted', diff);
    } else {
      const holder = seen.has(secret.secret) ? ANOTHER : holderOf(secret);
      seen.add(secret.secret);
      // A stored secret stays valid, because cameras call with it.
      const refusal = holder === id ? null : refusalOf(secret, holder);
      if (refusal !== null) diff.problems.push(problemAt(secret, `${field}.secret`, refusal));
      else if (holder !== id) diffSecret(thing, id, before === undefined ? 'first' : 'another', diff);
    }
    if (before === undefined) freeKey(key, revoked, diff);
  }
}

function docOf(thing: FileThing): ApiKeyDoc {
  return thing.doc as ApiKeyDoc;
}

/** Returns why a secret that is not stored yet cannot be given to a key; null if it can. */
function refusalOf({ reference, secret }: ChosenSecret, holder: string | null): string | null {
  if (holder !== null) return say().file.secretHad(reference);
  return isGuessableSecret(secret) ? say().file.secretGuessable(reference) : null;
}

function diffSecret(thing: FileThing, keyId: string, change: KeySecret['change'], diff: Diff): void {
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

/** Instead of the key that has a secret: one of another account, one that has it no more, or one above it in the file. */
const ANOTHER = '';

const holdersStatement: Statement<{ digest: string; holder: string }> = {
  name: 'key_secret_holders',
  // A secret belongs to one key of the whole deployment, so this query cannot be limited to one account; it reveals
  // nothing about others.
  text: `
SELECT encode(digest, 'hex') AS digest,
  CASE WHEN account_id = $1 AND (ends_at IS NULL OR ends_at > tocsin_now()) THEN key_id ELSE '' END AS holder
FROM api_key_secret WHERE digest = ANY ($2::bytea[])`,
};

/**
 * Reads which keys have or had the secrets of the file. The function returns the id of the key that has a secret, or
 * ANOTHER; null if none ever had it.
 */
async function readHolders(
  { client, pepper, accountId }: Within,
  keys: readonly FileThing[],
): Promise<(of: ChosenSecret) => string | null> {
  const digests = keys.flatMap(({ secret }) => (secret === null ? [] : underEach(pepper, secret.secret)));
  const rows = digests.length === 0 ? [] : await run(client, holdersStatement, [accountId, digests]);
  const holders = new Map(rows.map(({ digest, holder }) => [digest, holder]));
  return ({ secret }) => {
    const found = underEach(pepper, secret).map(digest => holders.get(digest.toString('hex')));
    return found.find(holder => holder !== undefined) ?? null;
  };
}

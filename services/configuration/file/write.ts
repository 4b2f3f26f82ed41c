import { ApiKey } from '../../store/entities/key.ts';
import type { Pepper } from '../../store/secret.ts';
import { writeAccount } from '../account-changes.ts';
import { revokeKey } from '../api-keys.ts';
import type { OpenAccount } from '../change.ts';
import { addSecret, endOtherSecrets } from '../secrets.ts';
import type { Diff, KeySecret } from './diff.ts';

/** The secret of a new key, to be shown once. */
export interface NewSecret {
  key: string;
  label: string;
  secret: string;
}

/** Does everything in a diff, in the transaction of `open`. Returns the secrets that were created. */
export async function writeDiff(
  open: OpenAccount,
  pepper: Pepper,
  diff: Diff,
  progress: (done: number) => void,
): Promise<NewSecret[]> {
  if (diff.account !== null) await writeAccount(open, pepper, diff.account.before, diff.account.after);
  for (const key of diff.revoked) await revokeKey(open, key);
  for (const one of diff.freed) await freeKey(open, one);
  await open.write(diff.edits, progress);
  const minted: NewSecret[] = [];
  for (const one of diff.secrets) {
    const secret = await giveSecret(open, pepper, one);
    if (one.change === 'minted') minted.push({ key: one.key, label: one.label, secret });
  }
  return minted;
}

/** Not an edit: what a revoked key reaches may be gone, but the key keeps referring to it. */
async function freeKey(open: OpenAccount, { id, before, after }: Diff['freed'][number]): Promise<void> {
  await open.em.nativeUpdate(ApiKey, { accountId: open.accountId, id }, { key: after.key });
  await open.record({ kind: 'api_key', thingId: id, name: after.label, action: 'update', before, after });
}

/** A key that had another secret loses it at once: the file decides which one is valid. */
async function giveSecret(open: OpenAccount, pepper: Pepper, { keyId, key, label, change, chosen }: KeySecret) {
  const of = { ...open, keyId, pepper };
  const secret = await addSecret(of, chosen?.secret);
  if (change !== 'another') return secret;
  await endOtherSecrets(of, secret, 0);
  const named = { kind: 'api_key' as const, thingId: keyId, name: label, action: 'rotate' as const };
  await open.record({ ...named, before: { key, label }, after: { key, label, overlapS: 0 } });
  return secret;
}

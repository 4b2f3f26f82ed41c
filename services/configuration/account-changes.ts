import { isDeepStrictEqual } from 'node:util';
import type { Account as AccountMessage } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { capChange } from '../domain/spend.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { Account } from '../store/entities/account.ts';
import { rowsOf, saveRows } from '../store/save-rows.ts';
import type { Seal } from '../store/seal.ts';
import type { Pepper } from '../store/secret.ts';
import {
  type AccountDoc,
  accountFields,
  docOf,
  readAccount,
  type StoredAccount,
  sealedAccount,
} from './account-view.ts';
import type { OpenAccount } from './change.ts';
import { operatorOnly } from './console.ts';
import { changedMeanwhile } from './errors.ts';
import { addOwnerNamed } from './new-member.ts';

/**
 * Updates the open account as asked; another plan switches sources off and on at once. `mask`: the fields named. Throws
 * ABORTED (it was changed meanwhile), PERMISSION_DENIED (only the operator may change that) and INVALID_ARGUMENT.
 */
export async function updateAccount(
  open: OpenAccount,
  pepper: Pepper,
  { token }: Pick<AccountAccess, 'token'>,
  asked: AccountMessage,
  mask: readonly string[],
): Promise<StoredAccount> {
  // Read on the connection of the change: another one might be held by somebody waiting for its lock.
  const before = await readAccount(open.em, open.accountId, open.seal);
  if (asked.version !== before.version) throw changedMeanwhile('account', asked.version, before.version);
  const was = docOf(before);
  const after = accountFields(asked, mask, was);
  if (token !== 'operator') refuseOperators(was, after);
  if (isDeepStrictEqual(after, was)) return before;
  await writeAccount(open, pepper, was, after);
  if (after.plan !== was.plan) await open.applyPlan();
  return readAccount(open.em, open.accountId, open.seal);
}

/**
 * Writes the open account with its audit entry, and makes whom another email of its owner names a member. The caller
 * switches sources for another plan.
 */
export async function writeAccount(
  open: OpenAccount,
  pepper: Pepper,
  before: AccountDoc,
  after: AccountDoc,
): Promise<void> {
  await saveRows(open.client, open.em, [rowOf(open.accountId, after, open.seal)]);
  const row = { kind: 'account', thingId: open.accountId, name: after.name, action: 'update' } as const;
  await open.record({ ...row, before: sealedAccount(before, open.seal), after: sealedAccount(after, open.seal) });
  // Only then: whoever was removed since it was set stays removed.
  if (after.ownerEmail !== before.ownerEmail) await addOwnerNamed(open, pepper, after.ownerEmail);
}

/**
 * Changes that need the operator's token (DECISIONS.md "Spending cap", "Spending ceiling"). Throws PERMISSION_DENIED.
 */
function refuseOperators(was: AccountDoc, after: AccountDoc): void {
  if (after.plan !== was.plan) throw operatorOnly('change_plan');
  if (after.dailySpendCeilingCents !== was.dailySpendCeilingCents) throw operatorOnly('change_ceiling');
  if (capChange(was.dailySpendCapCents, after.dailySpendCapCents) === 'raised') {
    throw operatorOnly('raise_cap');
  }
}

/** The row of an account with this id. */
export function rowOf(id: string, { ownerEmail, ...doc }: AccountDoc, seal: Seal) {
  return rowsOf(Account, [{ id, ...doc, ownerEmail: ownerEmail === '' ? null : seal.seal(ownerEmail) }]);
}

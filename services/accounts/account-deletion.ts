import { setTimeout } from 'node:timers/promises';
import { Code, ConnectError } from '@connectrpc/connect';
import type { PoolClient } from 'pg';
import { docOf, readAccount, sealedAccount } from '../configuration/account-view.ts';
import { writeAudit } from '../configuration/audit-rows.ts';
import type { ConsoleOn } from '../configuration/console.ts';
import { inUse } from '../configuration/errors.ts';
import { applyFile } from '../configuration/file/apply.ts';
import type { AccountAccess } from '../rpc/auth.ts';
import { say } from '../rpc/reader.ts';
import { inTransaction } from '../store/statement.ts';
import { managerWithin } from '../store/store.ts';
import type { OwnerWords } from '../words/owner/words.ts';
import {
  deleteAccountRow,
  heldByAccount,
  lastAccepted,
  liveInAccount,
  lockAccount,
  stillGoingOn,
} from './statements/account-deletion.ts';

/** How long to wait for what is still going on in an account, and between two looks, in milliseconds. */
const PATIENCE_MS = 3_000;
const AGAIN_MS = 50;

/** A file that names nothing: whoever prunes by it has deleted and revoked everything. */
const EMPTY = { text: 'version: 1', prune: 'prune', secrets: {} } as const;

/**
 * Deletes an account with all its things and tokens. Tombstones, revoked keys, history and audit outlive it until they
 * are erased (DECISIONS.md "Deleting an account"). Waits for the consequences of deleting its things (an open incident
 * that closes, calls accepted before), so that nothing of the account moves any more. Throws FAILED_PRECONDITION with
 * its live alarms and panic buttons unless they may go too, and UNAVAILABLE if something is still going on.
 */
export async function deleteAccount(
  on: ConsoleOn,
  access: AccountAccess,
  contents: 'unless_live' | 'live_too',
): Promise<void> {
  const live = contents === 'live_too' ? [] : await liveInAccount(on.pool, access.accountId);
  if (live.length > 0) throw inUse('account', live);
  await applyFile(on, access, EMPTY, () => {});
  const upTo = await lastAccepted(on.pool);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const goingOn = await inTransaction(on.pool, client => deleteWithin(client, on, access, upTo));
    if (goingOn === 'nothing') return;
    if (performance.now() > until) throw notOver(goingOn);
    await setTimeout(AGAIN_MS);
  }
}

/** Returns what is still going on; if anything is, the account stays. */
async function deleteWithin(
  client: PoolClient,
  { orm, seal }: Pick<ConsoleOn, 'orm' | 'seal'>,
  { accountId, actor }: AccountAccess,
  upTo: string,
) {
  await lockAccount(client, accountId);
  await refuseHeld(client, accountId);
  const goingOn = await stillGoingOn(client, accountId, upTo);
  if (goingOn !== 'nothing') return goingOn;
  const em = managerWithin(orm, client);
  const was = docOf(await readAccount(em, accountId, seal));
  const before = sealedAccount(was, seal);
  const row = { kind: 'account', thingId: accountId, name: was.name, action: 'delete' } as const;
  await writeAudit({ client, em, accountId }, actor, [{ ...row, before, after: null }]);
  await deleteAccountRow(client, accountId);
  return goingOn;
}

async function refuseHeld(on: ConsoleOn['pool'] | PoolClient, accountId: string): Promise<void> {
  const held = await heldByAccount(on, accountId);
  if (held.length > 0) throw inUse('account', held);
}

function notOver(goingOn: Parameters<OwnerWords['refusals']['notOver']>[0]): ConnectError {
  return new ConnectError(say().refusals.notOver(goingOn), Code.Unavailable);
}

import type { AccountAccess } from '../auth.ts';
import { newId } from '../store/id.ts';
import { inTransaction, run, type Statement } from '../store/statement.ts';
import { type AccountDoc, type AccountRow, readAccount } from './account-view.ts';
import { writeAudit } from './audit-rows.ts';
import type { ConsoleOn } from './console.ts';
import { inUse, type ThingUser } from './errors.ts';
import { mintToken } from './tokens.ts';

const makeStatement: Statement<never> = {
  name: 'make_account',
  text: 'INSERT INTO account (id, name, plan, created_at) VALUES ($1, $2, $3, tocsin_now())',
};

/** Makes an account with its first console token, which is given back to be shown once. */
export async function createAccount(
  on: ConsoleOn,
  actor: string,
  asked: AccountDoc,
): Promise<{ row: AccountRow; token: string }> {
  const accountId = newId();
  // Answered from its own transaction: a look afterwards that fails would lose the token, which is shown this once.
  return inTransaction(on.pool, async client => {
    await run(client, makeStatement, [accountId, asked.name, asked.plan]);
    const row = { kind: 'account' as const, thing_id: accountId, name: asked.name, action: 'create' as const };
    const { row: first, secret: token } = await mintToken(client, on.pepper, accountId, 'Owner');
    await writeAudit(client, accountId, actor, [
      { ...row, before: null, after: asked },
      { ...row, kind: 'token', thing_id: first.id, name: first.label, before: null, after: { label: first.label } },
    ]);
    return { row: await readAccount(client, accountId), token };
  });
}

const lockStatement: Statement<{ id: string }> = {
  name: 'lock_account_to_delete',
  text: 'SELECT id FROM account WHERE id = $1 FOR UPDATE',
};

/** What an account still holds. History counts: an account in which anything ever happened is not deleted. */
const heldStatement: Statement<ThingUser> = {
  name: 'held_by_account',
  text: `
SELECT 'location' AS kind, id, key, name FROM location WHERE account_id = $1
UNION ALL SELECT CASE kind WHEN 'panic' THEN 'panic_button' ELSE 'alarm' END, id, key, name FROM source WHERE account_id = $1
UNION ALL SELECT 'contact', id, key, name FROM contact WHERE account_id = $1
UNION ALL SELECT 'policy', id, key, name FROM policy WHERE account_id = $1
UNION ALL SELECT 'api_key', id, key, label FROM api_key WHERE account_id = $1
LIMIT 1000`,
};

/** Removes an account that holds nothing, its tokens and its audit with it. Throws FAILED_PRECONDITION with what it holds. */
export async function deleteAccount(on: ConsoleOn, { accountId }: AccountAccess): Promise<void> {
  await inTransaction(on.pool, async client => {
    await run(client, lockStatement, [accountId]);
    const held = await run(client, heldStatement, [accountId]);
    if (held.length > 0) throw inUse('account', held);
    await client.query('DELETE FROM console_token WHERE account_id = $1', [accountId]);
    await client.query('DELETE FROM account WHERE id = $1', [accountId]);
  });
}

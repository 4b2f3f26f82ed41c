import { mintToken } from '../access/tokens.ts';
import { rowOf } from '../configuration/account-changes.ts';
import { type AccountDoc, readAccount, type StoredAccount, sealedAccount } from '../configuration/account-view.ts';
import { type AuditRow, writeAudit } from '../configuration/audit-rows.ts';
import type { ConsoleOn } from '../configuration/console.ts';
import { addOwnerNamed } from '../configuration/new-member.ts';
import type { Actor } from '../domain/actor.ts';
import { newId } from '../store/id.ts';
import { saveRows } from '../store/save-rows.ts';
import { inTransaction } from '../store/statement.ts';
import { managerWithin } from '../store/store.ts';

/** For the person the operator gives the account to. */
const FIRST_TOKEN = { label: 'Owner', expiresAt: '' };

/** Creates an account with its first console token, which is returned to be shown once. */
export async function createAccount(
  deps: ConsoleOn,
  actor: Actor,
  asked: AccountDoc,
): Promise<{ account: StoredAccount; token: string }> {
  const accountId = newId();
  // Answer from the same transaction: if a later read failed, the token, which is shown only once, would be lost.
  return inTransaction(deps.pool, async client => {
    const em = managerWithin(deps.orm, client);
    const within = { client, em, accountId };
    await saveRows(client, em, [rowOf(accountId, asked, deps.seal)]);
    const row = { kind: 'account' as const, thingId: accountId, name: asked.name, action: 'create' as const };
    const { row: first, secret: token } = await mintToken(within, deps.pepper, FIRST_TOKEN);
    const record = (line: AuditRow) => writeAudit(within, actor, [line]);
    await record({ ...row, before: null, after: sealedAccount(asked, deps.seal) });
    await record({ ...row, kind: 'token', thingId: first.id, name: first.label, before: null, after: FIRST_TOKEN });
    await addOwnerNamed({ ...within, seal: deps.seal, record }, deps.pepper, asked.ownerEmail);
    return { account: await readAccount(em, accountId, deps.seal), token };
  });
}

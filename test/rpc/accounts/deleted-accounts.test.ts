import { expect, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld, type WorldOptions } from '../../support/world.ts';

const DAY_S = 24 * 3600;

const NO_SUCH = {
  code: 'NotFound',
  message: 'There is no account with the id in x-tocsin-account (--account).',
};

/** An account that held a contact and is deleted, as the operator sees it, and another account beside it. */
async function deletedAccount(options: WorldOptions = {}) {
  const world = await startWorld({ roles: 'two', ...options });
  const [gone, outsider] = [await newOwner(world, 'Elms'), await newOwner(world, 'An outsider')];
  const channels = [{ channel: 'email', address: 'anna@example.com' }];
  await gone.console.contacts.createContact({ contact: { name: 'Anna', channels } });
  await gone.console.contacts.deleteContact({ contactId: 'anna' });
  const operator = consoleOf(world, world.operator, gone.accountId);
  await operator.accounts.deleteAccount({ accountId: gone.accountId });
  const lines = () => world.rows<{ id: string }>('SELECT id FROM audit WHERE account_id = $1', [gone.accountId]);
  return { world, gone, outsider, operator, lines };
}

test('the audit of an account outlives it, for the operator alone (DECISIONS.md "Deleting an account")', async () => {
  const { world, gone, outsider, operator } = await deletedAccount();
  const { changes } = await operator.audit.listChanges({});
  expect(changes.map(({ kind, action, name, actor }) => [kind, action, name, actor])).toEqual([
    ['account', 'delete', 'Elms', 'Operator'],
    ['contact', 'delete', 'Anna', 'Owner'],
    ['contact', 'create', 'Anna', 'Owner'],
    ['token', 'create', 'Owner', 'Operator'],
    ['account', 'create', 'Elms', 'Operator'],
  ]);
  expect(changes[2]!.after).toMatchObject({ channels: [{ address: 'anna@example.com' }] });
  expect(await refusal(gone.console.audit.listChanges({}))).toMatchObject({ code: 'Unauthenticated' });
  const foreign = consoleOf(world, outsider.token, gone.accountId);
  expect(await refusal(foreign.audit.listChanges({}))).toMatchObject(NO_SUCH);
  // Nothing else of it is there, for nobody.
  expect(await refusal(operator.accounts.getAccount({}))).toMatchObject(NO_SUCH);
  expect(await refusal(operator.locations.createLocation({ location: { name: 'Home' } }))).toMatchObject(NO_SUCH);
  expect(await refusal(operator.accounts.createToken({ label: 'Back again' }))).toMatchObject(NO_SUCH);
});

test('the operator finds deleted accounts in pages; an account does not', async () => {
  const { world, gone, outsider } = await deletedAccount();
  const next = await newOwner(world, 'Oaks');
  const asNext = consoleOf(world, world.operator, next.accountId);
  await asNext.accounts.deleteAccount({ accountId: next.accountId });
  const unnamed = consoleOf(world, world.operator).accounts;
  const page = await unnamed.listDeletedAccounts({ pageSize: 1 });
  expect(page.accounts).toMatchObject([{ id: gone.accountId, name: 'Elms', erasedBy: '' }]);
  const rest = await unnamed.listDeletedAccounts({ pageToken: page.nextPageToken });
  expect(rest).toMatchObject({ accounts: [{ id: next.accountId, name: 'Oaks' }], nextPageToken: '' });
  expect(await refusal(outsider.console.accounts.listDeletedAccounts({}))).toMatchObject({ code: 'PermissionDenied' });
});

test('erase removes what a deleted account left, and of others nothing; who did it when is what remains', async () => {
  const { world, gone, outsider, operator, lines } = await deletedAccount();
  // More than are removed at once.
  await world.rows(
    `INSERT INTO audit (account_id, actor, actor_kind, kind, thing_id, name, action)
     SELECT $1, 'Owner', 'account', 'location', 'l' || n, 'Place', 'create' FROM generate_series(1, 2500) n`,
    [gone.accountId],
  );
  const { accountId } = gone;
  const foreign = consoleOf(world, outsider.token, accountId).accounts.eraseAccount({ accountId });
  expect(await refusal(foreign)).toMatchObject(NO_SUCH);
  const other = { accountId: outsider.accountId };
  expect(await refusal(operator.accounts.eraseAccount(other))).toMatchObject({ code: 'InvalidArgument' });
  expect(await refusal(outsider.console.accounts.eraseAccount(other))).toMatchObject({ code: 'PermissionDenied' });
  const living = consoleOf(world, world.operator, outsider.accountId).accounts.eraseAccount(other);
  expect(await refusal(living)).toMatchObject({
    code: 'FailedPrecondition',
    message: 'This account is still there: delete it first, then erase what it left.',
  });
  const byHand = world.rows('SELECT tocsin_erase_audit($1, 1000)', [outsider.accountId]);
  await expect(byHand).rejects.toThrow('The account is still there.');
  expect(await lines()).toHaveLength(2_505);

  const { account } = await operator.accounts.eraseAccount({ accountId });
  expect(account).toMatchObject({ id: accountId, name: '', erasedBy: 'Operator' });
  expect(await lines()).toEqual([]);
  expect((await operator.audit.listChanges({})).changes).toEqual([]);
  await world.advance(60);
  expect((await operator.accounts.eraseAccount({ accountId })).account).toEqual(account);
  expect(await world.rows('SELECT account_id, erased_by FROM deleted_account')).toEqual([
    { account_id: accountId, erased_by: 'Operator' },
  ]);
  expect((await outsider.console.audit.listChanges({})).changes).toHaveLength(2);
});

test('the audit of a deleted account ages as every other (DECISIONS.md "Retention")', async () => {
  const { world, outsider, lines } = await deletedAccount({ retention: { audit: 30 } });
  await world.advance(29 * DAY_S);
  await world.sweep();
  expect(await lines()).toHaveLength(5);
  await outsider.console.locations.createLocation({ location: { name: 'Home' } });
  await world.advance(2 * DAY_S);
  await world.sweep();
  expect(await lines()).toEqual([]);
  expect((await outsider.console.audit.listChanges({})).changes.map(({ name }) => name)).toEqual(['Home']);
});

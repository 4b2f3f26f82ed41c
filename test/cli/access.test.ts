import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

async function elms() {
  const world = await startWorld();
  const as = (token: string) => commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const operator = as(world.operator);
  const { json } = await operator.json('accounts', 'create', '--name', 'Elms');
  return { world, as, operator, accountId: json.account.id as string, owner: as(json.token) };
}

test('the operator makes tokens with an end; the list says what became of each', async () => {
  const { world, as, operator, accountId, owner } = await elms();
  const named = ['--account', accountId];
  const refused = await owner.text('tokens', 'create', '--label', 'One more');
  expect(refused).toMatchObject({ exit: 4, err: expect.stringContaining("takes the operator's token") });
  const wrong = await operator.text('tokens', 'create', '--label', 'Installer', '--expires', 'soon', ...named);
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringContaining('--expires takes a time such as') });
  const expires = ['--expires', '2026-01-15T21:00:00Z'];
  const { json } = await operator.json('tokens', 'create', '--label', 'Installer', ...expires, ...named);
  expect(json.token).toMatchObject({ kind: 'account', status: 'active', expiresAt: '2026-01-15T21:00:00Z' });
  expect((await as(json.secret).text('accounts', 'show')).exit).toBe(0);
  await world.advance(3_600);
  const ended = await as(json.secret).text('accounts', 'show');
  expect(ended.exit).not.toBe(0);
  expect(ended.err).toContain('This console token ended at 2026-01-15T21:00:00.000Z.');
  const listed = await owner.text('tokens', 'list');
  expect(listed.out).toMatch(/Owner +account +active/);
  expect(listed.out).toMatch(/Installer +account +expired/);
  const first = await owner.json('tokens', 'list', '--limit', '1');
  expect(first.json.items).toMatchObject([{ label: 'Owner' }]);
  const rest = await owner.json('tokens', 'list', '--page-token', first.json.nextPageToken);
  expect(rest.json.items).toMatchObject([{ label: 'Installer' }]);
});

test('what a deleted account leaves is listed, read and erased by the operator', async () => {
  const { operator, accountId, as, owner } = await elms();
  expect((await operator.text('accounts', 'deleted')).out).toBe('No deleted accounts.\n');
  expect((await operator.text('accounts', 'erase', accountId, '--yes')).err).toContain('delete it first');
  await operator.text('accounts', 'delete', accountId);
  expect((await operator.text('accounts', 'deleted')).out).toMatch(new RegExp(`${accountId} +Elms +2026-01-15`));
  const audit = await operator.text('audit', 'list', '--account', accountId);
  expect(audit.out).toMatch(/Operator +operator +delete +account +Elms/);
  expect((await owner.text('audit', 'list')).exit).not.toBe(0);

  const outsider = as((await operator.json('accounts', 'create', '--name', 'An outsider')).json.token);
  expect((await outsider.text('accounts', 'deleted')).err).toContain("takes the operator's token");
  expect((await outsider.text('accounts', 'erase', accountId, '--yes')).exit).not.toBe(0);

  // Nobody can be asked here.
  expect(await operator.text('accounts', 'erase', accountId)).toMatchObject({
    err: expect.stringContaining('pass --yes'),
  });
  const erased = await operator.text('accounts', 'erase', accountId, '--yes');
  const said = new RegExp(`^Erased what the account ${accountId} left: [1-9][0-9]* rows\\.\n$`);
  expect(erased).toMatchObject({ exit: 0, out: expect.stringMatching(said) });
  expect((await operator.text('audit', 'list', '--account', accountId)).out).toBe('Nothing was changed yet.\n');
  expect((await operator.json('accounts', 'deleted')).json.items).toMatchObject([
    { id: accountId, name: '', erasedBy: 'Operator' },
  ]);
});

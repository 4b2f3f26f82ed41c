import { expect, onTestFinished, test } from 'vitest';
import { signedIn } from '../support/members.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

async function elms() {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url, publicUrl: 'https://alarm.example.com' });
  const as = (token: string) => commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token });
  const operator = as(world.operator);
  const made = async (name: string) => as((await operator.json('accounts', 'create', '--name', name)).json.token);
  return { world, smtp, as, operator, owner: await made('Elms'), outsider: await made('An outsider') };
}

test('members are invited, listed, changed by their email and removed; an outsider finds none of them', async () => {
  const { owner, outsider } = await elms();
  expect((await owner.text('members', 'list')).out).toBe('This account has no members.\n');
  const invited = await owner.text('members', 'invite', 'Anna@example.com', '--role', 'owner', '--name', 'Anna');
  expect(invited.out).toMatch(
    /^Anna \([a-z0-9]{32}\) is a member now\.\nA mail to anna@example\.com says where to sign in\.\n$/,
  );
  expect((await owner.text('members', 'invite', 'bert@example.com', '--role', 'boss')).err).toContain(
    'takes one of owner, editor, responder, viewer, got "boss".',
  );
  await owner.text('members', 'invite', 'bert@example.com', '--role', 'viewer');
  expect((await owner.text('members', 'update', 'bert@example.com', '--role', 'editor')).out).toBe(
    'bert is editor now.\n',
  );
  expect(await owner.text('members', 'update', 'bert@example.com')).toMatchObject({ exit: 2 });
  expect((await owner.text('members', 'list')).out).toMatch(
    /Anna +anna@example\.com +owner +invited[^\n]*\n[^\n]*bert +bert@example\.com +editor/,
  );
  expect((await owner.text('members', 'remove', 'anna@example.com')).err).toContain('last owner');
  expect((await outsider.text('members', 'remove', 'bert@example.com')).err).toContain(
    'There is no such member in this account.',
  );
  expect((await owner.text('members', 'remove', 'bert@example.com')).out).toBe('bert is no longer a member.\n');
  expect((await owner.json('members', 'list')).json.items).toMatchObject([{ name: 'Anna' }]);
});

test('a session serves as a token does, as far as its role goes, and is listed and ended', async () => {
  const { world, smtp, as, owner } = await elms();
  await owner.text('members', 'invite', 'vera@example.com', '--role', 'viewer', '--name', 'Vera');
  const vera = as(await signedIn(world, smtp, 'vera@example.com'));
  expect((await vera.text('accounts', 'show')).out).toContain('Elms');
  const refused = await vera.text('locations', 'create', '--name', 'Attic');
  expect(refused).toMatchObject({ exit: 4, err: expect.stringContaining('This needs the role "editor"') });
  const [own] = (await vera.json('sessions', 'list')).json.items;
  expect(own).toMatchObject({ current: true, address: '127.0.0.1' });
  expect((await owner.text('sessions', 'list')).out).toBe('There are no sessions.\n');
  expect((await owner.text('sessions', 'end', own.id)).err).toContain('You have no such session.');
  expect(await vera.text('sessions', 'end')).toMatchObject({ exit: 2 });
  expect((await vera.text('sessions', 'end', own.id)).out).toBe('Ended the session.\n');
  expect((await vera.text('accounts', 'show')).err).toContain('This session has ended or is not valid: sign in again.');
});

test('a link to sign in is made with a token, the operator’s or an account’s', async () => {
  const { operator, owner } = await elms();
  for (const who of [operator, owner]) {
    const { out } = await who.text('sign-in-link');
    expect(out).toMatch(
      /^https:\/\/alarm\.example\.com\/sign-in#tcl_[0-9A-Za-z]{36}\n\nIt signs in once, as the token of this call, until /,
    );
  }
  expect((await owner.text('sessions', 'end', '--all')).out).toBe('Ended 0 sessions.\n');
});

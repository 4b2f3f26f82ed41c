import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../facade/cli/program.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('accounts are listed, changed and deleted by the operator, who may name any of them', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: first } = await operator.json('accounts', 'create', '--name', 'First', '--plan', 'free');
  const { json: second } = await operator.json('accounts', 'create', '--name', 'Second');
  const listed = await operator.text('accounts', 'list');
  expect(listed.out).toMatch(/First +free/);
  expect(listed.out).toMatch(/Second +paid/);
  const named = ['--account', first.account.id];
  const changed = await operator.json('accounts', 'update', '--plan', 'paid', '--name', 'The first', ...named);
  expect(changed.json.account).toMatchObject({ name: 'The first', plan: 'paid', version: 2 });
  expect((await operator.text('accounts', 'plan', ...named)).out).toMatch(/Channels +text, call, email/);

  // What --account names stays out of it: the account to delete is the one that is written out.
  const asFirst = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: first.account.id,
  });
  const deleted = await asFirst.text('accounts', 'delete', second.account.id);
  expect(deleted).toMatchObject({ exit: 0, out: 'Deleted the account Second.\n' });
  const left = await operator.json('accounts', 'list');
  expect(left.json.items.map(({ name }: { name: string }) => name)).toEqual(['The first']);
});

test('contacts, policies and panic buttons change field by field, and are deleted once nothing uses them', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: account } = await operator.json('accounts', 'create', '--name', 'An owner');
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: account.token });
  await owner.text('locations', 'create', '--name', 'Home');
  await owner.text('contacts', 'create', '--name', 'Anna', '--text', '+12025550111', '--email', 'anna@example.com');
  const contact = await owner.json(
    'contacts',
    'update',
    'anna',
    '--email',
    'anna@example.org',
    '--pause',
    'text=on holiday',
  );
  expect(contact.json.contact).toMatchObject({
    name: 'Anna',
    channels: [
      { channel: 'text', address: '+12025550111', disabledReason: 'on holiday' },
      { channel: 'email', address: 'anna@example.org', disabledReason: '' },
    ],
  });
  expect((await owner.text('contacts', 'show', 'anna')).out).toContain(
    'text +12025550111 (not used: on holiday, not verified)',
  );

  await owner.text('policies', 'create', '--name', 'Family', '--step', '0s anna:email');
  const policy = await owner.json('policies', 'update', 'family', '--repeat', '2', '--repeat-delay', '1h');
  expect(policy.json.policy).toMatchObject({ repeat: 2, repeatDelayS: 3600, steps: [{ delayS: 0 }] });
  const shown = await owner.text('policies', 'show', 'family');
  expect(shown.out).toMatch(/ {2}after 0s: Anna \(anna\) by email\n {2}again 2 times, each 1h later$/m);
  const wrong = await owner.text('policies', 'update', 'family', '--step', '0s anna:email', '--step', '5m nobody:fax');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--step number 2 /m) });

  const button = await owner.json(
    ...['panic-buttons', 'create', '--name', 'Bedside', '--location', 'home'],
    ...['--response', 'medical', '--policy', 'family'],
  );
  expect(button.json.panicButton).toMatchObject({ key: 'bedside', test: true, responseKind: 'medical' });
  expect((await owner.text('panic-buttons', 'show', 'bedside')).out).toMatch(/Policy +Family \(family\)/);
  expect((await owner.text('panic-buttons', 'list', '--location', 'home')).out).toMatch(/bedside +Bedside +in test/);
  expect((await owner.text('rehearse', 'bedside')).out).toContain('Nobody was alerted.');
  expect((await owner.text('drill', 'anna', 'email')).exit).toBe(1);

  expect(await owner.text('policies', 'delete', 'family')).toMatchObject({
    exit: 5,
    err: expect.stringMatching(/^ {2}panic button Bedside \(bedside\)$/m),
  });
  const unbound = await owner.json('panic-buttons', 'update', 'bedside', '--policy', '', '--live');
  expect(unbound.json.panicButton).toMatchObject({ policyId: '', test: false });
  for (const [resource, key] of [
    ['policies', 'family'],
    ['contacts', 'anna'],
    ['panic-buttons', 'bedside'],
    ['locations', 'home'],
  ]) {
    expect(await owner.text(resource!, 'delete', key!), resource).toMatchObject({ exit: 0, err: '' });
  }
  expect((await owner.text('panic-buttons', 'list')).out).toMatch(/^There are no panic buttons yet\./);
});

test('every command says what it takes and gives an example', async () => {
  const line = commandLine({});
  const leaves = (command: Command, path: string[]): string[][] =>
    command.commands.length === 0 ? [path] : command.commands.flatMap(inner => leaves(inner, [...path, inner.name()]));
  const output = { write: () => {}, isTerminal: false };
  const stdin = { isTerminal: false, readAll: async () => '' };
  const io = {
    environment: {},
    stdout: output,
    stderr: output,
    stdin,
    timeZone: '',
    signal: new AbortController().signal,
  };
  const paths = leaves(await buildProgram(() => async () => {}, io, 'all'), []);
  expect(paths.length).toBeGreaterThan(40);
  for (const path of paths) {
    const { exit, out } = await line.text(...path, '--help');
    expect({ exit, out }, path.join(' ')).toEqual({ exit: 0, out: expect.stringMatching(/Examples?:\n {2}tocsin /) });
  }
  expect((await line.text('--help')).out).toMatch(/Exit codes:\n {2}0 +done/);
});

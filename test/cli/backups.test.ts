import { join } from 'node:path';
import { expect, test } from 'vitest';
import { aFolder, backupsIn, PASSPHRASE } from '../scenario/backups-rig.ts';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('backups are set up, shown, changed and ended; the passphrase comes from the environment or standard input', async () => {
  const folder = await aFolder();
  const world = await startWorld();
  const environment = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator };
  const operator = commandLine(environment);
  const show = async () => (await operator.text('backups', 'show')).out;
  expect(await show()).toBe('Tocsin makes no backup by itself.\n');

  expect(await operator.text('backups', 'set', folder)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE, or give it on standard input'),
  });
  const short = commandLine({ ...environment, BACKUP_PASSPHRASE: 'hunter2' });
  expect(await short.text('backups', 'set', folder)).toMatchObject({
    exit: 2,
    err: expect.stringContaining('BACKUP_PASSPHRASE takes at least 12 characters, got 7 characters.'),
  });
  const missing = await commandLine(environment, { stdin: PASSPHRASE }).text('backups', 'set', join(folder, 'none'));
  expect(missing).toMatchObject({ exit: 2, err: expect.stringContaining('it is not there.') });
  const often = await commandLine(environment, { stdin: PASSPHRASE }).text('backups', 'set', folder, '--every', '1m');
  expect(often).toMatchObject({ exit: 2, err: expect.stringMatching(/^ {2}--every takes whole minutes from 600/m) });

  const typed = commandLine(environment, { stdin: `${PASSPHRASE}\n` });
  expect(await typed.text('backups', 'set', folder, '--every', '12h')).toMatchObject({
    exit: 0,
    out: `Backups go to ${folder}.\nKeep the passphrase elsewhere: without it nobody can read them.\n`,
  });
  await world.settle();
  expect(await show()).toContain(
    `Backups go to ${folder} every 12h; the newest 7 are kept.\nThe latest is of 2026-01-15`,
  );
  expect(await show()).toContain('That was set in the console, or by this command.\n');
  const [made] = await backupsIn(folder);
  expect(await show()).toContain(`${join(folder, made!)}.\n`);

  expect(await operator.text('backups', 'set', folder, '--keep', '3')).toMatchObject({
    exit: 0,
    out: `Backups go to ${folder}.\nTheir passphrase stays.\n`,
  });
  const shown = await operator.json('backups', 'show');
  expect(shown.json).toMatchObject({ folder, everyS: 43_200, keep: 3, setIn: 'console', version: 2 });
  expect(shown.out).not.toContain(PASSPHRASE);
  const fromThere = commandLine({ ...environment, BACKUP_PASSPHRASE: 'another horse, another battery' });
  expect(await fromThere.text('backups', 'set', folder)).toMatchObject({ out: expect.stringContaining('Keep the') });

  expect(await operator.text('backups', 'off')).toMatchObject({ exit: 0, out: 'No backups are made any more.\n' });
  expect(await show()).toBe('Tocsin makes no backup by itself.\n');

  const fixed = await startWorld({ backups: { folder, everyS: 3_600, keep: 2, passphrase: PASSPHRASE } });
  const there = commandLine({ TOCSIN_RPC_URL: fixed.rpcUrl, TOCSIN_TOKEN: fixed.operator });
  expect((await there.text('backups', 'show')).out).toContain(
    'That is set in the environment: BACKUP_DIR, BACKUP_PASSPHRASE.',
  );
  expect(await there.text('backups', 'set', folder)).toMatchObject({
    exit: 5,
    err: expect.stringContaining('Backups are set up in the environment (BACKUP_DIR, BACKUP_PASSPHRASE)'),
  });
  const owner = commandLine({ ...environment, TOCSIN_TOKEN: (await newOwner(world)).token });
  expect(await owner.text('backups', 'show')).toMatchObject({ exit: 4 });
});

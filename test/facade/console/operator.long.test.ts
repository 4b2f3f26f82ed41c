import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkBackup } from '../../../services/backup/content.ts';
import { aFolder, backupsIn, PASSPHRASE } from '../../scenario/backups-rig.ts';
import { needsChromium, openPage } from '../../support/chromium.ts';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import {
  choose,
  DESK,
  furnish,
  openConsole,
  PHONE,
  press,
  shows,
  signIn,
  startConsole,
  startConsoleWithMail,
  text,
  type,
} from './console-rig.ts';
import { faultsOf, go } from './looks-rig.ts';

needsChromium();

const field = (name: string) => `input[name=${name}]`;

test('an operator without any account makes the first one on the page, and is led to its first alarm', async () => {
  const { world, owner, url } = await startConsole();
  await world.rows('DELETE FROM location');
  await consoleOf(world, world.operator, owner.accountId).accounts.deleteAccount({ accountId: owner.accountId });
  const page = await openPage(url, PHONE);
  await signIn(page, world.operator);
  await shows(page, 'The first account');
  expect(await faultsOf(page, 'first-account')).toEqual([]);
  await press(page, 'Create the account');
  await shows(page, '1 to 100 characters');
  await type(page, 'input[name=accountName]', 'Elm Street');
  await press(page, 'Create the account');
  await press(page, 'I have it');
  await shows(page, 'Your first alarm');
  expect(await page.evaluate('location.pathname')).toBe('/start');
  const { accounts } = await consoleOf(world, world.operator).accounts.listAccounts({});
  expect(accounts).toMatchObject([{ name: 'Elm Street' }]);
});

test('beside the demo alone an operator is led to an account of their own, and may look at the demo first', async () => {
  const { world, owner, url, openAs } = await startConsoleWithMail();
  await world.rows(`UPDATE account SET purpose = 'demo' WHERE id = $1`, [owner.accountId]);
  await owner.alarm({ name: 'Demo alarm' });
  const page = await openPage(url, PHONE);
  await signIn(page, world.operator);
  await shows(page, 'Make it yours');
  expect(await faultsOf(page, 'make-it-yours')).toEqual([]);
  await page.turnTo(PHONE);
  await press(page, 'Look at the demo first');
  await shows(page, 'Demo alarm');
  await shows(page, 'This is the demo');
  expect(await faultsOf(page, 'demo')).toEqual([]);
  await page.turnTo(PHONE);
  await press(page, 'Make it yours');
  await type(page, 'input[name=accountName]', 'Elm Street');
  await press(page, 'Create the account');
  await press(page, 'I have it');
  await shows(page, 'Your first alarm');
  const { accounts } = await consoleOf(world, world.operator).accounts.listAccounts({});
  expect(accounts.map(({ name, purpose }) => `${name}: ${purpose}`)).toEqual([
    `${accounts[0]!.name}: demo`,
    'Elm Street: use',
  ]);
  await page.open(url);
  await shows(page, 'No alarm yet');
  expect(await text(page)).not.toContain('This is the demo');
  // Nobody who belongs to it is sent away from it.
  const theirs = await openAs('owner', 'Olga');
  await shows(theirs, 'Demo alarm');
  expect(await text(theirs)).not.toContain('Make it yours');
}, 120_000);

test('the operator makes an account, enters it, deletes it, and erases it when its name is typed', async () => {
  const { world, owner, url } = await startConsole();
  await owner.alarm({ name: 'Live' });
  const page = await openConsole(url, world.operator, DESK);
  await page.open(`${url}/operator`);
  await shows(page, 'All accounts');
  await press(page, 'Create the account');
  await shows(page, '1 to 100 characters');
  await type(page, 'input[name=accountName]', 'Elm Street');
  await press(page, 'Create the account');
  await shows(page, 'Console token of Elm Street');
  const token = await page.evaluate<string>(`document.querySelector('.secret code').innerText`);
  const made = (await consoleOf(world, token).accounts.getAccount({})).account!;
  expect(made.name).toBe('Elm Street');
  await press(page, 'I have it');
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(token);

  await press(page, 'Enter: Elm Street');
  await shows(page, 'Nothing is set up yet.');
  await page.open(`${url}/operator`);
  await press(page, 'Delete: Example family');
  await shows(page, 'Delete Example family?');
  await press(page, 'Delete');
  await shows(page, 'This account is used by');
  await press(page, 'Cancel');
  await press(page, 'Delete: Elm Street');
  await shows(page, 'Delete Elm Street?');
  await press(page, 'Delete');
  await eventually(async () => !(await text(page)).includes('Elm Street'), { what: 'the account to be gone' });
  expect((await refusal(consoleOf(world, token).accounts.getAccount({}))).code).toBe('Unauthenticated');

  await page.open(`${url}/operator/deleted`);
  await press(page, 'Erase: Elm Street');
  await shows(page, 'Erase Elm Street for good?');
  await type(page, 'input[name=eraseName]', 'Elm');
  expect(await page.evaluate(`document.querySelector('dialog button[type=submit]').disabled`)).toBe(true);
  await type(page, 'input[name=eraseName]', 'Elm Street');
  await press(page, 'Erase');
  await shows(page, 'Erased');
  const { accounts } = await consoleOf(world, world.operator).accounts.listDeletedAccounts({});
  expect(accounts).toMatchObject([{ id: made.id, name: '' }]);
  expect(accounts[0]!.erasedAt).toBeDefined();
  expect((await consoleOf(world, world.operator, owner.accountId).accounts.getAccount({})).account!.name).toBe(
    'Example family',
  );
});

test('the operator sees the latest backup, makes one, learns why one failed, and copies the line that restores it', async () => {
  const shelf = await mkdtemp(join(tmpdir(), 'tocsin-console-backups-'));
  onTestFinished(() => rm(shelf, { recursive: true, force: true }));
  const folder = join(shelf, 'backups');
  const backups = { folder, everyS: 86_400, keep: 7, passphrase: 'correct horse battery' };
  const { world, url } = await startConsole({ backups });
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/operator/backup`, 'The latest backup failed:');
  await shows(page, 'it is not there.');
  await shows(page, 'None yet');
  faults.push(...(await faultsOf(page, 'operator-backup-failed')));
  await page.open(`${url}/operator/deployment`);
  await shows(page, 'The latest backup failed: BACKUP_DIR takes');

  await rename(await mkdtemp(join(shelf, 'made-')), folder);
  await go(page, `${url}/operator/backup`, 'Back up now');
  await press(page, 'Back up now');
  await shows(page, `tocsin restore ${folder}/tocsin-`);
  await shows(page, 'KEY_PEPPER, DATA_KEY');
  expect(await text(page)).not.toContain('The latest backup failed');
  await shows(page, 'The environment says BACKUP_DIR, BACKUP_PASSPHRASE:');
  expect(await page.evaluate(`document.querySelector('input[name=backupFolder]')`)).toBe(null);
  faults.push(...(await faultsOf(page, 'operator-backup')));
  expect(faults).toEqual([]);
}, 120_000);

test('where no backup is made by itself the operator sets up a folder, with a passphrase that is made and shown once, and can take it back', async () => {
  const folder = await aFolder();
  const { world, url } = await startConsole();
  const { deployment } = consoleOf(world, world.operator);
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/operator/backup`, 'Tocsin makes no backup by itself.');
  expect(await text(page)).toContain('tocsin backup /backups/tocsin.backup');
  faults.push(...(await faultsOf(page, 'operator-backup-none')));

  await type(page, field('backupFolder'), join(folder, 'missing'));
  await press(page, 'Make a passphrase');
  const passphrase = await page.evaluate<string>(`document.querySelector('.secret code').innerText`);
  expect(passphrase).toMatch(/^([a-km-np-z2-9]{5}-){5}[a-km-np-z2-9]{5}$/);
  expect(await page.evaluate(`document.querySelector('main form button[type=submit]').disabled`)).toBe(true);
  await page.evaluate(`document.querySelector('.secret').scrollIntoView({ block: 'center' })`);
  faults.push(...(await faultsOf(page, 'operator-backup-passphrase')));
  await press(page, 'I have it');
  expect(await page.evaluate('document.documentElement.outerHTML')).not.toContain(passphrase);
  await press(page, 'Try and save');
  await shows(page, 'it is not there.');
  faults.push(...(await faultsOf(page, 'operator-backup-refused')));
  await type(page, field('backupFolder'), folder);
  await choose(page, 'select[name=backupEvery]', '21600');
  await press(page, 'Try and save');
  await shows(page, `tocsin restore ${folder}/tocsin-`);
  await checkBackup(join(folder, (await backupsIn(folder))[0]!), passphrase);
  await shows(page, '6 hours');
  faults.push(...(await faultsOf(page, 'operator-backup-set')));

  // A new passphrase that was made is not forgotten with the screen: saved without it, the old one would stay.
  await press(page, 'Edit: How they are made');
  await press(page, 'Make a passphrase');
  await press(page, 'I have it');
  await page.evaluate(`document.querySelector('a[href$="/operator/deployment"]').click()`);
  const isLeft = () => page.evaluate<boolean>(`document.querySelector('${field('backupFolder')}') === null`);
  await eventually(isLeft, { what: 'the form to be left' });
  await page.evaluate('history.back()');
  await shows(page, 'It was to be a new one');
  expect(await page.evaluate(`document.querySelector('${field('backupPassphrase')}').required`)).toBe(true);
  await type(page, field('backupPassphrase'), PASSPHRASE);
  await type(page, field('backupPassphraseAgain'), 'correct horse battrey');
  await press(page, 'Try and save');
  await shows(page, 'This is not what stands above.');
  faults.push(...(await faultsOf(page, 'operator-backup-differs')));
  expect(await deployment.getBackups({})).toMatchObject({ version: 1 });
  await type(page, field('backupPassphraseAgain'), PASSPHRASE);
  await press(page, 'Try and save');
  await shows(page, 'Edit');
  await eventually(async () => (await deployment.getBackups({})).version === 2, {
    what: 'the passphrase to be stored',
  });

  // Somebody else changes it meanwhile: what was typed is kept, and so is the passphrase.
  await press(page, 'Edit: How they are made');
  await choose(page, 'select[name=backupKeep]', '14');
  faults.push(...(await faultsOf(page, 'operator-backup-edit')));
  await deployment.setBackups({ folder, everyS: 604_800, version: 2 });
  const version = async () => (await deployment.getBackups({})).version;
  const saveAgain = async () => {
    await page.evaluate(`document.querySelector('main form button[type=submit]:not(:disabled)')?.click()`);
    return (await version()) >= 4;
  };
  await eventually(saveAgain, { what: 'what was typed to be stored upon that' });
  await shows(page, '7 days');
  expect(await deployment.getBackups({})).toMatchObject({ everyS: 604_800, keep: 14 });
  await world.advance(604_800);
  await checkBackup(join(folder, (await backupsIn(folder)).at(-1)!), PASSPHRASE);

  await press(page, 'Delete: How they are made');
  await shows(page, 'Make no backups any more?');
  await press(page, 'Delete');
  await shows(page, 'Tocsin makes no backup by itself.');
  expect(await deployment.getBackups({})).toMatchObject({ state: 'not_set', setIn: '' });
  expect(faults).toEqual([]);
}, 300_000);

test('what is stored for backups and cannot be opened is told the operator, on its page and among what is checked', async () => {
  const { world, url } = await startConsole();
  const { deployment } = consoleOf(world, world.operator);
  await deployment.setBackups({ folder: await aFolder(), passphrase: PASSPHRASE });
  await world.rows("UPDATE deployment_setting SET sealed = 'v1.nobody00.a.b.c' WHERE part = 'backups'");
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await go(page, `${url}/operator/backup`, 'What was set up here does not count: what is stored cannot be opened');
  expect(await faultsOf(page, 'operator-backup-left-out')).toEqual([]);
  await page.open(`${url}/operator/deployment`);
  await shows(page, 'The backups that were set up here do not count:');
}, 120_000);

test('where the environment alone counts the page offers nothing that is refused', async () => {
  const { world, url } = await startConsole({ consoleCarriers: 'refused' });
  const page = await openConsole(url, world.operator, DESK);
  await go(page, `${url}/operator/backup`, 'Tocsin makes no backup by itself.');
  expect(await page.evaluate(`document.querySelector('main form')`)).toBe(null);
}, 120_000);

test('is not there for anybody else', async () => {
  const { url, openAs } = await startConsoleWithMail();
  const page = await openAs('owner', 'Otto');
  expect(await text(page)).not.toContain('Operator');
  await page.open(`${url}/operator`);
  await shows(page, 'There is nothing here.');
});

test('tells what the owner was told and who changed what, filtered by the URL', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const outsider = await newOwner(world, 'An outsider');
  await outsider.console.locations.createLocation({ location: { name: 'Hidden place' } });
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { location } = await seen.locations.createLocation({ location: { name: 'Barn' } });
  const id = location!.id;
  await seen.locations.updateLocation({ location: { ...location!, name: 'Old barn' } });
  await seen.locations.createLocation({ location: { name: 'Shed' } });
  const lonely = await owner.alarm({ name: 'Lonely' });
  await world.get(`/v1/alarm/${lonely}/trigger/night`, await owner.key());
  await world.settle();
  const page = await openConsole(url, world.operator, DESK);
  await go(page, `${url}/notices`, 'There was nobody to alert');
  await shows(page, 'no owner had confirmed their address');
  await press(page, 'Who changed what');
  await shows(page, 'Old barn');
  expect(await text(page)).not.toContain('Hidden place');
  await page.evaluate(
    `[...document.querySelectorAll('.call')].find(one => one.innerText.includes('Old barn')).querySelector('summary').click()`,
  );
  await shows(page, 'Name of the location: Barn → Old barn');
  await press(page, 'Only changes of this');
  await eventually(async () => !(await text(page)).includes('Shed'), { what: 'the filter' });
  expect(await page.evaluate('location.search')).toBe(`?thing=${id}`);
  await page.open(`${url}/notices/changes?thing=${id}`);
  await shows(page, 'Show all changes');
  await press(page, 'Show all changes');
  await shows(page, 'Shed');
});

test('can be read and used by everybody: axe finds nothing, light and dark, phone and desktop', async () => {
  const console = await startConsole();
  const { world, owner, url } = console;
  const page = await openConsole(url, world.operator, DESK);
  const faults: string[] = [];
  await go(page, `${url}/notices`, 'Nothing so far.');
  faults.push(...(await faultsOf(page, 'notices-empty')));
  await go(page, `${url}/operator/deleted`, 'No deleted account.');
  faults.push(...(await faultsOf(page, 'operator-deleted-empty')));
  await furnish(console);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const { location } = await seen.locations.createLocation({ location: { name: 'Barn' } });
  await seen.locations.updateLocation({ location: { ...location!, name: 'Old barn' } });
  await world.get(`/v1/alarm/${await owner.alarm({ name: 'Lonely' })}/trigger/night`, await owner.key());
  await world.settle();
  const gone = await newOwner(world, 'Gone house');
  await newOwner(world, 'Elm Street');
  await consoleOf(world, world.operator, gone.accountId).accounts.deleteAccount({ accountId: gone.accountId });
  await go(page, `${url}/notices`, 'There was nobody to alert');
  faults.push(...(await faultsOf(page, 'notices')));
  await go(page, `${url}/notices/changes`, 'Old barn');
  await page.evaluate(`document.querySelector('.call summary').click()`);
  faults.push(...(await faultsOf(page, 'notices-changes')));
  await go(page, `${url}/operator`, 'Elm Street');
  faults.push(...(await faultsOf(page, 'operator')));
  await go(page, `${url}/operator/deleted`, 'Gone house');
  faults.push(...(await faultsOf(page, 'operator-deleted')));
  await press(page, 'Erase: Gone house');
  await shows(page, 'Erase Gone house for good?');
  faults.push(...(await faultsOf(page, 'operator-erase')));
  expect(faults).toEqual([]);
}, 300_000);

test('a hostile name is text on the screens of the settings, the notices and the operator', async () => {
  const hostile = '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202E}';
  // Over RPC nobody turns the direction of a text.
  const plain = hostile.replace('\u202E', '');
  const console = await startConsole();
  const { world, owner, url } = console;
  await furnish(console, hostile);
  const seen = consoleOf(world, world.operator, owner.accountId);
  await seen.locations.createLocation({ location: { name: plain } });
  await seen.members.inviteMember({ email: 'anna@example.com', role: 'viewer', name: plain });
  await seen.accounts.createToken({ label: plain });
  await world.rows('UPDATE account SET name = $1 WHERE id = $2', [hostile, owner.accountId]);
  await world.rows('UPDATE console_session SET agent = $1', [hostile]);
  const page = await openConsole(url, world.operator, DESK);
  for (const path of ['settings/members', 'settings/access', 'notices/changes', 'operator']) {
    await go(page, `${url}/${path}`, '<img src=x');
    expect(await page.evaluate('[window.hit, document.images.length]'), path).toEqual([null, 0]);
  }
  expect(page.complaints.filter(complaint => !complaint.includes('401'))).toEqual([]);
});

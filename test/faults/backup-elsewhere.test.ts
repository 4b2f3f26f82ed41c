import { mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isRoot, run } from '../../services/embedded/system.ts';
import { migrateDatabase } from '../../services/store/migrating.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { emptyDatabase, SECRETS, shelf, tocsin } from './backup-rig.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { connectTo, makeLive } from './live-demo.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 240_000 });

const log = pino({ level: 'silent' });

async function filledDatabase() {
  const settings = await emptyDatabase();
  await migrateDatabase(settings.DATABASE_URL, settings.DATABASE_URL, log);
  await query(settings.DATABASE_URL, "INSERT INTO account (id, name, plan) VALUES ('one', 'One', 'paid')");
  return settings;
}

/** A folder on a disk of its own that takes so many bytes; where no disk may be mounted, one whose drafts are on a full one. */
async function smallDisk(bytes: number): Promise<string> {
  const folder = join(await shelf(), 'disk');
  await mkdir(folder);
  const mounted =
    isRoot() &&
    (await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder], null, '/').then(
      () => true,
      () => false,
    ));
  if (mounted) onTestFinished(async () => void (await run('umount', [folder], null, '/')));
  else await symlink('/dev/full', join(folder, 'a.backup.part'));
  return folder;
}

test('a disk that is full is said in one sentence, the backup before stays, and nothing is left of the new one', async () => {
  const filled = await filledDatabase();
  const folder = await smallDisk(128 * 1024);
  const before = await tocsin(['backup', join(folder, 'before.backup')], filled);
  expect(before.code, before.stderr).toBe(0);
  const bytes = await readFile(join(folder, 'before.backup'));
  await query(
    filled.DATABASE_URL,
    `INSERT INTO account (id, name, plan)
     SELECT 'a' || n, md5(n::text), 'paid' FROM generate_series(1, 10000) n`,
  );
  const full = await tocsin(['backup', join(folder, 'a.backup')], filled);
  expect(full).toMatchObject({ code: 1, value: null });
  expect(full.stderr).toBe(`"${join(folder, 'a.backup.part')}" cannot be used: the disk is full.\n`);
  expect(await readdir(folder)).toEqual(['before.backup']);
  expect(await readFile(join(folder, 'before.backup'))).toEqual(bytes);
});

test('of two restores at once into one database one is made, and the other says so', async () => {
  const [filled, target, folder] = [await filledDatabase(), await emptyDatabase(), await shelf()];
  const file = join(folder, 'a.backup');
  expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0 });
  const both = await Promise.all([1, 2].map(() => tocsin(['restore', file], target)));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.find(({ code }) => code === 1)!.stderr).toMatch(
    /^(Another restore into this database is under way: wait until it has ended\.|The database is not empty, .*)\n$/,
  );
  expect(await query(target.DATABASE_URL, 'SELECT name FROM account')).toEqual([{ name: 'One' }]);
  expect(await query(target.DATABASE_URL, "SELECT FROM pg_class WHERE relname = 'restore_under_way'")).toEqual([]);
});

test('from the embedded database to one of your own as the docs say, also where only the backup is left: keys open, people are reached', async () => {
  const [dataDir, folder, rescue] = [await emptyFolder(), await shelf(), await emptyFolder()];
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const mail = { SMTP_URL: smtp.url, DEMO_EMAIL: 'you@example.com' };
  const product = startProduct({ DATA_DIR: dataDir, ...mail });
  const { apiKey } = await product.ready();
  const { sources } = await makeLive(await connectTo(dataDir), { windowS: 0, stepsAfterS: [0] });
  const file = join(folder, 'a.backup');
  expect(await tocsin(['backup', file], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  await product.kill();

  const { DATABASE_URL } = await emptyDatabase();
  const without = await tocsin(['restore', file], { DATABASE_URL });
  expect(without.stderr).toBe(
    'KEY_PEPPER takes at least 32 characters, got nothing, and is required together with DATABASE_URL.\n',
  );
  const others = await tocsin(['restore', file], { DATABASE_URL, ...SECRETS });
  expect(others.stderr).toMatch(/^KEY_PEPPER is not the one/);

  // The machine is lost, and with it the files of its secrets: a restore into a folder brings them back.
  expect(await tocsin(['restore', file, '--due', 'missed'], { DATA_DIR: rescue })).toMatchObject({ code: 0 });
  const settings = {
    DATABASE_URL,
    KEY_PEPPER_FILE: join(rescue, 'key-pepper'),
    DATA_KEY_FILE: join(rescue, 'data-key'),
  };
  expect(await tocsin(['restore', file], settings)).toMatchObject({ code: 0, value: { restored: true } });
  const again = await startProduct({ ...settings, ...mail }).ready();
  expect(again.apiKey).toBeUndefined();
  const before = smtp.mails.length;
  expect(await call(again, `panic/${sources.bedside}/trigger`, apiKey)).toBe(202);
  await eventually(() => smtp.mails.slice(before).some(({ envelope }) => envelope.to.includes('you@example.com')), {
    what: 'the alert',
    within: 30_000,
  });
});

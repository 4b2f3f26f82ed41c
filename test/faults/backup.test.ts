import { open, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { checkBackup, writeEnding, writeManifest } from '../../services/backup/content.ts';
import { createWriter } from '../../services/backup/file.ts';
import { ROLE } from '../../services/embedded/cluster.ts';
import { databaseUrl, THIS_MACHINE } from '../../services/embedded/database.ts';
import { openRecord } from '../../services/embedded/record.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { migrateDatabase } from '../../services/store/migrating.ts';
import { startSmtp } from '../support/smtp.ts';
import { eventually } from '../support/wait.ts';
import { holdApplying, holdLock } from '../support/waiting.ts';
import { emptyDatabase, expectRestored, PASSPHRASE, shelf, startLoad, startTocsin, tocsin } from './backup-rig.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { connectTo, makeLive } from './live-demo.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 240_000 });

const log = pino({ level: 'silent' });

/** A migrated database with one account in it. */
async function filledDatabase() {
  const settings = await emptyDatabase();
  await migrateDatabase(settings.DATABASE_URL, settings.DATABASE_URL, log);
  await query(settings.DATABASE_URL, "INSERT INTO account (id, name, plan) VALUES ('one', 'One\t\\N\n', 'paid')");
  return settings;
}

const namesIn = (url: string) => query(url, 'SELECT name FROM account');

/** Takes a lock on a table that holds up whoever reads it, until the function given is called. */
async function holdTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let ended: Promise<void> | undefined;
  const release = () => (ended ??= client.end());
  onTestFinished(release);
  await client.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return release;
}

test('what was accepted before a backup under load is there on a new machine, with one command and the old API key', async () => {
  const [dataDir, elsewhere, folder] = [await emptyFolder(), await emptyFolder(), await shelf()];
  const product = startProduct({ DATA_DIR: dataDir });
  const ready = await product.ready();
  const load = await startLoad(ready);

  const before = [...load.accepted];
  const file = join(folder, 'a.backup');
  const done = await tocsin(['backup', file], { DATA_DIR: dataDir });
  expect(done).toMatchObject({ code: 0, value: { backedUp: true, kind: 'logical', file, secretsNeeded: [] } });
  expect(load.accepted.length).toBeGreaterThan(before.length);
  await load.stop();
  await product.kill();

  const restored = await tocsin(['restore', file], { DATA_DIR: elsewhere });
  expect(restored).toMatchObject({ code: 0, value: { restored: true, rows: done.value?.rows } });
  await expectRestored(elsewhere, { apiKey: ready.apiKey!, ids: load.ids, calls: before });
});

describe('what was due before a restore', () => {
  /** A backup with a call that was accepted and not applied, which alerts at once when it is. */
  async function backupWithPast(smtpUrl: string) {
    const [dataDir, folder] = [await emptyFolder(), await shelf()];
    const product = startProduct({ DATA_DIR: dataDir, DEMO_EMAIL: 'you@example.com', SMTP_URL: smtpUrl });
    const ready = await product.ready();
    const pool = await connectTo(dataDir);
    const { sources } = await makeLive(pool, { windowS: 0, stepsAfterS: [0] });
    const release = await holdApplying(databaseUrl(ROLE, { host: THIS_MACHINE, ...(await openRecord(dataDir)) }));
    expect(await call(ready, `panic/${sources.bedside}/trigger`)).toBe(202);
    const file = join(folder, 'a.backup');
    expect(await tocsin(['backup', file], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
    await product.kill();
    await release();
    return { file };
  }

  test.each([
    { due: [] as string[], became: 'missed' },
    { due: ['--due', 'send'], became: 'send' },
  ])('is $became: $due', async ({ due, became }) => {
    const smtp = await startSmtp();
    onTestFinished(() => smtp.stop());
    const { file } = await backupWithPast(smtp.url);
    const alerts = () => smtp.mails.filter(({ subject }) => subject?.includes('Bedside button'));
    expect(alerts()).toEqual([]);
    const elsewhere = await emptyFolder();
    const restored = await tocsin(['restore', file, ...due], { DATA_DIR: elsewhere });
    expect(restored).toMatchObject({ code: 0, value: { past: { calls: 1, became } } });

    const again = startProduct({ DATA_DIR: elsewhere, SMTP_URL: smtp.url });
    await again.ready();
    const pool = await connectTo(elsewhere);
    const rows = (sql: string) => pool.query(sql).then(found => found.rows);
    if (became === 'send') {
      const [alert] = await eventually(() => alerts().length > 0 && alerts(), { what: 'the alert', within: 30_000 });
      expect(alert!.envelope.to).toEqual(['you@example.com']);
      // The mail is out before its row says so.
      const ended = "SELECT status FROM delivery WHERE status IN ('sent', 'cancelled')";
      const [delivery] = await eventually(async () => (await rows(ended)).length === 1 && rows(ended), {
        what: 'the delivery to be sent',
      });
      expect(delivery).toEqual({ status: 'sent' });
    } else {
      await eventually(async () => (await rows("SELECT FROM notice WHERE kind = 'step_missed'")).length === 1, {
        what: 'the owner to be told',
        within: 30_000,
      });
      expect(await rows("SELECT status, reason FROM delivery WHERE status <> 'suppressed'")).toEqual([
        { status: 'cancelled', reason: 'restored' },
      ]);
      expect(await rows("SELECT status FROM incident WHERE environment = 'live'")).toEqual([{ status: 'open' }]);
      expect(await rows("SELECT FROM delivery WHERE status IN ('sent', 'delivered', 'sending', 'scheduled')")).toEqual(
        [],
      );
      expect(alerts()).toEqual([]);
    }
  });
});

describe('a restore is refused in one sentence, and harms nothing', () => {
  test('into what is not empty', async () => {
    const [filled, folder] = [await filledDatabase(), await shelf()];
    const file = join(folder, 'a.backup');
    expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0, value: { rows: expect.any(Number) } });
    const refused = await tocsin(['restore', file], filled);
    expect(refused).toMatchObject({ code: 1, value: null });
    expect(refused.stderr).toBe('The database is not empty, and a restore overwrites nothing: name an empty one.\n');
    expect(await namesIn(filled.DATABASE_URL)).toEqual([{ name: 'One\t\\N\n' }]);
  });

  test('with a wrong passphrase, other secrets, a file cut short, a newer schema, or one from before the first release', async () => {
    const [filled, target, folder] = [await filledDatabase(), await emptyDatabase(), await shelf()];
    const product = startProduct(filled);
    await product.ready();
    const file = join(folder, 'a.backup');
    expect(await tocsin(['backup', file], filled)).toMatchObject({
      code: 0,
      value: { secretsNeeded: ['KEY_PEPPER', 'DATA_KEY'] },
    });
    const short = join(folder, 'short.backup');
    await writeFile(short, (await readFile(file)).subarray(0, -1));
    const made = async (name: string, migrations: string[]) => {
      await using handle = await open(join(folder, name), 'w');
      await using writer = await createWriter(handle, PASSPHRASE.BACKUP_PASSPHRASE);
      await writeManifest(writer, { at: '', version: '9.0.0', migrations, secrets: {} });
      await writeEnding(writer, { rows: {}, sequences: {} });
      return join(folder, name);
    };
    const newer = await made('newer.backup', ['20261130-first', '20991231-later']);
    const earlier = await made('earlier.backup', ['20261121-first', '20261121-console']);
    const refusals: [string, Record<string, string>, RegExp][] = [
      [file, { BACKUP_PASSPHRASE: 'another passphrase' }, /^BACKUP_PASSPHRASE is not the one/],
      [file, { KEY_PEPPER: 'q'.repeat(32) }, /^KEY_PEPPER is not the one/],
      [file, { DATA_KEY: '1'.repeat(64) }, /^DATA_KEY is not the one/],
      [short, {}, /is cut short/],
      [newer, {}, /newer schema than this Tocsin knows \(it was made by 9\.0\.0\)/],
      [earlier, {}, /is from before the first release: .* "tocsin config export", and run "tocsin config apply"/],
      [join(folder, 'none.backup'), {}, /none\.backup" cannot be used/],
    ];
    for (const [from, settings, sentence] of refusals) {
      const refused = await tocsin(['restore', from], { ...target, ...settings });
      expect(refused).toMatchObject({ code: 1, value: null, stderr: expect.stringMatching(sentence) });
      expect(refused.stderr.trim().split('\n')).toHaveLength(1);
      expect(
        await query(target.DATABASE_URL, "SELECT FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
      ).toEqual([]);
    }
  });
});

describe('a backup is refused in one sentence, and the one before stays', () => {
  test('while another is under way, where the disk takes no more, and over what is no backup', async () => {
    const [filled, folder] = [await filledDatabase(), await shelf()];
    const file = join(folder, 'a.backup');
    expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0 });
    const before = await readFile(file);

    const release = await holdLock(filled.DATABASE_URL, LOCKS.backup);
    const second = await tocsin(['backup', file], filled);
    expect(second.stderr).toBe('Another backup of this database is under way: wait until it has ended.\n');
    await release();

    const full = await tocsin(['backup', file], filled, 512);
    expect(full).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^"[^"]+\.part" cannot be used: it may not grow/),
    });
    const notes = join(folder, 'notes.txt');
    await writeFile(notes, 'mine');
    expect((await tocsin(['backup', notes], filled)).stderr).toMatch(/is there already and is no backup/);
    expect(await readFile(notes, 'utf8')).toBe('mine');
    const others = await tocsin(['backup', file], { ...filled, BACKUP_PASSPHRASE: 'another passphrase' });
    expect(others.stderr).toMatch(/is there already and is no backup of Tocsin that BACKUP_PASSPHRASE opens/);
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(['a.backup', 'notes.txt']);
  });

  test('killed in the middle; the next one writes', async () => {
    const [filled, folder] = [await filledDatabase(), await shelf()];
    const file = join(folder, 'a.backup');
    expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0 });
    const before = await readFile(file);
    const release = await holdTable(filled.DATABASE_URL, 'source');
    const killed = startTocsin(['backup', file], filled);
    await eventually(async () => (await readdir(folder)).includes('a.backup.part'), {
      what: 'the backup to have begun',
      within: 30_000,
    });
    await killed.kill();
    await release();
    expect(await readFile(file)).toEqual(before);
    await eventually(async () => (await tocsin(['backup', file], filled)).code === 0, {
      what: 'the next backup to be made',
      within: 60_000,
    });
    expect(await readdir(folder)).toEqual(['a.backup']);
    await checkBackup(file, PASSPHRASE.BACKUP_PASSPHRASE);
  });
});

test('a restore killed in the middle leaves what no product starts on, and the next restore fills', async () => {
  const [filled, target, folder] = [await filledDatabase(), await emptyDatabase(), await shelf()];
  const file = join(folder, 'a.backup');
  expect(await tocsin(['backup', file], filled)).toMatchObject({ code: 0 });
  const killed = startTocsin(['restore', file], target);
  const marked = "SELECT FROM pg_class WHERE relname = 'restore_under_way'";
  await eventually(async () => (await query(target.DATABASE_URL, marked)).length === 1, {
    what: 'the restore to have begun',
    within: 60_000,
  });
  await killed.kill();
  const product = startProduct(target);
  expect(await product.ended()).toBe(1);
  expect(product.printed().stderr).toContain('A restore into this database is under way or was cut short');
  await eventually(async () => (await tocsin(['restore', file], target)).code === 0, {
    what: 'the next restore to be done',
    within: 90_000,
  });
  expect(await namesIn(target.DATABASE_URL)).toEqual([{ name: 'One\t\\N\n' }]);
  expect(await query(target.DATABASE_URL, marked)).toEqual([]);
});

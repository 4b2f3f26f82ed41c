import { access, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ROLE } from '../../services/embedded/cluster.ts';
import { databaseUrl, THIS_MACHINE } from '../../services/embedded/database.ts';
import { openRecord } from '../../services/embedded/record.ts';
import { eventually } from '../support/wait.ts';
import { emptyDatabase, expectRestored, PASSPHRASE, shelf, startLoad, startTocsin, tocsin } from './backup-rig.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { startProduct } from './product.ts';

vi.setConfig({ testTimeout: 240_000 });

/** A DATA_DIR with the demo in it, on which nothing runs, and a physical backup of it. */
async function backedUp() {
  const [dataDir, folder] = [await emptyFolder(), await shelf()];
  const product = startProduct({ DATA_DIR: dataDir });
  const { apiKey } = await product.ready();
  product.signal('SIGTERM');
  await product.ended();
  const file = join(folder, 'a.backup');
  expect(await tocsin(['backup', file, '--physical'], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  return { dataDir, folder, file, apiKey: apiKey! };
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

test('under load: whatever was accepted before its end is there on a new machine; it holds no snapshot, and no secret can be read', async () => {
  const [dataDir, elsewhere, folder] = [await emptyFolder(), await emptyFolder(), await shelf()];
  const product = startProduct({ DATA_DIR: dataDir });
  const ready = await product.ready();
  const load = await startLoad(ready);
  const url = databaseUrl(ROLE, { host: THIS_MACHINE, ...(await openRecord(dataDir)) });
  const file = join(folder, 'a.backup');
  const backup = startTocsin(['backup', file, '--physical'], { DATA_DIR: dataDir });
  const slots = async () =>
    (await query(
      url,
      "SELECT xmin, catalog_xmin FROM pg_replication_slots WHERE slot_name = 'tocsin_backup'",
    )) as object[];
  const [held] = await eventually(
    async () => {
      const found = await slots();
      return found.length > 0 && found;
    },
    { what: 'the backup to have begun', within: 30_000 },
  );
  expect(held).toEqual({ xmin: null, catalog_xmin: null });
  const done = await backup.ended();
  expect(done).toMatchObject({ code: 0, value: { kind: 'physical', rows: 0, snapshotS: 0, secretsNeeded: [] } });
  await load.stop();
  expect(await slots()).toEqual([]);
  const until = Date.parse(done.value!.at as string);
  const calls = load.accepted.filter(({ at }) => at < until);
  expect(calls.length).toBeGreaterThan(50);
  expect(load.accepted.length).toBeGreaterThan(calls.length);

  const content = (await readFile(file)).toString('latin1');
  const { password, productPassword } = await openRecord(dataDir);
  const secrets = await Promise.all(['key-pepper', 'data-key'].map(name => readFile(join(dataDir, name), 'utf8')));
  for (const secret of [password, productPassword, ...secrets]) expect(content).not.toContain(secret.trim());
  expect(content).not.toContain('PG_VERSION');
  await product.kill();

  const restored = await tocsin(['restore', file], { DATA_DIR: elsewhere });
  expect(restored).toMatchObject({ code: 0, value: { restored: true, kind: 'physical', at: done.value!.at } });
  expect(await isThere(join(elsewhere, 'restore-under-way'))).toBe(false);
  await expectRestored(elsewhere, { apiKey: ready.apiKey!, ids: load.ids, calls });
});

test('a restore is refused in one sentence, and harms nothing', async () => {
  const { dataDir, folder, file } = await backedUp();
  const short = join(folder, 'short.backup');
  await writeFile(short, (await readFile(file)).subarray(0, -100));
  const empty = await emptyFolder();
  const own = await emptyDatabase();
  const refusals: [string, Record<string, string>, RegExp][] = [
    [
      file,
      { DATA_DIR: dataDir },
      /^DATA_DIR is not empty, and a restore overwrites nothing: name an empty folder\.\n$/,
    ],
    [file, { DATA_DIR: empty, BACKUP_PASSPHRASE: 'another passphrase' }, /^BACKUP_PASSPHRASE is not the one/],
    [short, { DATA_DIR: empty }, /is cut short/],
    [file, own, /^The backup holds the files of an embedded PostgreSQL, which go into an empty DATA_DIR alone/],
  ];
  for (const [from, settings, sentence] of refusals) {
    const refused = await tocsin(['restore', from], settings);
    expect(refused).toMatchObject({ code: 1, value: null, stderr: expect.stringMatching(sentence) });
    expect(refused.stderr.trim().split('\n')).toHaveLength(1);
  }
  expect(await readdir(empty)).toEqual([]);
  expect(await tocsin(['backup', file, '--physical'], own)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--physical takes the files of the embedded PostgreSQL, and DATABASE_URL names one/),
  });
  const { apiKey } = await startProduct({ DATA_DIR: dataDir }).ready();
  expect(apiKey).toBeUndefined();
});

test('killed in the middle it leaves what no product starts on; of two restores at once one is made, and the key opens it', async () => {
  const { file, apiKey } = await backedUp();
  const elsewhere = await emptyFolder();
  const killed = startTocsin(['restore', file], { DATA_DIR: elsewhere });
  await eventually(() => isThere(join(elsewhere, 'restore-under-way')), {
    what: 'the restore to have begun',
    within: 60_000,
  });
  await killed.kill();
  const product = startProduct({ DATA_DIR: elsewhere });
  expect(await product.ended()).toBe(1);
  expect(product.printed().stderr).toContain('A restore into this DATA_DIR is under way or was cut short');

  const both = await Promise.all([1, 2].map(() => tocsin(['restore', file], { DATA_DIR: elsewhere })));
  expect(both.map(({ code }) => code).sort()).toEqual([0, 1]);
  expect(both.find(({ code }) => code === 1)!.stderr).toMatch(
    /^The data in ".*" are in use by another Tocsin|^DATA_DIR is not empty/,
  );
  await expectRestored(elsewhere, { apiKey, ids: [], calls: [] });
  expect(await tocsin(['restore', file], { DATA_DIR: elsewhere, ...PASSPHRASE })).toMatchObject({ code: 1 });
});

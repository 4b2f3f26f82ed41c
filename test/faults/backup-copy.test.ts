import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ROLE } from '../../services/embedded/cluster.ts';
import { databaseUrl, THIS_MACHINE } from '../../services/embedded/database.ts';
import { openRecord } from '../../services/embedded/record.ts';
import { eventually } from '../support/wait.ts';
import { PASSPHRASE, shelf, tocsin } from './backup-rig.ts';
import { emptyFolder, query } from './embedded-rig.ts';
import { startProduct } from './product.ts';

vi.setConfig({ testTimeout: 240_000 });

test.each([
  ['tables', []],
  ['files of the cluster', ['--physical']],
] as const)('what was restored from the %s backs itself up beside the original, and removes nothing of it', async (_what, flags) => {
  const [dataDir, elsewhere, folder, shared] = [await emptyFolder(), await emptyFolder(), await shelf(), await shelf()];
  const original = startProduct({ DATA_DIR: dataDir });
  await original.ready();
  const url = databaseUrl(ROLE, { host: THIS_MACHINE, ...(await openRecord(dataDir)) });
  const [{ label }] = (await query(url, 'SELECT label FROM backup_state')) as [{ label: string }];
  const file = join(folder, 'a.backup');
  expect(await tocsin(['backup', file, ...flags], { DATA_DIR: dataDir })).toMatchObject({ code: 0 });
  await original.kill();
  const theirs = [`tocsin-${label}-20260101T030000Z.backup`, `tocsin-${label}-20260102T030000Z.backup.part`];
  for (const name of theirs) await writeFile(join(shared, name), 'theirs');

  expect(await tocsin(['restore', file], { DATA_DIR: elsewhere })).toMatchObject({ code: 0 });
  const settings = { DATA_DIR: elsewhere, BACKUP_DIR: shared, BACKUP_KEEP: '1', ...PASSPHRASE };
  const copy = startProduct(settings);
  await copy.ready();
  const isOwn = (name: string) => name.endsWith('.backup') && !theirs.includes(name);
  await eventually(async () => (await readdir(shared)).some(isOwn), {
    what: 'the copy to back itself up',
    within: 60_000,
  });
  copy.signal('SIGTERM');
  await copy.ended();
  const names = await readdir(shared);
  expect(names).toEqual(expect.arrayContaining(theirs));
  expect(names).toHaveLength(3);
});

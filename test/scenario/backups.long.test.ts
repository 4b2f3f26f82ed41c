import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { checkBackup } from '../../services/backup/content.ts';
import { newId } from '../../services/store/id.ts';
import { LOCKS } from '../../services/store/lock.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { dropDatabase, makeDatabase, TEMPLATE } from '../support/database.ts';
import { figureOf } from '../support/figures.ts';
import { eventually } from '../support/wait.ts';
import { holdLock } from '../support/waiting.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';
import { aFolder, backupsIn, DAY_S, doctor, HOUR_S, PASSPHRASE } from './backups-rig.ts';

/** A world that backs itself up once a day and keeps two. */
async function aWorld(folder: string, options: WorldOptions = {}) {
  const world = await startWorld({ ...options, backups: { folder, everyS: DAY_S, keep: 2, passphrase: PASSPHRASE } });
  return { world, seen: consoleOf(world, world.operator).deployment };
}

test('backups are made when they are due, each can be read to its end, and the newest stay', async () => {
  const folder = await aFolder();
  await writeFile(join(folder, 'notes.txt'), 'mine');
  const { world, seen } = await aWorld(folder);
  await world.account();
  await world.settle();
  const [first, ...none] = (await backupsIn(folder)).filter(name => name !== 'notes.txt');
  expect([first, none]).toEqual([expect.stringMatching(/^tocsin-[0-9a-f]{8}-20260115T\d{6}Z\.backup$/), []]);
  const { rows } = await checkBackup(join(folder, first!), PASSPHRASE);
  const { last, nextAt, ...rest } = await seen.getBackups({});
  expect(rest).toMatchObject({ state: 'waiting', folder, everyS: DAY_S, keep: 2, failure: '' });
  expect(rest.secretsApart).toEqual(['KEY_PEPPER', 'DATA_KEY']);
  expect(last).toMatchObject({ file: join(folder, first!), rows: BigInt(rows) });
  expect(nextAt!.seconds - last!.at!.seconds).toBe(BigInt(DAY_S));
  expect(await figureOf(world.url, 'tocsin_backup_last_success_timestamp_seconds')).toBeCloseTo(
    Number(last!.at!.seconds),
    -1,
  );
  expect(await doctor(world)).toMatchObject({ verdict: 'ok', found: expect.stringContaining(first!) });

  await world.advance(DAY_S - 1);
  expect(await backupsIn(folder)).toEqual(['notes.txt', first]);
  await world.advance(1);
  expect(await backupsIn(folder)).toHaveLength(3);
  await world.advance(DAY_S);
  const kept = await backupsIn(folder);
  expect(kept).toHaveLength(3);
  expect(kept).toContain('notes.txt');
  expect(kept).not.toContain(first);
  for (const name of kept.slice(1)) await checkBackup(join(folder, name), PASSPHRASE);
});

test('one that fails is told in one sentence, takes nothing away, and is tried again within the hour', async () => {
  const folder = await aFolder();
  const shelf = join(folder, 'shelf');
  await mkdir(shelf);
  const { world, seen } = await aWorld(shelf);
  await world.settle();
  const [first] = await backupsIn(shelf);
  const failures = () => figureOf(world.url, 'tocsin_backup_failures_total');
  const before = await failures();

  await rename(shelf, join(folder, 'away'));
  await world.advance(DAY_S);
  const sentence = `BACKUP_DIR takes a folder in which Tocsin may write, got "${shelf}": it is not there.`;
  const failed = await seen.getBackups({});
  expect(failed).toMatchObject({ state: 'waiting', failure: sentence });
  expect(failed.failedAt!.seconds - failed.last!.at!.seconds).toBe(BigInt(DAY_S));
  expect(failed.last!.file).toBe(join(shelf, first!));
  expect((await failures()) - before).toBe(1);
  expect(await doctor(world)).toMatchObject({ verdict: 'fail', found: expect.stringContaining(sentence) });
  expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
  await world.advance(HOUR_S - 1);
  expect((await failures()) - before).toBe(1);

  // A file stands where the folder was.
  await writeFile(shelf, 'mine');
  await world.advance(1);
  expect((await seen.getBackups({})).failure).toContain(`got "${shelf}": it is a file, or lies in one.`);
  await rm(shelf);
  await rename(join(folder, 'away'), shelf);
  await world.advance(HOUR_S);
  expect(await seen.getBackups({})).toMatchObject({ failure: '' });
  expect((await backupsIn(shelf)).length).toBe(2);
  expect(await doctor(world)).toMatchObject({ verdict: 'ok' });
});

test('of two processes on one database one makes each', async () => {
  const folder = await aFolder();
  const database = `backups_${newId()}`;
  const url = await makeDatabase(inject('postgresUrl'), { name: database, from: TEMPLATE });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), database));
  const letGo = await holdLock(url, LOCKS.backup);
  const [one, other] = [await aWorld(folder, { database }), await aWorld(folder, { database })];
  expect(await one.seen.getBackups({})).toMatchObject({ state: 'under_way' });
  await letGo();
  await Promise.all([one.world.settle(), other.world.settle()]);
  await eventually(async () => (await backupsIn(folder)).length === 1, { what: 'the first backup', within: 20_000 });
  for (let day = 0; day < 3; day++) {
    await Promise.all([one.world.advance(DAY_S), other.world.settle()]);
    await Promise.all([one.world.settle(), other.world.settle()]);
  }
  expect(await one.world.rows('SELECT tries::int AS tries FROM backup_state')).toEqual([{ tries: 4 }]);
  expect(await backupsIn(folder)).toHaveLength(2);
});

test('the operator has one made beside the schedule; nobody else is told of backups, or makes one', async () => {
  const folder = await aFolder();
  const { world, seen } = await aWorld(folder);
  await world.settle();
  const outsider = await newOwner(world);
  await world.advance(60);
  const { deployment } = outsider.console;
  for (const call of [deployment.getBackups, deployment.backUpNow]) {
    expect(await refusal(call({}))).toMatchObject({ code: 'PermissionDenied' });
  }
  await world.settle();
  expect(await backupsIn(folder)).toHaveLength(1);
  await seen.backUpNow({});
  await world.settle();
  const names = await backupsIn(folder);
  expect(names).toHaveLength(2);
  const { last, nextAt } = await seen.getBackups({});
  expect(last!.file).toBe(join(folder, names[1]!));
  // The schedule goes on from there.
  expect(nextAt!.seconds - last!.at!.seconds).toBe(BigInt(DAY_S));
});

test('where no folder is set up none is made, and asking for one says what to set', async () => {
  const world = await startWorld();
  const seen = consoleOf(world, world.operator).deployment;
  expect(await seen.getBackups({})).toMatchObject({ state: 'not_set', folder: '' });
  expect(await refusal(seen.backUpNow({}))).toMatchObject({
    code: 'FailedPrecondition',
    message:
      'No backups are set up: set a folder and a passphrase under Operator, Backup, or BACKUP_DIR and BACKUP_PASSPHRASE where Tocsin runs.',
  });
  expect(await doctor(world)).toMatchObject({ verdict: 'warn', found: 'Tocsin makes no backup by itself.' });
});

test('one that is under way when the process stops is given up: nothing is left of it, and it counts as never begun', async () => {
  const folder = await aFolder();
  const { world } = await aWorld(folder);
  await world.settle();
  const holder = await world.store.pool.connect();
  await holder.query('BEGIN; LOCK TABLE source IN ACCESS EXCLUSIVE MODE');
  await consoleOf(world, world.operator).deployment.backUpNow({});
  await eventually(async () => (await backupsIn(folder)).some(name => name.endsWith('.part')), { what: 'a draft' });
  const before = await backupsIn(folder);
  await world.services.close();
  await holder.query('ROLLBACK');
  holder.release();
  expect(await backupsIn(folder)).toEqual(before.filter(name => !name.endsWith('.part')));
  expect(await world.rows('SELECT failure, tried_at = made_at AS same FROM backup_state')).toEqual([
    { failure: null, same: true },
  ]);
});

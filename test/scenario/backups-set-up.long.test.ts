import { randomBytes } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toJsonString } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { GetBackupsResponseSchema } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { checkBackup } from '../../services/backup/content.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal } from '../../services/store/seal.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { figureOf } from '../support/figures.ts';
import { nobody, twoHouses } from '../support/members.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { aFolder, backupsIn, DAY_S, doctor, HOUR_S, PASSPHRASE } from './backups-rig.ts';
import { allRows } from './carriers-rig.ts';

/* DECISIONS.md "Backups set up in the console": where they go is set on the page, and counts without a restart. */

const deploymentOf = (world: World, token = world.operator, language?: string) =>
  consoleOf(world, token, undefined, language).deployment;

const LAST_MADE = 'tocsin_backup_last_success_timestamp_seconds';

test('what the operator sets up counts at once: a backup is there, opens with what was typed, and is told everywhere; off, none is made', async () => {
  const folder = await aFolder();
  const world = await startWorld();
  await world.account();
  const deployment = deploymentOf(world);
  expect(await deployment.getBackups({})).toMatchObject({ state: 'not_set', setIn: '', environment: [], version: 0 });
  const { fix } = await doctor(world);
  expect(fix).toContain('tocsin backups set');

  await deployment.setBackups({ folder: ` ${folder}/ `, everyS: HOUR_S, keep: 2, passphrase: PASSPHRASE });
  await world.settle();
  const [first, ...none] = await backupsIn(folder);
  expect(none).toEqual([]);
  const { rows } = await checkBackup(join(folder, first!), PASSPHRASE);
  const seen = await deployment.getBackups({});
  expect(seen).toMatchObject({ state: 'waiting', folder, everyS: HOUR_S, keep: 2, failure: '', leftOut: '' });
  expect(seen).toMatchObject({ setIn: 'console', environment: [], version: 1 });
  expect(seen.last).toMatchObject({ file: join(folder, first!), rows: BigInt(rows) });
  expect(seen.nextAt!.seconds - seen.last!.at!.seconds).toBe(BigInt(HOUR_S));
  expect(await figureOf(world.url, LAST_MADE)).toBeGreaterThan(0);
  expect(await doctor(world)).toMatchObject({ verdict: 'ok', found: expect.stringContaining(first!) });
  await world.advance(HOUR_S);
  await world.advance(HOUR_S);
  expect(await backupsIn(folder)).toHaveLength(2);
  expect(await backupsIn(folder)).not.toContain(first);

  await deployment.setBackups({ version: 1 });
  await world.advance(DAY_S);
  expect(await backupsIn(folder)).toHaveLength(2);
  expect(await deployment.getBackups({})).toMatchObject({ state: 'not_set', folder: '', setIn: '', version: 2 });
  expect(await figureOf(world.url, LAST_MADE)).toBeNaN();
  expect(await doctor(world)).toMatchObject({ verdict: 'warn', found: 'Tocsin makes no backup by itself.' });
  expect(await refusal(deployment.backUpNow({}))).toMatchObject({ code: 'FailedPrecondition' });
  // Once more takes nothing away, and leaves no trace.
  await deployment.setBackups({ version: 2 });
  expect(await deployment.getBackups({})).toMatchObject({ version: 2 });
});

test('the passphrase is given back nowhere and stays where it is left empty; what changes counts from the next backup on', async () => {
  const [folder, other] = [await aFolder(), await aFolder()];
  const logLines: string[] = [];
  const world = await startWorld({ logLines });
  const deployment = deploymentOf(world);
  const newest = async (of: string) => join(of, (await backupsIn(of)).at(-1)!);
  await deployment.setBackups({ folder, passphrase: PASSPHRASE });
  await world.settle();
  expect(await deployment.getBackups({})).toMatchObject({ everyS: DAY_S, keep: 7 });

  await deployment.setBackups({ folder: other, keep: 3, version: 1 });
  await world.settle();
  expect([await backupsIn(folder), await backupsIn(other)]).toEqual([[expect.any(String)], []]);
  expect(await deployment.getBackups({})).toMatchObject({ folder: other, everyS: DAY_S, keep: 3, version: 2 });
  await world.advance(60);
  await deployment.backUpNow({});
  await world.settle();
  expect(await backupsIn(folder)).toHaveLength(1);
  await checkBackup(await newest(other), PASSPHRASE);

  const anew = 'another horse, another battery';
  await deployment.setBackups({ folder: other, passphrase: anew, version: 2 });
  await world.advance(DAY_S);
  expect(await deployment.getBackups({})).toMatchObject({ keep: 3, failure: '' });
  await checkBackup(await newest(other), anew);
  await expect(checkBackup(await newest(other), PASSPHRASE)).rejects.toThrow('BACKUP_PASSPHRASE is not the one');

  const said = toJsonString(GetBackupsResponseSchema, await deployment.getBackups({}));
  for (const text of [said, await allRows(world), logLines.join('\n')]) {
    for (const secret of [PASSPHRASE, anew]) expect(text).not.toContain(secret);
  }
  expect(logLines.filter(line => line.includes('backups were set up in the console'))).toHaveLength(3);
});

test('another process goes by it, whether or not the bus tells it, and looks again before it makes one; so does the next start, and no carrier is made of it', async () => {
  const [here, there] = [await aFolder(), await aFolder()];
  const { database, dataKey } = await sharedByProcesses();
  const one = await startWorld({ database, dataKey });
  const other = await startWorld({ database, dataKey });
  const seenBy = (world: World) => deploymentOf(world, one.operator).getBackups({});
  await deploymentOf(one).setBackups({ folder: here, passphrase: PASSPHRASE });
  await eventually(async () => (await seenBy(other)).folder === here, { what: 'the other process to notice' });
  await Promise.all([one.settle(), other.settle()]);
  expect(await backupsIn(here)).toHaveLength(1);
  expect(await one.rows('SELECT tries::int AS tries FROM backup_state')).toEqual([{ tries: 1 }]);

  await one.advance(60);
  await deploymentOf(one).setBackups({ folder: there, version: 1 });
  await deploymentOf(other, one.operator).backUpNow({});
  await other.settle();
  expect(await backupsIn(here)).toHaveLength(1);
  const [made] = await backupsIn(there);
  await checkBackup(join(there, made!), PASSPHRASE);

  await one.services.close();
  await other.advance(DAY_S);
  expect(await backupsIn(there)).toHaveLength(2);
  await other.services.close();
  const next = await startWorld({ database, dataKey });
  await next.advance(DAY_S);
  expect(await backupsIn(there)).toHaveLength(3);
  expect(await seenBy(next)).toMatchObject({ folder: there, setIn: 'console', version: 2, failure: '' });
  const { carriers } = await consoleOf(next, one.operator).carriers.listCarriers({});
  expect(carriers.map(({ name }) => name)).not.toContain('backups');
  expect((await deploymentOf(next, one.operator).getDeployment({})).setUpCarriers).toEqual([]);
});

test('whoever changes what another process has not seen yet is told who was first', async () => {
  const folder = await aFolder();
  const { database, dataKey } = await sharedByProcesses();
  const [one, other] = [await startWorld({ database, dataKey }), await startWorld({ database, dataKey })];
  const there = deploymentOf(other, one.operator);
  await deploymentOf(one).setBackups({ folder, keep: 3, passphrase: PASSPHRASE });
  await eventually(async () => (await there.getBackups({})).keep === 3, { what: 'the other process to notice' });
  await deploymentOf(one).setBackups({ folder, keep: 5, version: 1 });
  const { keep, version } = await there.getBackups({});
  expect([
    [3, 1],
    [5, 2],
  ]).toContainEqual([keep, version]);
  const unseen = await refusal(there.setBackups({ folder, keep: 9, version: 1 }));
  expect(unseen).toMatchObject({ code: 'Aborted' });
  await deploymentOf(one).setBackups({ version: 2 });
  await one.services.close();
  await other.services.close();
  const next = await startWorld({ database, dataKey });
  expect(await deploymentOf(next, one.operator).getBackups({})).toMatchObject({ setIn: '', version: 3 });
});

test('a backup that is under way ends where it began, and no second one is made beside it', async () => {
  const [here, there] = [await aFolder(), await aFolder()];
  const world = await startWorld();
  const deployment = deploymentOf(world);
  const holder = await world.store.pool.connect();
  await holder.query('BEGIN; LOCK TABLE source IN ACCESS EXCLUSIVE MODE');
  await deployment.setBackups({ folder: here, passphrase: PASSPHRASE });
  await eventually(async () => (await backupsIn(here)).some(name => name.endsWith('.part')), { what: 'a draft' });
  await deployment.setBackups({ folder: there, passphrase: 'another horse, another battery', version: 1 });
  await deployment.backUpNow({});
  expect(await deployment.getBackups({})).toMatchObject({ state: 'under_way', folder: there });
  expect(await backupsIn(there)).toEqual([]);
  await holder.query('ROLLBACK');
  holder.release();
  await world.settle();
  const [begun] = await backupsIn(here);
  await checkBackup(join(here, begun!), PASSPHRASE);
  const [asked] = await backupsIn(there);
  await checkBackup(join(there, asked!), 'another horse, another battery');
  expect(await world.rows('SELECT tries::int AS tries FROM backup_state')).toEqual([{ tries: 2 }]);
});

test('a folder that cannot be used is refused with what is wrong with it, and nothing is stored', async () => {
  const shelf = await aFolder();
  const dataDir = join(shelf, 'data');
  await mkdir(join(dataDir, 'inside'), { recursive: true });
  await mkdir(join(shelf, 'data-beside'));
  await symlink(dataDir, join(shelf, 'link'));
  await writeFile(join(shelf, 'file'), 'mine');
  const world = await startWorld({ dataDir });
  const refused = async (folder: string, language?: string) => {
    const set = deploymentOf(world, world.operator, language).setBackups({ folder, passphrase: PASSPHRASE });
    const { code, fields } = await refusal(set);
    return `${code} ${fields.folder}`;
  };
  for (const folder of ['backups', './backups', '/back\u0007ups', `/${'a'.repeat(500)}`]) {
    expect(await refused(folder), folder).toMatch(/^InvalidArgument takes an absolute path such as \/backups/);
  }
  const takes = 'InvalidArgument takes a folder in which Tocsin may write, got';
  const missing = join(shelf, 'missing');
  expect(await refused(missing)).toBe(`${takes} "${missing}": it is not there.`);
  expect(await refused(missing, 'de')).toBe(
    `InvalidArgument erwartet einen Ordner, in den Tocsin schreiben darf, angegeben ist "${missing}": Es gibt ihn nicht.`,
  );
  expect(await refused(join(shelf, 'file'))).toContain('it is a file, or lies in one.');
  expect(await refused(`/${'a'.repeat(300)}`)).toContain(': ENAMETOOLONG.');
  for (const folder of [dataDir, `${dataDir}/`, join(dataDir, 'inside'), join(shelf, 'link', 'inside')]) {
    expect(await refused(folder), folder).toContain(': it is DATA_DIR or lies in it');
  }
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
  await deploymentOf(world).setBackups({ folder: join(shelf, 'data-beside'), passphrase: PASSPHRASE });
  expect(await world.rows('SELECT part, names FROM deployment_setting')).toEqual([
    { part: 'backups', names: ['BACKUP_DIR', 'BACKUP_EVERY', 'BACKUP_KEEP', 'BACKUP_PASSPHRASE'] },
  ]);
});

test.each([
  ['everyS', { everyS: 540 }, 'takes whole minutes from 600 to 2678400 seconds, got 540.'],
  ['everyS', { everyS: 601 }, 'takes whole minutes from 600 to 2678400 seconds, got 601.'],
  ['everyS', { everyS: 2_678_460 }, 'takes whole minutes from 600 to 2678400 seconds, got 2678460.'],
  ['keep', { keep: 1_001 }, 'takes 1 to 1000, got 1001.'],
  ['keep', { keep: -1 }, 'takes 1 to 1000, got -1.'],
  ['passphrase', { passphrase: '' }, /^takes 12 to 500 characters .*, got nothing\.$/],
  ['passphrase', { passphrase: 'hunter2' }, /, got 7 characters\.$/],
  ['passphrase', { passphrase: 'hunter2 hunter2 ' }, /with no blank at either end .*, got 16 characters\.$/],
  ['passphrase', { passphrase: 'hunter2\nhunter2' }, /, got 15 characters\.$/],
  ['passphrase', { passphrase: 'hunter2'.repeat(72) }, /, got 504 characters\.$/],
] as const)('%s as in %j is refused, and no passphrase is said', async (field, typed, problem) => {
  const world = await startWorld();
  const set = deploymentOf(world).setBackups({ folder: await aFolder(), passphrase: PASSPHRASE, ...typed });
  const { code, fields, message } = await refusal(set);
  expect([code, fields]).toEqual([
    'InvalidArgument',
    { [field]: typeof problem === 'string' ? problem : expect.stringMatching(problem) },
  ]);
  expect(message).not.toContain('hunter2');
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
});

test('what stands in the environment counts alone, and a copy with CONSOLE_CARRIERS=refused makes none', async () => {
  const [typed, fixed] = [await aFolder(), await aFolder()];
  const set = { folder: typed, passphrase: PASSPHRASE };
  const { database, dataKey } = await sharedByProcesses();
  const original = await startWorld({ database, dataKey });
  await deploymentOf(original).setBackups(set);
  await original.settle();
  await original.services.close();
  const token = original.operator;

  const ruled = await startWorld({ database, dataKey, backups: { ...set, folder: fixed, everyS: HOUR_S, keep: 5 } });
  expect(await deploymentOf(ruled, token).getBackups({})).toMatchObject({
    folder: fixed,
    setIn: 'environment',
    environment: ['BACKUP_DIR', 'BACKUP_PASSPHRASE'],
  });
  for (const change of [{ ...set, version: 1 }, { version: 1 }]) {
    expect(await refusal(deploymentOf(ruled, token).setBackups(change))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringContaining('set up in the environment (BACKUP_DIR, BACKUP_PASSPHRASE): change that there'),
    });
  }
  await ruled.advance(HOUR_S);
  await ruled.services.close();

  const half = await startWorld({ database, dataKey, backupEnv: ['BACKUP_PASSPHRASE'] });
  expect(await deploymentOf(half, token).getBackups({})).toMatchObject({ state: 'not_set', setIn: 'environment' });
  expect((await doctor(half, token)).fix).toContain('Set BACKUP_DIR too where Tocsin runs, as BACKUP_PASSPHRASE is');
  await half.services.close();

  const copy = await startWorld({ database, dataKey, consoleCarriers: 'refused' });
  expect(await deploymentOf(copy, token).getBackups({})).toMatchObject({
    state: 'not_set',
    setIn: 'console',
    leftOut: 'CONSOLE_CARRIERS=refused',
  });
  expect(await refusal(deploymentOf(copy, token).setBackups({ ...set, version: 1 }))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('CONSOLE_CARRIERS=refused'),
  });
  expect(await deploymentOf(copy, token).getBackups({})).toMatchObject({ refused: true });
  expect(await doctor(copy, token)).toMatchObject({
    verdict: 'warn',
    found: expect.stringContaining('CONSOLE_CARRIERS=refused'),
    fix: '',
  });
  await copy.advance(7 * DAY_S);
  expect(await figureOf(copy.url, LAST_MADE)).toBeNaN();
  expect([(await backupsIn(typed)).length, (await backupsIn(fixed)).length]).toEqual([1, 1]);
});

test('what is stored and cannot be opened stops no start: it is said once in the log, and no backup is made until it is set up anew', async () => {
  const folder = await aFolder();
  const { database, dataKey } = await sharedByProcesses();
  const first = await startWorld({ database, dataKey });
  await deploymentOf(first).setBackups({ folder, passphrase: PASSPHRASE });
  await first.settle();
  await first.rows("UPDATE deployment_setting SET sealed = 'v1.nobody00.a.b.c' WHERE part = 'backups'");
  await first.advance(DAY_S);
  expect(await deploymentOf(first).getBackups({})).toMatchObject({ state: 'not_set' });
  await first.services.close();
  const logLines: string[] = [];
  const world = await startWorld({ database, dataKey, logLines });
  for (let day = 0; day < 2; day++) await world.advance(DAY_S);
  const said = logLines.filter(line => line.includes('what is stored for backups cannot be used'));
  expect(said).toEqual([expect.stringContaining('what is stored cannot be opened with this DATA_KEY')]);
  expect(await backupsIn(folder)).toHaveLength(1);
  // It is to be noticed that the latest gets old.
  expect(await figureOf(world.url, LAST_MADE)).toBeGreaterThan(0);
  const deployment = deploymentOf(world, first.operator);
  const leftOut = 'what is stored cannot be opened with this DATA_KEY';
  expect(await deployment.getBackups({})).toMatchObject({ state: 'not_set', setIn: 'console', leftOut, version: 1 });
  expect(await doctor(world, first.operator)).toMatchObject({
    verdict: 'fail',
    found: expect.stringContaining(leftOut),
  });
  expect((await refusal(deployment.setBackups({ folder, version: 1 }))).fields).toHaveProperty('passphrase');
  await deployment.setBackups({ folder, passphrase: PASSPHRASE, version: 1 });
  await world.settle();
  expect(await deployment.getBackups({})).toMatchObject({ leftOut: '', failure: '', version: 2 });
  expect(await backupsIn(folder)).toHaveLength(2);
});

test('what is stored without a folder is told in the words of whoever reads it', async () => {
  const dataKey = randomBytes(32);
  const world = await startWorld({ dataKey });
  await deploymentOf(world).setBackups({ folder: await aFolder(), passphrase: PASSPHRASE });
  const sealed = createSeal(dataKey).seal('{}');
  await world.rows("UPDATE deployment_setting SET sealed = $1 WHERE part = 'backups'", [sealed]);
  const isLeftOut = async () => (await deploymentOf(world).getBackups({})).leftOut === 'BACKUP_DIR is missing';
  await eventually(isLeftOut, { what: 'that to be noticed' });
  const seen = await deploymentOf(world, world.operator, 'de').getBackups({});
  expect(seen.leftOut).toBe('BACKUP_DIR fehlt');
});

test('of two operators at once the second is told who was first; a version of something never stored is refused', async () => {
  const world = await startWorld();
  const folders = [await aFolder(), await aFolder()];
  const results = await Promise.allSettled(
    folders.map(folder => deploymentOf(world).setBackups({ folder, passphrase: PASSPHRASE })),
  );
  const refused = results.filter(({ status }) => status === 'rejected');
  expect(refused).toHaveLength(1);
  expect(String((refused[0] as PromiseRejectedResult).reason)).toContain('Operator stored BACKUP_DIR, BACKUP_EVERY');
  expect(await refusal(deploymentOf(world).setBackups({ folder: folders[0]! }))).toMatchObject({ code: 'Aborted' });
  const unset = deploymentOf(await startWorld());
  expect((await refusal(unset.setBackups({ version: 3 }))).fields).toHaveProperty('version');
});

test('only the operator sets up backups', async () => {
  const { world, elms, outsider, as } = await twoHouses();
  const folder = await aFolder();
  const set = { folder, passphrase: PASSPHRASE };
  const others = [elms.console, outsider.console, await as('owner', 'Rita'), await as('editor', 'Emil')];
  for (const { deployment } of others) {
    for (const request of [set, {}]) {
      expect(await refusal(deployment.setBackups(request))).toMatchObject({ code: 'PermissionDenied' });
    }
  }
  const strangers = [nobody(world).deployment, deploymentOf(world, `tcn_${newId()}`)];
  for (const deployment of strangers) {
    expect(await refusal(deployment.setBackups(set))).toMatchObject({ code: 'Unauthenticated' });
  }
  await world.settle();
  expect(await backupsIn(folder)).toEqual([]);
  expect(await world.rows('SELECT * FROM deployment_setting')).toEqual([]);
});

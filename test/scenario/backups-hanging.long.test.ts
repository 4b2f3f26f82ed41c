import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { backupName } from '../../services/domain/backup.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { aFolder, backupsIn, DAY_S, hanging, PASSPHRASE, probeIn } from './backups-rig.ts';

/* A folder on a share of the network whose server is gone answers nothing, and takes the thread that asks it. */

test('a folder that hangs fails one backup, leaves the threads to others, and is exchanged for another one without a restart', async () => {
  const [hung, good] = [await aFolder(), await aFolder()];
  const world = await startWorld();
  const { deployment } = consoleOf(world, world.operator);
  await deployment.setBackups({ folder: hung, passphrase: PASSPHRASE });
  await world.settle();
  const answer = hanging(probeIn(hung));
  await world.advance(DAY_S);
  const silent = `got "${hung}": it does not answer within 5 s.`;
  expect((await deployment.getBackups({})).failure).toContain(silent);
  for (let nth = 0; nth < 4; nth++) {
    await deployment.backUpNow({});
    await world.settle();
  }
  const again = await refusal(deployment.setBackups({ folder: hung, keep: 3, version: 1 }));
  expect(again.fields.folder).toContain(silent);
  await lookup('localhost');

  await deployment.setBackups({ folder: good, version: 1 });
  await deployment.backUpNow({});
  await world.settle();
  expect(await deployment.getBackups({})).toMatchObject({ folder: good, failure: '' });
  expect(await backupsIn(good)).toHaveLength(1);

  answer();
  const isTaken = () =>
    deployment.setBackups({ folder: hung, version: 2 }).then(
      () => true,
      () => false,
    );
  await eventually(isTaken, { what: 'the folder to be taken again' });
}, 60_000);

test('a stop ends a backup that hangs within seconds, and it counts as never begun', async () => {
  const folder = await aFolder();
  const world = await startWorld();
  const { deployment } = consoleOf(world, world.operator);
  await deployment.setBackups({ folder, passphrase: PASSPHRASE });
  await world.settle();
  const [state] = await world.rows<{ label: string; now: string }>(
    'SELECT label, tocsin_now()::text AS now FROM backup_state',
  );
  const drafts = Array.from({ length: 60 }, (_, nth) => {
    const name = backupName(state!.label, new Date(Date.parse(state!.now) + (nth + 1) * 1_000));
    return join(folder, `${name}.part`);
  });
  hanging(...drafts);
  await world.advance(1);
  await deployment.backUpNow({});
  await eventually(async () => (await deployment.getBackups({})).state === 'under_way', { what: 'a backup to begin' });
  await world.services.close();
  expect(await world.rows('SELECT failure FROM backup_state')).toEqual([{ failure: null }]);
}, 60_000);

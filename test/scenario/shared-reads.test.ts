import { createClient } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { connection } from '../support/connection.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

test('whoever reads much at once uses one connection, sees nothing stale, and others are answered', async () => {
  const world = await startWorld();
  const [crowd, other] = [await world.account(), await world.account()];
  const [alarmId] = [await crowd.alarm(), await other.alarm()];
  const [crowdKey, otherKey] = [await crowd.key(), await other.key()];
  const describe = (key: string) => world.get('/v1/integration/describe', key);
  expect((await describe(crowdKey)).status).toBe(200);

  const holder = await connection(world.databaseUrl);
  await holder.query('BEGIN');
  await holder.query('LOCK TABLE mode IN ACCESS EXCLUSIVE MODE');
  const waiting = async () =>
    (await world.rows("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%mode m%'")).length;
  const early = Array.from({ length: 60 }, () => describe(crowdKey));
  await eventually(async () => (await waiting()) === 1, { what: 'the first of the crowd to read' });
  await world.rows("UPDATE source SET name = 'Renamed' WHERE id = $1", [alarmId]);
  const late = Array.from({ length: 60 }, () => describe(crowdKey));
  const others = describe(otherKey);
  await eventually(async () => (await waiting()) === 2, { what: 'the other account to read beside them' });
  await holder.query('COMMIT');

  expect((await others).status).toBe(200);
  for (const answer of await Promise.all(early)) expect(answer.status).toBe(200);
  for (const answer of await Promise.all(late)) expect(JSON.stringify(answer.body)).toContain('Renamed');
});

test('those who read the same at the same moment get one and the same answer, and nobody gets that of another account', async () => {
  const world = await startWorld();
  const [crowd, other] = [await world.account(), await world.account()];
  for (const owner of [crowd, other]) await owner.alarm();
  const [crowdKey, otherKey] = [await crowd.key(), await other.key()];
  const services = createClient(InventoryService, world.services.transport);
  for (const read of [services.describe, services.getState]) {
    const as = (key: string) => read({}, { headers: { 'x-api-key': key } });
    const [first, second, third, others] = await Promise.all([crowdKey, crowdKey, crowdKey, otherKey].map(as));
    expect(third).toBe(second);
    expect(second).toEqual(first);
    expect(others).not.toEqual(first);
    expect(await as(crowdKey)).not.toBe(second);
  }
});

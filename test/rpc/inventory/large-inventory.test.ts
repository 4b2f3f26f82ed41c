import { expect, test } from 'vitest';
import { createStates } from '../../../services/inventory/large-inventories.ts';
import { createKeyDigests } from '../../../services/store/key-digests.ts';
import { newOwner } from '../../support/console.ts';
import { addAlarm } from '../../support/owned.ts';
import { statementsOf } from '../../support/statements.ts';
import { expectInTime } from '../../support/wait.ts';
import { PEPPER, startWorld } from '../../support/world.ts';

/* DECISIONS.md "Caching": a large inventory is kept in memory, and never a moment too long. */

const MANY = 600;

interface Described {
  locations: { name: string; alarms: { id: string; name: string; modes: { name: string }[] }[] }[];
}

async function largeAccount() {
  const world = await startWorld();
  const { accountId, console: own } = await newOwner(world);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Hub' } });
  await world.store.orm.em.fork().transactional(async em => {
    for (let n = 0; n < MANY; n++) addAlarm(em, { accountId, locationId: location!.id, name: `Alarm ${n}`, modes: {} });
  });
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  const describe = async (key = secret) => {
    const { status, body } = await world.get('/v1/integration/describe', key);
    return status === 200 ? (body.data as unknown as Described).locations[0]! : status;
  };
  const house = async () => {
    const location = await describe();
    return typeof location === 'number' ? location : location.alarms.find(({ id }) => id === alarm!.id);
  };
  const states = async () => {
    const { body } = await world.get('/v1/integration/state', secret);
    return (body.data as unknown as { alarms: { id: string; state: string }[] }).alarms;
  };
  return { world, own, alarm: alarm!, secret, describe, house, states };
}

test('each change shows in the very next describe, whoever made it', async () => {
  const { world, own, alarm, describe, house } = await largeAccount();
  expect(await describe()).toMatchObject({ name: 'Home' });
  expect(await house()).toMatchObject({ name: 'House' });

  const renamed = (await own.alarms.updateAlarm({ alarm: { ...alarm, name: 'Barn' } })).alarm!;
  expect(await house()).toMatchObject({ name: 'Barn' });
  await world.rows("UPDATE mode SET name = 'Gone fishing' WHERE source_id = $1 AND id = 'away'", [alarm.id]);
  expect(JSON.stringify(await house())).toContain('Gone fishing');
  await world.rows("UPDATE location SET name = 'Farm'");
  expect(await describe()).toMatchObject({ name: 'Farm' });
  await own.alarms.updateAlarm({ alarm: { ...renamed, disabled: true } });
  expect(await house()).toBeUndefined();
});

test('a key that ends sees nothing more, and a key for one alarm never more than that', async () => {
  const { world, own, alarm, secret, describe } = await largeAccount();
  const one = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera', alarmId: alarm.key } });
  const outsider = await newOwner(world, 'Outsider');
  const { secret: foreign } = await outsider.console.apiKeys.createApiKey({ apiKey: { label: 'Hub' } });
  expect(await describe()).toHaveProperty('alarms.length', MANY + 1);
  expect(await describe(one.secret)).toHaveProperty('alarms.length', 1);
  expect(await describe(foreign)).toBeUndefined();

  await own.apiKeys.revokeApiKey({ apiKeyId: 'hub' });
  expect(await describe(secret)).toBe(401);
});

test('what has not changed is given again without being read or written out anew', async () => {
  const { world, alarm, describe } = await largeAccount();
  const timed = async () => {
    const began = performance.now();
    await describe();
    return performance.now() - began;
  };
  await timed();
  const asked = statementsOf(world.store.pool);
  const [changed, same]: [number[], number[]] = [[], []];
  for (let n = 0; n < 9; n++) {
    await world.rows('UPDATE source SET name = $1 WHERE id = $2', [`House ${n}`, alarm.id]);
    changed.push(await timed());
    same.push(await timed());
  }
  expect(asked('describe').all).toBe(changed.length);
  // The best of each, as whatever else the machine does makes some of them late.
  expectInTime(Math.min(...same), 0.75 * Math.min(...changed));
});

test('each change of a state shows in the very next one, and a key that ends sees none', async () => {
  const { world, own, alarm, secret, states } = await largeAccount();
  const call = async (action: string) => {
    expect((await world.get(`/v1/alarm/${alarm.id}/${action}`, secret)).status).toBe(202);
    await world.settle();
    return (await states()).find(({ id }) => id === alarm.id)?.state;
  };
  expect(await states()).toHaveLength(MANY + 1);
  expect(await call('arm/night')).toBe('night');
  expect(await call('trigger')).toBe('triggered');
  expect(await call('clear')).toBe('night');
  expect(await call('disarm')).toBe('disarmed');
  await own.alarms.updateAlarm({ alarm: { ...alarm, disabled: true } });
  expect(await states()).toHaveLength(MANY);
  await own.apiKeys.revokeApiKey({ apiKeyId: 'hub' });
  expect((await world.get('/v1/integration/state', secret)).status).toBe(401);
});

test('a state that has not changed is the same rows, which are written out once', async () => {
  const { world, alarm, secret } = await largeAccount();
  const read = createStates(world.store.pool);
  const digest = createKeyDigests(PEPPER).digestOf(secret)!;
  const rows = await read(digest);
  expect(await read(digest)).toBe(rows);
  await world.get(`/v1/alarm/${alarm.id}/arm/away`, secret);
  await world.settle();
  const armed = await read(digest);
  expect(armed).not.toEqual(rows);
  expect(await read(digest)).toBe(armed);
});

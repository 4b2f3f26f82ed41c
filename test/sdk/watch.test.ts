import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../facade/sdk/client.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';
import { HandClock } from './hand-clock.ts';
import { aHouse, watching } from './rig.ts';

/* A watch before the whole product. Its own time stands still where a hand moves it: what happens then happens by signal. */

test('each change is known, by signal and not by poll', async () => {
  const { owner, alarmId, url, console } = await aHouse();
  const key = await owner.key();
  const client = createClient({ url, key });
  const told = watching({ url, key, clock: new HandClock() });
  await told.link('up');
  await told.state('disarmed');
  for (const [act, state] of [
    [() => client.arm(alarmId), 'away'],
    [() => client.arm(alarmId, 'night'), 'night'],
    [() => client.trigger(alarmId), 'triggered'],
    [() => client.clear(alarmId), 'night'],
    [() => client.disarm(alarmId), 'disarmed'],
  ] as const) {
    await act();
    await told.state(state);
  }
  const { alarm } = await console.alarms.getAlarm({ alarmId });
  const renamed = { id: alarmId, name: 'Barn', version: alarm!.version };
  await console.alarms.updateAlarm({ alarm: renamed, updateMask: { paths: ['name'] } });
  await eventually(() => told.inventories.at(-1)?.locations[0]?.alarms[0]?.name === 'Barn', { what: 'the new name' });
  expect(told.problems).toEqual([]);
  expect(told.links).toEqual([{ status: 'up', why: null }]);
});

test('many changes at once are few reads, and the last of them is known', async () => {
  const { owner, alarmId, url } = await aHouse();
  const key = await owner.key();
  const client = createClient({ url, key });
  const told = watching({ url, key, clock: new HandClock() });
  await told.link('up');
  await told.state('disarmed');
  const before = told.count('/state');
  const started = performance.now();
  for (let round = 0; round < 40; round++) await client.arm(alarmId, round % 2 === 0 ? 'away' : 'night');
  await client.disarm(alarmId);
  await client.arm(alarmId, 'away');
  await told.state('away');
  // The service signals at most four times a second.
  const most = 2 + (performance.now() - started) / 250;
  expect(told.count('/state') - before).toBeLessThanOrEqual(most);
});

test('after a restart of the server it is back by itself, and knows what happened meanwhile', async () => {
  const { world, owner, alarmId, url, close, open } = await aHouse();
  const key = await owner.key();
  const clock = new HandClock();
  const told = watching({ url, key, clock });
  await told.link('up');
  await told.state('disarmed');

  await close();
  await told.link('down');
  expect(told.links.at(-1)?.why).toContain('1012');
  // The next tries find nobody.
  for (const tries of [3, 4]) {
    clock.advance(5_000);
    await eventually(() => told.links.length >= tries, { what: 'a try that fails' });
  }
  await world.get(`/v1/alarm/${alarmId}/arm`, key);
  expect(told.states.at(-1)?.alarms[0]?.state).toBe('disarmed');
  await open();
  clock.advance(60_000);
  await told.link('up');
  await told.state('away');
  await createClient({ url, key }).disarm(alarmId);
  await told.state('disarmed');
  expect(told.stopped).toEqual([]);
});

test('with a key that is revoked it stops for good, at once and with the reason', async () => {
  const { owner, url, console } = await aHouse();
  const { id, secret } = await owner.keyWithId();
  const clock = new HandClock();
  const told = watching({ url, key: secret, clock });
  await told.link('up');
  await console.apiKeys.revokeApiKey({ apiKeyId: id });
  await eventually(() => told.stopped.length > 0, { what: 'the end' });
  expect(told.stopped).toEqual(['unauthorized']);
  expect(told.links.at(-1)).toEqual({ status: 'down', why: expect.stringContaining('4401') });
  const asked = told.asked.length;
  expect(clock.waiting).toEqual([]);
  clock.advance(10 * 3_600_000);
  expect(told.asked).toHaveLength(asked);
});

test('with a key that does not exist it stops before it opens a socket', async () => {
  const { url } = await aHouse();
  const told = watching({ url, key: 'toc_never', clock: new HandClock() });
  await eventually(() => told.stopped.length > 0, { what: 'the end' });
  expect(told).toMatchObject({ stopped: ['unauthorized'], links: [], states: [], inventories: [], problems: [] });
});

test('closed it tells nothing more, waits for nothing and leaves no socket', async () => {
  const { world, owner, alarmId, url } = await aHouse();
  const key = await owner.key();
  const clock = new HandClock();
  const [told, other] = [watching({ url, key, clock }), watching({ url, key, clock: new HandClock() })];
  for (const each of [told, other]) {
    await each.link('up');
    await each.state('disarmed');
  }
  told.close();
  const before = JSON.stringify(told);
  expect(clock.waiting).toEqual([]);
  await world.get(`/v1/alarm/${alarmId}/arm`, key);
  await other.state('away');
  clock.advance(3_600_000);
  expect(JSON.stringify(told)).toBe(before);
  await eventually(async () => (await (await fetch(`${url}/metrics`)).text()).includes('tocsin_realtime_sockets 1\n'), {
    what: 'one socket less',
  });
});

test('a key for one alarm follows that alarm, also with the WebSocket of another', async () => {
  const { world, owner, alarmId, url } = await aHouse();
  await owner.alarm({ name: 'Barn' });
  const told = watching({ url, key: await owner.key(alarmId), clock: new HandClock(), WebSocket });
  await told.link('up');
  await told.state('disarmed');
  await world.get(`/v1/alarm/${alarmId}/arm`, await owner.key());
  await told.state('away');
  expect(told.states.at(-1)?.alarms).toHaveLength(1);
});

test('when describe leads elsewhere it goes there, and hears of changes there', async () => {
  const { world, owner, alarmId, url, moveTo, console } = await aHouse();
  const key = await owner.key();
  const told = watching({ url, key, clock: new HandClock() });
  await told.link('up');
  await told.state('disarmed');
  // The world has a door of its own, beside that of the house.
  moveTo(world.url);
  const { alarm } = await console.alarms.getAlarm({ alarmId });
  const renamed = { id: alarmId, name: 'Barn', version: alarm!.version };
  await console.alarms.updateAlarm({ alarm: renamed, updateMask: { paths: ['name'] } });
  await eventually(() => told.links.length === 3, { what: 'the move' });
  expect(told.links.map(({ status }) => status)).toEqual(['up', 'down', 'up']);
  expect(told.inventories.at(-1)?.realtime?.realtimeHost).toBe(new URL(world.url).host);
  await world.get(`/v1/alarm/${alarmId}/arm`, key);
  await told.state('away');
});

test('a socket that is refused for another cause than the key is tried again until there is room', async () => {
  const { owner, url } = await aHouse({ socketsPerKey: 1 });
  const key = await owner.key();
  const clock = new HandClock();
  const first = watching({ url, key, clock: new HandClock() });
  await first.link('up');
  const told = watching({ url, key, clock });
  await told.link('down');
  expect(told.links.at(-1)?.why).toContain('LimitExceededError');
  clock.advance(1_000);
  await eventually(() => told.links.length === 2, { what: 'the second refusal' });
  first.close();
  await eventually(
    async () => {
      clock.advance(1_000);
      return told.links.at(-1)?.status === 'up';
    },
    { what: 'a place' },
  );
  expect(told.stopped).toEqual([]);
});

test('where a deployment has no realtime it polls, and says nothing of a link', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  const key = await owner.key();
  const clock = new HandClock();
  const told = watching({ url: world.url, key, clock });
  await told.state('disarmed');
  await eventually(() => told.inventories.length === 1, { what: 'the inventory' });
  await world.get(`/v1/alarm/${alarmId}/arm`, key);
  await world.settle();
  clock.advance(60_000);
  await told.state('away');
  expect(told.links).toEqual([]);
});

test('where there is no WebSocket at all it says so instead of polling quietly', () => {
  const before = globalThis.WebSocket;
  Object.assign(globalThis, { WebSocket: undefined });
  try {
    const client = createClient({ url: 'http://127.0.0.1:9', key: 'toc_any' });
    expect(() => client.watch({})).toThrow(/WebSocket.*package ws/);
  } finally {
    Object.assign(globalThis, { WebSocket: before });
  }
});

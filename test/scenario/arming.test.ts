import { expect, test } from 'vitest';
import type { Owner } from '../support/owner.ts';
import { startWorld, type World } from '../support/world.ts';

/** An alarm and what its state answers. */
async function anAlarm(world: World, owner: Owner, settings = {}) {
  const id = await owner.alarm(settings);
  const key = await owner.key();
  return {
    id,
    do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key),
    async state() {
      await world.settle();
      const { body } = await world.get('/v1/integration/state', key);
      return (body.data.alarms as { id: string; state: string }[]).find(alarm => alarm.id === id)?.state;
    },
  };
}

test.each([
  ['disarmed', ['arm'], 'away'],
  ['armed night', ['arm/night', 'arm'], 'night'],
  ['armed night, named mode wins', ['arm/night', 'arm/home'], 'home'],
  ['disarm clears the armed mode, so a later bare arm yields away', ['arm/night', 'disarm', 'arm'], 'away'],
  ['disarm is safe to repeat', ['arm', 'disarm', 'disarm'], 'disarmed'],
  ['arming twice is one state', ['arm/vacation', 'arm/vacation'], 'vacation'],
])('arming (SPEC.md 3), %s: %j leads to %s', async (_from, actions, state) => {
  const world = await startWorld();
  const alarm = await anAlarm(world, await world.account());
  for (const action of actions) expect((await alarm.do(action)).status).toBe(202);
  expect(await alarm.state()).toBe(state);
});

test('a bare arm or trigger after the armed mode was deleted acts on away, and the alarm still counts as armed', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarm = await anAlarm(world, owner, { onlyWhenArmed: true });
  await alarm.do('arm/night');
  await world.settle();
  await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'night'", [alarm.id]);

  expect((await alarm.do('trigger')).status).toBe(202);
  expect(await alarm.state()).toBe('triggered');
  expect((await owner.incidents())[0]?.mode).toBe('away');
  await alarm.do('clear');
  expect((await alarm.do('arm')).status).toBe(202);
  expect(await alarm.state()).toBe('away');
});

test('a bare arm stores away even where the alarm has no away mode; a bare trigger then finds none: 404', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarm = await anAlarm(world, owner);
  await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'away'", [alarm.id]);

  expect((await alarm.do('arm')).status).toBe(202);
  expect(await alarm.state()).toBe('away');
  expect((await alarm.do('trigger')).status).toBe(404);
  expect(await owner.incidents()).toEqual([]);
});

test('a mode that the alarm does not have is a plain 404 for arm and trigger, never another mode', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarm = await anAlarm(world, owner);
  await world.rows("DELETE FROM mode WHERE source_id = $1 AND id = 'night'", [alarm.id]);
  await alarm.do('arm/home');

  for (const action of ['arm/night', 'trigger/night']) {
    const { status, body } = await alarm.do(action);
    expect([status, body.error, body.links, body.data]).toEqual([404, true, {}, {}]);
    await world.settle();
    expect((await owner.call({ body } as never)).outcome).toBe('mode_missing');
  }
  expect(await alarm.state()).toBe('home');
});

test('state shows triggered while an incident is open and the armed mode again afterwards: clear leaves arming alone', async () => {
  const world = await startWorld();
  const alarm = await anAlarm(world, await world.account());
  await alarm.do('arm/home');
  await alarm.do('trigger');
  expect(await alarm.state()).toBe('triggered');
  await alarm.do('clear');
  expect(await alarm.state()).toBe('home');
});

test('a call sent after another one’s 202 applies after it, whatever the engine does in between', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarm = await anAlarm(world, owner);
  for (let round = 0; round < 30; round++) {
    const mode = ['home', 'away', 'night', 'vacation'][round % 4];
    await alarm.do('disarm');
    await alarm.do(`arm/${mode}`);
    const fired = await alarm.do('trigger');
    expect(await alarm.state()).toBe('triggered');
    await alarm.do('clear');
    expect(await alarm.state()).toBe(mode);
    expect((await owner.call(fired)).mode).toBe(mode);
  }
});

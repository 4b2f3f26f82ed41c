import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

test('days prints the last 30 days of an alarm or a panic button, what is not known as such, and the same as JSON', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const { rpcUrl: TOCSIN_RPC_URL, operator: TOCSIN_TOKEN } = world;
  const shell = commandLine({ TOCSIN_RPC_URL, TOCSIN_TOKEN, TOCSIN_ACCOUNT: owner.accountId });
  await shell.text('alarms', 'create', '--name', 'House', '--location', owner.locationId, '--live', '--mode', 'night');
  const { id } = (await shell.json('alarms', 'list')).json.items[0];
  const key = await owner.key();
  for (const verb of ['arm/night', 'trigger']) {
    expect((await world.get(`/v1/alarm/${id}/${verb}`, key)).status).toBe(202);
    await world.settle();
  }
  await world.advance(2 * 3600);
  const shown = await shell.text('alarms', 'days', 'house');
  expect(shown).toMatchObject({ exit: 0, err: '' });
  expect(shown.out).toMatch(/^2026-01-14 +before +\? +\? +\? +\? +\? +\?$/m);
  expect(shown.out).toMatch(/^2026-01-15 +part +2 +night:2h +1 +0 +0 +-$/m);
  const { days } = (await shell.json('alarms', 'days', id)).json;
  expect(days).toHaveLength(30);
  expect(days.at(-1)).toMatchObject({ day: '2026-01-15', known: 'part', calls: 2, liveIncidents: 1 });

  const button = await owner.panicButton({ name: 'Bedside' });
  const pressed = await shell.text('panic-buttons', 'days', button);
  expect(pressed.out).toMatch(/^2026-01-15 +whole +0 +- +0 +0 +0 +-$/m);
  expect((await shell.text('alarms', 'days', 'shed')).exit).not.toBe(0);
});

import { expect, test } from 'vitest';
import { readToApply } from '../../services/configuration/file/apply.ts';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { type Demo, seedDemo } from '../../services/start/demo.ts';
import { createSeal } from '../../services/store/seal.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { consoleOf } from '../support/console.ts';
import { PEPPER, startWorld, type World } from '../support/world.ts';

/** The demo in an empty world. */
async function filled(world: World): Promise<Demo> {
  const on = {
    orm: world.store.orm,
    seal: createSeal(Buffer.alloc(32)),
    bus: world.bus,
    pepper: PEPPER,
    kept: KEEP_ALL,
  };
  const demo = await inTransaction(world.store.pool, client =>
    seedDemo(client, { plan: 'paid', demoEmail: null, read: (text, secrets) => readToApply(on, text, secrets) }),
  );
  return demo!;
}

test('every alarm of the demo fires only when it is armed, and disarming clears (DECISIONS.md "Default of only-trigger-when-armed")', async () => {
  const world = await startWorld();
  const { accountId, apiKey, liveAlarmId } = await filled(world);
  const outsider = await world.account();
  const { alarms } = await consoleOf(world, world.operator, accountId).alarms.listAlarms({});
  expect(alarms.length).toBeGreaterThan(2);
  for (const { onlyWhenArmed, clearOnDisarm } of alarms) expect([onlyWhenArmed, clearOnDisarm]).toEqual([true, true]);
  const status = async (action: string, key = apiKey) =>
    (await world.get(`/v1/alarm/${liveAlarmId}/${action}`, key)).status;
  expect(await status('trigger')).toBe(404);
  expect(await status('arm')).toBe(202);
  expect(await status('trigger')).toBe(202);
  expect(await status('trigger', await outsider.key())).toBe(404);
});

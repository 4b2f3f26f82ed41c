import { expect, test, vi } from 'vitest';
import { oldAccount } from './upgrade/old-account.ts';
import { OLD_LEASE } from './upgrade/old-lease.ts';
import { startOldVersion } from './upgrade/old-version.ts';
import { startNewVersion, versionBefore } from './upgrade/rig.ts';

vi.setConfig({ testTimeout: 120_000 });
const before = versionBefore();

/* The step to the journal while the lanes of the version before go on sending. */
test('lanes of the version before that go on sending neither stop the step nor are stopped by it', async () => {
  const database = await before.database();
  const owner = await oldAccount(database, 'Owner');
  const house = await owner.alarm('House');
  const old = startOldVersion(database.url);
  await old.accept({ digest: owner.key.digest, sourceId: house, verb: 'trigger' });
  await old.applyAll();
  let state: 'on' | 'off' = 'on';
  const faults: unknown[] = [];
  const lanes = ['text', 'call', 'email', 'push', 'webhook'].map(async channel => {
    while (state === 'on')
      await old.pool
        .query({ name: 'lease_deliveries', text: OLD_LEASE, values: [channel, 10, 10, 45, 5, 3600] })
        .catch(fault => faults.push(fault));
  });
  try {
    const { world } = await startNewVersion(database);
    await world.settle();
  } finally {
    state = 'off';
    await Promise.all(lanes);
  }
  expect(faults.map(fault => (fault as Error).message)).toEqual([]);
});

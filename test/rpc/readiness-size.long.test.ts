import { expect, test } from 'vitest';
import { anOwner } from './readiness-rig.ts';

test('thousands of alarms are looked at in one go, whichever way they are found, in time that grows as they do', async () => {
  const { world, owner, anna, policyId, own, readiness } = await anOwner();
  const { accountId, locationId } = owner;
  const fill = async (from: number, to: number) => {
    await world.rows(
      `INSERT INTO source (account_id, id, key, kind, location_id, name, test)
       SELECT $1, 'a' || lpad(n::text, 31, '0'), 'alarm-' || n, 'alarm', $2, 'Alarm ' || n, false FROM generate_series($3::int, $4::int) n`,
      [accountId, locationId, from, to],
    );
    await world.rows(
      'INSERT INTO source_state (account_id, source_id) SELECT account_id, id FROM source ON CONFLICT DO NOTHING',
    );
    await world.rows(
      `INSERT INTO mode (account_id, source_id, id, name, policy_id)
       SELECT account_id, s.id, m, m, $1 FROM source s, unnest(ARRAY['home', 'away', 'night', 'vacation']) m
       ON CONFLICT DO NOTHING`,
      [policyId],
    );
  };
  let version = 0;
  const look = async (alarms: number) => {
    version++;
    const began = performance.now();
    const { sources, total, ready } = await readiness.getReadiness({});
    expect([sources.length, total, ready]).toEqual([Math.min(alarms, 1000), alarms, alarms]);
    const updateMask = { paths: ['name'] };
    const name = `Changed ${version}`;
    for (const { findings } of [
      await own.locations.updateLocation({ location: { id: locationId, version, name }, updateMask }),
      await own.contacts.updateContact({ contact: { id: anna, version, name }, updateMask }),
      await own.policies.updatePolicy({ policy: { id: policyId, version, name }, updateMask }),
    ]) {
      expect(findings.map(({ code }) => code)).toEqual(Array(50).fill('no_carrier'));
    }
    return performance.now() - began;
  };
  await fill(1, 500);
  const few = Math.max(await look(500), await look(500));
  await fill(501, 4000);
  // Eight times as many: a look that compares all with all would take 64 times as long.
  expect(Math.min(await look(4000), await look(4000))).toBeLessThan(few * 32);
});

import { expect, test } from 'vitest';
import { anOwner, ownerIn } from './readiness-rig.ts';

const FEW = 500;
const MANY = 8 * FEW;
const ROUNDS = 4;

test('thousands of alarms are looked at in one go, whichever way they are found, in time that grows as they do', async () => {
  const few = await anOwner();
  const many = await ownerIn(few.world);
  await fill(few, FEW);
  await fill(many, MANY);
  // In turns, and the best of each: what else the machine does slows both alike, and nothing makes a look faster than it is.
  const best = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
  for (let version = 1; version <= ROUNDS; version++) {
    best.few = Math.min(best.few, await look(few, FEW, version));
    best.many = Math.min(best.many, await look(many, MANY, version));
  }
  // Eight times as many: a look that compares all with all would take 64 times as long.
  expect(best.many / best.few).toBeLessThan(32);
});

type Of = Awaited<ReturnType<typeof ownerIn>>;

async function fill({ world, owner, policyId }: Of, alarms: number): Promise<void> {
  const { accountId, locationId } = owner;
  await world.rows(
    `INSERT INTO source (account_id, id, key, kind, location_id, name, test)
     SELECT $1, 'a' || lpad(n::text, 31, '0'), 'alarm-' || n, 'alarm', $2, 'Alarm ' || n, false FROM generate_series(1, $3::int) n`,
    [accountId, locationId, alarms],
  );
  await world.rows(
    'INSERT INTO source_state (account_id, source_id) SELECT account_id, id FROM source WHERE account_id = $1',
    [accountId],
  );
  await world.rows(
    `INSERT INTO mode (account_id, source_id, id, name, policy_id)
     SELECT account_id, s.id, m, m, $2 FROM source s, unnest(ARRAY['home', 'away', 'night', 'vacation']) m WHERE account_id = $1`,
    [accountId, policyId],
  );
}

/** Looks at all of them, by themselves and from each thing that they stand on, which it changes; how long that took in milliseconds. */
async function look({ owner, anna, policyId, own, readiness }: Of, alarms: number, version: number): Promise<number> {
  const began = performance.now();
  const { sources, total, ready } = await readiness.getReadiness({});
  expect([sources.length, total, ready]).toEqual([Math.min(alarms, 1000), alarms, alarms]);
  const updateMask = { paths: ['name'] };
  const name = `Changed ${version}`;
  for (const { findings } of [
    await own.locations.updateLocation({ location: { id: owner.locationId, version, name }, updateMask }),
    await own.contacts.updateContact({ contact: { id: anna, version, name }, updateMask }),
    await own.policies.updatePolicy({ policy: { id: policyId, version, name }, updateMask }),
  ]) {
    expect(findings.map(({ code }) => code)).toEqual(Array(50).fill('no_carrier'));
  }
  return performance.now() - began;
}

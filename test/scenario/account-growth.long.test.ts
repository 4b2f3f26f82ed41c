import { expect, test } from 'vitest';
import { KEEP_ALL } from '../../services/limits/kept.ts';
import { KEPT } from '../../services/limits/table.ts';
import { newOwner } from '../support/console.ts';
import { startWorld, type World } from '../support/world.ts';

/*
 * DECISIONS.md "What an account may store": what each use costs is measured, on tables that nothing else fills, and a day of all of
 * them at the rate at which they grow back is added up.
 */

const DAY_S = 86_400;
const TIMES = 300;

/** The id of no alarm. */
const NOBODYS = 'x'.repeat(32);

/** How many bytes the database grows by for each of `TIMES` rounds. */
async function bytesEach(world: World, round: (nth: number) => Promise<unknown>): Promise<number> {
  const size = async () => {
    await world.settle();
    const [row] = await world.rows<{ bytes: string }>(
      "SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
    );
    return Number(row!.bytes);
  };
  // What is made once, such as the first page of a table, is no growth.
  await round(-1);
  const before = await size();
  for (let nth = 0; nth < TIMES; nth++) await round(nth);
  return ((await size()) - before) / TIMES;
}

/** A world in which no incident plans more than it does at the limit, of an account with the largest policy there is. */
async function atItsLimit() {
  const world = await startWorld({ tables: 'fresh', kept: { ...KEEP_ALL, left: () => 0 } });
  const owner = await world.account();
  const people = await Promise.all(
    Array.from({ length: 160 }, (_, nth) => owner.contact(`Person ${nth}`, { email: `person-${nth}@example.com` })),
  );
  const contacts = people.map(contactId => ({ contactId, channels: ['email' as const] }));
  const policyId = await owner.policy([{ delayS: 600, contacts }], { times: 2, delayS: 600 });
  const modes = { away: { policyId } };
  const [live, tested] = [await owner.alarm({ modes }), await owner.alarm({ modes, test: true })];
  const key = await owner.key();
  const call = async (path: string) => {
    const { status } = await world.get(`/v1/alarm/${path}`, key);
    expect(status).toBe(path.startsWith(NOBODYS) ? 404 : 202);
  };
  return { world, owner, live, tested, call };
}

test('an account at its limits grows the database by less than 1 GB a day', async () => {
  const { world, live, tested, call } = await atItsLimit();
  const life = (of: string) => async () => {
    await call(`${of}/trigger`);
    await call(`${of}/clear`);
    await world.settle();
  };
  const test = await bytesEach(world, life(tested));
  const closing = await bytesEach(world, life(live));
  const arm = await bytesEach(world, () => call(`${live}/arm/night`));
  const refusal = await bytesEach(world, () => call(`${NOBODYS}/trigger`));
  const { console: own } = await newOwner(world);
  let counted = 0;
  const text = 'a'.repeat(400);
  const { location } = await own.locations.createLocation({ location: { name: 'Home', address: text } });
  let version = location!.version;
  const change = await bytesEach(world, async nth => {
    const renamed = { ...location!, name: `Home ${nth}`, version };
    version = (await own.locations.updateLocation({ location: renamed })).location!.version;
    counted = 300 + 2 * JSON.stringify(renamed).length;
  });

  const day = {
    // A trigger and a clear.
    test: (KEPT.test.rate.perSecond / 2) * DAY_S * test,
    closing: KEPT.closing.rate.perSecond * DAY_S * closing,
    other_calls: KEPT.other_calls.rate.perSecond * DAY_S * arm,
    refusals: KEPT.refusals.rate.perSecond * DAY_S * refusal,
    configuration: (KEPT.configuration.rate.perSecond / counted) * DAY_S * change,
  };
  const megabytes = Object.fromEntries(Object.entries(day).map(([use, bytes]) => [use, Math.round(bytes / 1e6)]));
  process.stdout.write(`a day of an account at its limits, in MB: ${JSON.stringify(megabytes)}\n`);
  const all = Object.values(day).reduce((sum, bytes) => sum + bytes, 0);
  expect(all).toBeLessThan(1e9);
}, 180_000);

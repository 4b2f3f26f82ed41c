import { expect, test } from 'vitest';
import type { Accept } from '../../../services/engine/accept/accept.ts';
import type { Call } from '../../../services/engine/accept/call.ts';
import { newId } from '../../../services/store/id.ts';
import { advanceClock } from '../../support/database.ts';
import type { Owner } from '../../support/owner.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld, type World } from '../../support/world.ts';
import { aCall, anotherProcess, verdicts, waitingCalls } from './accept-rig.ts';

/*
 * What an owner was told is done holds for the very next call, in every process, whatever was remembered: the changes here
 * come as plain SQL, so nobody hears of them.
 */

/** What a change may name: the alarm that is called and its key, another alarm and another location. */
type Ids = Record<'account' | 'location' | 'alarm' | 'other' | 'key' | 'elsewhere', string>;

/** What the call comes to: a verdict, or what its receipt or the journal says. */
type Told = string | { environment?: string; location?: string; windowS?: number };

interface Change {
  change: string;
  /** What holds before; nothing where absent. */
  given?: string;
  sql: string;
  /** The call, where it is no bare trigger; and another one in its place before the change. */
  over?: Partial<Call>;
  first?: Partial<Call>;
  before?: Told;
  after: Told;
  /** The clock moves on by so much after the change, in seconds. */
  later?: number;
}

const SOON = "tocsin_now() + interval '10 s'";

const CHANGES: Change[] = [
  { change: 'disabled', sql: 'UPDATE source SET disabled = true WHERE id = $alarm', after: 'source_disabled' },
  { change: 'deactivated', sql: 'UPDATE source SET deactivated = true WHERE id = $alarm', after: 'source_disabled' },
  {
    change: 'enabled',
    given: 'UPDATE source SET disabled = true WHERE id = $alarm',
    sql: 'UPDATE source SET disabled = false WHERE id = $alarm',
    before: 'source_disabled',
    after: 'accepted',
  },
  {
    change: 'mode deleted',
    sql: "DELETE FROM mode WHERE source_id = $alarm AND id = 'away'",
    after: 'mode_missing',
  },
  {
    change: 'armed mode deleted: a bare trigger falls back',
    given: `INSERT INTO gate SELECT seq, 0, 'night' FROM source WHERE id = $alarm;
      DELETE FROM mode WHERE source_id = $alarm AND id = 'away'`,
    sql: "DELETE FROM mode WHERE source_id = $alarm AND id = 'night'",
    after: 'mode_missing',
  },
  {
    change: 'mode made',
    given: "DELETE FROM mode WHERE source_id = $alarm AND id = 'night'",
    sql: "INSERT INTO mode (account_id, source_id, id, name) VALUES ($account, $alarm, 'night', 'Night')",
    over: { modeWord: 'night' },
    before: 'mode_missing',
    after: 'accepted',
  },
  {
    change: 'window',
    sql: "UPDATE mode SET window_s = 30 WHERE source_id = $alarm AND id = 'away'",
    before: { windowS: 0 },
    after: { windowS: 30 },
  },
  {
    change: 'only when armed',
    first: { verb: 'clear' },
    sql: 'UPDATE source SET only_when_armed = true WHERE id = $alarm',
    after: 'held_by_gate',
  },
  {
    change: 'also when disarmed',
    given: 'UPDATE source SET only_when_armed = true WHERE id = $alarm',
    sql: 'UPDATE source SET only_when_armed = false WHERE id = $alarm',
    before: 'held_by_gate',
    after: 'accepted',
  },
  { change: 'key revoked', sql: 'UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $key', after: 'key_revoked' },
  { change: 'key ends', sql: 'UPDATE api_key SET expires_at = tocsin_now() WHERE id = $key', after: 'key_expired' },
  {
    change: 'key ended by the clock',
    given: `UPDATE api_key SET expires_at = ${SOON} WHERE id = $key`,
    sql: '',
    later: 10,
    after: 'key_expired',
  },
  {
    change: 'key not ended yet',
    given: `UPDATE api_key SET expires_at = ${SOON} WHERE id = $key`,
    sql: '',
    later: 9.999,
    after: 'accepted',
  },
  {
    change: 'secret ended by the clock',
    given: `UPDATE api_key_secret SET ends_at = ${SOON} WHERE key_id = $key`,
    sql: '',
    later: 10,
    after: 'key_expired',
  },
  {
    change: 'secret ends',
    sql: 'UPDATE api_key_secret SET ends_at = tocsin_now() WHERE key_id = $key',
    after: 'key_expired',
  },
  { change: 'secret deleted', sql: 'DELETE FROM api_key_secret WHERE key_id = $key', after: 'key_unknown' },
  { change: 'key scoped elsewhere', sql: 'UPDATE api_key SET alarm_id = $other WHERE id = $key', after: 'not_found' },
  {
    change: 'key for the whole account',
    given: 'UPDATE api_key SET alarm_id = $other WHERE id = $key',
    sql: 'UPDATE api_key SET alarm_id = NULL WHERE id = $key',
    before: 'not_found',
    after: 'accepted',
  },
  {
    change: 'test switch',
    sql: 'UPDATE source SET test = true WHERE id = $alarm',
    before: { environment: 'live' },
    after: { environment: 'test' },
  },
  {
    change: 'test switch of the location',
    sql: 'UPDATE location SET test = true WHERE id = $location',
    before: { environment: 'live' },
    after: { environment: 'test' },
  },
  {
    change: 'location renamed',
    sql: "UPDATE location SET name = 'Cabin' WHERE id = $location",
    before: { location: 'Home' },
    after: { location: 'Cabin' },
  },
  {
    change: 'moved to another location',
    sql: 'UPDATE source SET location_id = $elsewhere WHERE id = $alarm',
    before: { location: 'Home' },
    after: { location: 'Elsewhere' },
  },
];

test('every change is seen by the very next call, in each of two processes that remember what was before', async () => {
  const world = await startWorld();
  await holdApplying(world.databaseUrl);
  const processes = [anotherProcess(world), anotherProcess(world)];
  const outsider = await world.account();
  const theirs = { key: await outsider.key(), sourceId: await outsider.alarm() };
  const told: unknown[] = [];
  const expected: unknown[] = [];
  for (const { change, given, sql, over, first = over, before = 'accepted', after, later = 0 } of CHANGES) {
    const owner = await world.account();
    const { secret, ids } = await anAlarm(world, owner);
    await alter(world, ids, given ?? '');
    // Twice each: what is told is then remembered, as far as anything is.
    for (const accept of [...processes, ...processes]) {
      told.push({ change, before: await ask(world, accept, aCall(secret, { sourceId: ids.alarm, ...first }), before) });
      expected.push({ change, before });
    }
    await alter(world, ids, sql);
    await advanceClock(world.store.pool, later);
    for (const accept of processes) {
      told.push({ change, after: await ask(world, accept, aCall(secret, { sourceId: ids.alarm, ...over }), after) });
      expected.push({ change, after });
      const besides = [
        aCall(theirs.key, { sourceId: theirs.sourceId }),
        aCall(theirs.key, { sourceId: ids.alarm }),
        aCall(secret, { sourceId: theirs.sourceId }),
      ];
      const [own, foreign, into] = verdicts(await Promise.all(besides.map(accept)));
      expect([own, foreign], change).toEqual(['accepted', 'not_found']);
      expect(into, change).not.toBe('accepted');
    }
  }
  expect(told).toEqual(expected);
});

/** A live alarm that nobody is alerted by, with a key, and what a change may put in its place. */
async function anAlarm(world: World, owner: Owner): Promise<{ secret: string; ids: Ids }> {
  const { id: key, secret } = await owner.keyWithId();
  const [alarm, other, elsewhere] = [await owner.alarm(), await owner.alarm(), newId()];
  await world.rows(
    `INSERT INTO location (account_id, id, key, name, address, test)
     SELECT account_id, $2, $2, 'Elsewhere', address, test FROM location WHERE id = $1`,
    [owner.locationId, elsewhere],
  );
  return { secret, ids: { account: owner.accountId, location: owner.locationId, alarm, other, key, elsewhere } };
}

/** Runs statements in which `$alarm` and the like stand for ids. */
async function alter(world: World, ids: Ids, sql: string): Promise<void> {
  await world.rows(sql.replace(/\$(\w+)/g, (_, name: keyof Ids) => `'${ids[name]}'`));
}

/** What a call comes to: as much of its receipt and of what is stored as `like` names, else the verdict. */
async function ask(world: World, accept: Accept, one: Call, like: Told): Promise<Told> {
  const judged = await accept(one);
  if (typeof like === 'string' || judged.verdict !== 'accepted') return judged.verdict;
  const stored = (await waitingCalls(world)).get(one.traceId)!;
  expect(stored.environment).toBe(judged.environment);
  const all = { environment: judged.environment, location: judged.location.name, windowS: stored.window_s };
  return Object.fromEntries(Object.keys(like).map(name => [name, all[name as keyof typeof all]]));
}

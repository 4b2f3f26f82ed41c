import { randomUUID } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { advanceClock } from '../support/database.ts';
import { holdApplying } from '../support/waiting.ts';
import { aftermath, incidents } from './upgrade/aftermath.ts';
import { type OldAccount, oldAccount } from './upgrade/old-account.ts';
import { type OldCall, startOldVersion } from './upgrade/old-version.ts';
import { type OldDatabase, startNewVersion, versionBefore } from './upgrade/rig.ts';

/*
 * The step to the journal: a database as the version before left it, with calls that wait and a log, is taken over by the
 * present version. What the version before would have made of what waits is asked of that version, on a copy.
 */
vi.setConfig({ testTimeout: 120_000 });

const before = versionBefore();

/** What the version before makes of all that waits. */
async function asBefore(database: OldDatabase) {
  const copy = await database.copy();
  const old = startOldVersion(copy.url);
  await old.applyAll();
  return aftermath(copy);
}

test('what waits is applied once, in its order, and comes to what the version before would have made of it', async () => {
  const database = await before.database();
  const [owner, other] = [await oldAccount(database, 'Owner'), await oldAccount(database, 'Other')];
  const old = startOldVersion(database.url);
  const pass = (seconds: number) => advanceClock(old.pool, seconds);
  const call = async (of: typeof owner, sourceId: string, verb: OldCall['verb'], more: Partial<OldCall> = {}) => {
    expect(await old.accept({ digest: of.key.digest, sourceId, verb, ...more })).toEqual(['accepted']);
    await pass(0.001);
  };
  const person = async (
    source_id: string,
    verb: 'acknowledge' | 'close' | 'go_live' | 'disable' | 'trigger',
    more = {},
  ) => {
    await old.own({ account_id: owner.id, source_id, verb, actor: 'Anna', ...more });
    await pass(0.001);
  };
  const openIncident = async (source_id: string) => {
    const sql = "SELECT id FROM incident WHERE source_id = $1 AND status = 'open'";
    return { incident_id: (await database.rows<{ id: string }>(sql, [source_id]))[0]!.id };
  };

  const [shop, barn, hall, porch] = [
    await owner.alarm('Shop'),
    await owner.alarm('Barn', { gated: true }),
    await owner.alarm('Hall', { windowS: 60 }),
    await owner.alarm('Porch', { windowS: 60 }),
  ];
  const [demo, shed, cabin] = [
    await owner.alarm('Demo', { test: true }),
    await owner.alarm('Shed', { clearOnDisarm: true }),
    await owner.alarm('Cabin', { gated: true }),
  ];
  const button = await owner.panicButton('Button');
  const elsewhere = await other.alarm('Elsewhere', { windowS: 60 });
  for (const sourceId of [shop, demo, shed]) await call(owner, sourceId, 'trigger');
  await call(owner, button, 'trigger', { kind: 'panic' });
  await call(owner, cabin, 'arm', { named: 'night' });
  await old.applyAll();

  await call(owner, shop, 'trigger');
  await person(shop, 'acknowledge', await openIncident(shop));
  await call(owner, shop, 'trigger');
  await person(shop, 'close', await openIncident(shop));
  await call(owner, shop, 'trigger');
  await call(owner, shop, 'arm', { named: 'night' });
  await call(owner, barn, 'arm');
  await call(owner, barn, 'trigger');
  await call(owner, barn, 'disarm');
  await call(owner, hall, 'trigger');
  await call(owner, porch, 'trigger');
  await call(other, elsewhere, 'trigger');
  await pass(59);
  await call(owner, porch, 'disarm');
  await pass(10);
  await call(owner, hall, 'disarm');
  await call(owner, hall, 'trigger');
  await person(demo, 'go_live');
  await database.rows('UPDATE source SET test = false WHERE id = $1', [demo]);
  await call(owner, demo, 'trigger');
  await call(owner, shed, 'trigger');
  await database.rows('UPDATE source SET disabled = true WHERE id = $1', [shed]);
  await person(shed, 'disable');
  await person(porch, 'trigger', { mode: 'away', environment: 'test' });
  await call(owner, button, 'clear', { kind: 'panic' });
  await call(owner, button, 'trigger', { kind: 'panic' });
  await call(owner, cabin, 'disarm');
  await call(owner, cabin, 'arm', { named: 'vacation' });
  await pass(10);
  await old.stop();

  const expected = await asBefore(database);
  const { world } = await startNewVersion(database);
  await world.settle();
  expect(await aftermath(database)).toEqual(expected);
  expect(await world.rows('SELECT FROM waiting_group UNION ALL SELECT FROM queued_action')).toEqual([]);
});

function refusedBy({ id, key }: OldAccount) {
  return { account_id: id, key_id: key.id, verb: 'trigger', outcome: 'held_by_gate' };
}

/** Chance that falls the same way each time (mulberry32). */
function dice(seed: number) {
  let state = seed;
  const roll = (sides: number) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * sides);
  };
  return { roll, one: <T>(of: readonly T[]) => of[roll(of.length)]! };
}

test.each([
  { seed: 1, waiting: 100 },
  { seed: 2, waiting: 100 },
  { seed: 3, waiting: 300 },
])('whatever waits comes to what the version before would have made of it: $waiting calls, walk $seed', async ({
  seed,
  waiting,
}) => {
  const database = await before.database();
  const accounts = [await oldAccount(database, 'Owner'), await oldAccount(database, 'Other')];
  const alarms = [];
  for (const account of accounts) {
    for (const windowS of [0, 30]) {
      for (const gated of [true, false]) {
        const id = await account.alarm('An alarm', { windowS, gated, clearOnDisarm: gated });
        alarms.push({ account, id });
      }
    }
  }
  const old = startOldVersion(database.url);
  const { roll, one } = dice(seed);
  for (let step = 0; step < 100 + waiting; step++) {
    const { account, id } = one(alarms);
    const verb = one(['arm', 'disarm', 'trigger', 'trigger', 'trigger', 'clear', 'acknowledge', 'close'] as const);
    if (verb === 'acknowledge' || verb === 'close') {
      const found = await database.rows<{ id: string }>(
        'SELECT id FROM incident WHERE source_id = $1 ORDER BY opened_at DESC LIMIT 1',
        [id],
      );
      if (found[0])
        await old.own({ account_id: account.id, source_id: id, verb, actor: 'Anna', incident_id: found[0].id });
    } else await old.accept({ digest: account.key.digest, sourceId: id, verb });
    await advanceClock(old.pool, one([0, 0, 1, 5, 20]));
    if (step < 100 && roll(4) === 0) await old.apply();
  }
  await old.stop();
  const expected = await asBefore(database);
  const { world } = await startNewVersion(database);
  await world.settle();
  expect(await aftermath(database)).toEqual(expected);
});

test('the gate stands where applied and waiting calls lead, before any of them is applied', async () => {
  const database = await before.database();
  const [owner, other] = [await oldAccount(database, 'Owner'), await oldAccount(database, 'Other')];
  const gated = () => owner.alarm('An alarm', { gated: true });
  const alarms = { armed: await gated(), disarmed: await gated(), arming: await gated(), disarming: await gated() };
  const elsewhere = await other.alarm('Elsewhere', { gated: true });
  const { digest } = owner.key;
  const old = startOldVersion(database.url);
  const lead = (sourceId: string, verb: 'arm' | 'disarm') => ({
    digest,
    sourceId,
    verb,
    ...(verb === 'arm' ? { named: 'night' as const } : {}),
  });
  await old.accept(lead(alarms.armed, 'arm'), lead(alarms.disarmed, 'arm'), lead(alarms.disarming, 'arm'));
  await old.accept(lead(alarms.disarmed, 'disarm'), { digest: other.key.digest, sourceId: elsewhere, verb: 'arm' });
  await old.applyAll();
  await old.accept(lead(alarms.arming, 'disarm'), lead(alarms.arming, 'arm'), lead(alarms.disarming, 'disarm'));
  await old.stop();

  const letGo = await holdApplying(database.url);
  const { world } = await startNewVersion(database);
  const fires = async (sourceId: string, key = owner.key) =>
    (await world.get(`/v1/alarm/${sourceId}/trigger`, key.secret)).status;
  expect(await fires(alarms.armed)).toBe(202);
  expect(await fires(alarms.disarmed)).toBe(404);
  expect(await fires(alarms.arming)).toBe(202);
  expect(await fires(alarms.disarming)).toBe(404);
  expect(await fires(elsewhere, other.key)).toBe(202);
  await letGo();
  await world.settle();
  expect(await incidents(database)).toHaveLength(3);
});

test('a window that was open ends as it should, with the triggers of both versions in it', async () => {
  const database = await before.database();
  const owner = await oldAccount(database, 'Owner');
  const { digest, secret } = owner.key;
  const windowed = () => owner.alarm('An alarm', { windowS: 60 });
  const [opening, cancelled] = [await windowed(), await windowed()];
  const old = startOldVersion(database.url);
  // Refused calls have numbers in the log and none among the actions: a window is numbered below calls that came before it.
  await old.refuse(...Array.from({ length: 20 }, () => ({ ...refusedBy(owner), source_id: opening })));
  const earlier = { digest, sourceId: opening, verb: 'trigger' as const, traceId: randomUUID() };
  await old.accept(earlier);
  await old.applyAll();
  await advanceClock(old.pool, 60);
  await old.accept(...[1, 2, 3].map(() => ({ ...earlier, traceId: randomUUID() })), {
    ...earlier,
    verb: 'clear',
    traceId: randomUUID(),
  });
  await old.applyAll();
  const trigger = (sourceId: string) => ({ digest, sourceId, verb: 'trigger' as const, traceId: randomUUID() });
  const [first, second] = [trigger(opening), trigger(opening)];
  const [third, fourth] = [trigger(cancelled), trigger(cancelled)];
  await old.accept(first, third);
  await old.applyAll();
  await old.accept(second, fourth);
  await old.applyAll();
  await old.stop();

  const { world, client, as } = await startNewVersion(database);
  const found = async ({ traceId }: { traceId: string }) => (await client.findCall({ traceId }, as(owner.id))).call!;
  const timelineOf = async (incidentId: string) => {
    const { timeline } = await client.getIncident({ incidentId }, as(owner.id));
    return timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value.traceId] : []));
  };
  const { body: joined } = await world.get(`/v1/alarm/${opening}/trigger`, secret);
  const { body: disarmed } = await world.get(`/v1/alarm/${cancelled}/disarm`, secret);
  await world.advance(59.999);
  expect(await found(first)).toMatchObject({ outcome: 'pending' });
  await world.advance(0.001);
  const { outcome, incidentId } = await found(first);
  expect(outcome).toBe('opened');
  expect(await found(second)).toMatchObject({ outcome: 'folded', incidentId });
  expect(await found(joined)).toMatchObject({ outcome: 'folded', incidentId });
  expect(await timelineOf(incidentId)).toEqual([first.traceId, second.traceId, joined.traceId]);
  expect(await found(third)).toMatchObject({ outcome: 'cancelled', incidentId: '' });
  expect(await found(fourth)).toMatchObject({ outcome: 'cancelled', incidentId: '' });
  expect(await found(disarmed)).toMatchObject({ outcome: 'disarmed', cancelledPending: true });
  // The window's number takes no calls off the timeline of the incident before.
  expect(await timelineOf((await found(earlier)).incidentId)).toHaveLength(5);
});

test('new calls are numbered after all old ones, and after numbers that old ones left unused', async () => {
  const database = await before.database();
  const owner = await oldAccount(database, 'Owner');
  const { digest, secret } = owner.key;
  const house = await owner.alarm('House', { windowS: 60 });
  const old = startOldVersion(database.url);
  // As after many accepts that were rolled back, or refusals that were let go.
  await database.rows("SELECT setval('action_id_seq', 4000000)");
  await old.accept({ digest, sourceId: house, verb: 'trigger' });
  await old.applyAll();
  await database.rows("SELECT setval('call_log_id_seq', 9000000)");
  await old.accept({ digest, sourceId: house, verb: 'arm' });
  await old.stop();
  const { world, client, as } = await startNewVersion(database);
  await world.settle();
  const answers = [
    await world.get(`/v1/alarm/${house}/disarm`, secret),
    await world.get(`/v1/alarm/${house}/nonsense`, secret),
  ];
  answers.push(await world.get(`/v1/alarm/${'a'.repeat(32)}/arm`, secret));
  await world.settle();
  expect(answers.map(({ status }) => status)).toEqual([202, 404, 404]);
  const { calls } = await client.listCalls({}, as(owner.id));
  expect(calls.map(({ verb, outcome }) => `${verb} ${outcome}`)).toEqual([
    'arm not_found',
    ' unknown_path',
    'disarm disarmed',
    'arm armed',
    'trigger cancelled',
  ]);
  const [numbers] = await database.rows("SELECT min(id)::int AS least FROM call_log WHERE verb <> 'trigger'");
  expect(numbers!.least).toBeGreaterThan(9_000_000);
});

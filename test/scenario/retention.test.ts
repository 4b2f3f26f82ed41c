import { expect, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { addSpend } from '../../services/store/statements/spend.ts';
import { connection } from '../support/connection.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { advanceClock } from '../support/database.ts';
import { startWorld, type World } from '../support/world.ts';
import { anIncident, DAY_S, family, outcomes, rowsOf } from './retention-rig.ts';

const NONE = { calls: 0, windows: 0, incidents: 0, entries: 0, deliveries: 0, notices: 0 };

/** Lets the open incidents stay open for so many days more. */
async function keepOpen(world: World, days: number): Promise<void> {
  await world.rows(
    `UPDATE incident SET escalation_ends_at = escalation_ends_at + make_interval(days => $1),
       auto_close_at = auto_close_at + make_interval(days => $1) WHERE status = 'open'`,
    [days],
  );
}

test('calls go 90 days after they were accepted, refused ones too, and with them how their windows ended; younger ones stay', async () => {
  const world = await startWorld();
  const owner = await family(world);
  const beside = await family(world);
  const old = await anIncident(world, owner);
  const nowhere = await owner.act('trigger', 'x'.repeat(32));
  expect(nowhere.status).toBe(404);
  await world.settle();
  await world.advance(30 * DAY_S);
  const young = await anIncident(world, beside);
  const recent = await owner.act('trigger');
  await world.advance(59 * DAY_S);
  await world.sweep();
  expect(await outcomes(owner, [...old, nowhere])).toEqual(['opened', 'folded', 'closed', 'not_found']);

  await world.advance(DAY_S);
  await world.sweep();
  expect(await outcomes(owner, [...old, nowhere, recent])).toEqual(['gone', 'gone', 'gone', 'gone', 'opened']);
  expect(await rowsOf(world, owner)).toMatchObject({ calls: 1, windows: 1 });
  expect(await outcomes(beside, young)).toEqual(['opened', 'folded', 'closed']);
  expect(await rowsOf(world, beside)).toMatchObject({ calls: 3, windows: 1 });

  // What the incident was stays, without its calls.
  const told = (await owner.incidents()).at(-1)!;
  expect(told).toMatchObject({ status: 'closed', closeReason: 'clear', triggerCount: 2 });
  expect(told.timeline.some(({ entry }) => entry.case === 'call')).toBe(false);
  expect(told.deliveries.length).toBe(1);
});

test('an incident goes 730 days after it closed, with messages, timeline and notices; one of another account stays', async () => {
  const world = await startWorld();
  const owner = await family(world);
  const beside = await family(world);
  await anIncident(world, owner);
  // A notice that is about no incident.
  await world.rows(
    "INSERT INTO notice (account_id, id, kind, once, at) SELECT $1, 'n', 'spend_warning', 'd', tocsin_now()",
    [owner.accountId],
  );
  await world.advance(DAY_S);
  await anIncident(world, beside);
  await world.advance(728 * DAY_S);
  await world.sweep();
  const kept = { incidents: 1, deliveries: 1 };
  const before = await rowsOf(world, beside);
  expect(await rowsOf(world, owner)).toMatchObject({ ...kept, calls: 0, notices: 3 });
  expect(before).toMatchObject({ ...kept, calls: 0, notices: 2 });
  expect(before.entries).toBeGreaterThan(1);

  await world.advance(DAY_S);
  await world.sweep();
  expect(await rowsOf(world, owner)).toEqual(NONE);
  expect(await owner.incidents()).toEqual([]);
  expect(await rowsOf(world, beside)).toEqual(before);
});

test('the age of an incident counts from its close, and what still has a message to send stays', async () => {
  const world = await startWorld({ retention: { incidents: 30 } });
  const owner = await family(world);
  await owner.act('trigger');
  await world.advance(31);
  await keepOpen(world, 40);
  await world.advance(39 * DAY_S);
  await world.sweep();
  await owner.act('clear');
  await world.settle();
  await world.advance(29 * DAY_S);
  await world.sweep();
  expect((await owner.incidents()).map(({ status }) => status)).toEqual(['closed']);

  await world.rows("UPDATE delivery SET status = 'sending', lease_until = tocsin_now() + interval '9 days'");
  await world.advance(2 * DAY_S);
  await world.sweep();
  expect(await rowsOf(world, owner)).toMatchObject({ incidents: 1, deliveries: 1 });
  await world.rows("UPDATE delivery SET status = 'sent', lease_until = NULL");
  await world.sweep();
  expect(await owner.incidents()).toEqual([]);
});

test('an incident that is open for three years keeps its first calls, its messages and its notices; other calls of its source and account go', async () => {
  const world = await startWorld();
  const owner = await family(world);
  const beside = await family(world);
  const shop = await owner.alarm({ name: 'Shop' });
  const before = [await owner.act('arm'), await owner.act('arm', shop), await beside.act('arm')];
  await world.advance(60);
  const fired = [await owner.act('trigger'), await owner.act('trigger')];
  await world.advance(31);
  fired.push(await owner.act('trigger'));
  const elsewhere = [await owner.act('disarm', shop), await beside.act('disarm')];
  await world.advance(600);
  await keepOpen(world, 4_000);
  const [open] = await owner.incidents();
  expect(open).toMatchObject({ status: 'open', outcome: 'nobody_reached' });
  const held = await rowsOf(world, owner);

  await world.advance(3 * 365 * DAY_S);
  await world.sweep();
  expect(await outcomes(owner, [...fired, before[0]!, before[1]!, elsewhere[0]!])).toEqual([
    ...['opened', 'folded', 'folded'],
    ...['gone', 'gone', 'gone'],
  ]);
  expect(await outcomes(beside, [before[2]!, elsewhere[1]!])).toEqual(['gone', 'gone']);
  expect(await rowsOf(world, owner)).toEqual({ ...held, calls: fired.length });
  const [still] = await owner.incidents();
  expect(still!.timeline).toEqual(open!.timeline);

  const ended = await owner.act('clear');
  await world.settle();
  await world.sweep();
  expect(await outcomes(owner, [...fired, ended])).toEqual(['gone', 'gone', 'gone', 'closed']);
  expect(await rowsOf(world, owner)).toMatchObject({ incidents: 1, windows: 0, deliveries: held.deliveries });
});

test('a trigger that waits in its window stays, however late the window is looked at', async () => {
  const world = await startWorld({ retention: { calls: 1 } });
  const owner = await family(world);
  const fired = await owner.act('trigger');
  await world.settle();
  const holder = await connection(world.databaseUrl);
  await holder.query('SELECT pg_advisory_lock($1)', [LOCKS.apply]);
  await advanceClock(world.store.pool, 3 * DAY_S);
  await world.sweep();
  await holder.query('SELECT pg_advisory_unlock($1)', [LOCKS.apply]);
  await world.settle();
  expect(await outcomes(owner, [fired])).toEqual(['opened']);
  const [incident] = await owner.incidents();
  expect(incident!.timeline.filter(({ entry }) => entry.case === 'call').length).toBe(1);
});

test('what owners changed goes after 730 days, account by account', async () => {
  const world = await startWorld();
  const owner = await newOwner(world);
  await owner.console.locations.createLocation({ location: { name: 'Home', address: '1 Elm Street' } });
  await world.advance(2 * DAY_S);
  const beside = await newOwner(world);
  const changes = async ({ console }: typeof owner) => (await console.audit.listChanges({})).changes.length;
  await world.advance(727 * DAY_S);
  await world.sweep();
  expect([await changes(owner), await changes(beside)]).toEqual([3, 2]);
  await world.advance(2 * DAY_S);
  await world.sweep();
  expect([await changes(owner), await changes(beside)]).toEqual([0, 2]);
  const asOperator = consoleOf(world, world.operator, owner.accountId);
  expect((await asOperator.locations.listLocations({})).locations.map(({ name }) => name)).toEqual(['Home']);
});

test('what a day cost goes after 730 days, what was counted for one day after two, of each account alike', async () => {
  const world = await startWorld();
  const owner = await newOwner(world);
  const beside = await newOwner(world);
  const spend = ({ accountId }: typeof owner) =>
    inTransaction(world.store.pool, client =>
      addSpend(client, { accountId, about: { sourceId: 'house', contactId: 'anna' }, channel: 'text', units: 1 }),
    );
  const days = () =>
    world.rows<{ account_id: string; days: number; sources: number; told: number }>(
      `SELECT a.id AS account_id, (SELECT count(*)::int FROM spend WHERE account_id = a.id) AS days,
         (SELECT count(*)::int FROM source_spend WHERE account_id = a.id) AS sources,
         (SELECT count(*)::int FROM source_told WHERE account_id = a.id) AS told
       FROM account a WHERE a.id = ANY ($1) ORDER BY a.seq`,
      [[owner.accountId, beside.accountId]],
    );
  const left = async () => (await days()).map(({ days, sources, told }) => [days, sources, told]);
  await spend(owner);
  await world.advance(DAY_S);
  await spend(owner);
  await spend(beside);
  await world.sweep();
  expect(await left()).toEqual([
    [2, 2, 2],
    [1, 1, 1],
  ]);
  await world.advance(DAY_S);
  await world.sweep();
  expect(await left()).toEqual([
    [2, 1, 1],
    [1, 1, 1],
  ]);
  await world.advance(728 * DAY_S);
  await world.sweep();
  expect(await left()).toEqual([
    [2, 0, 0],
    [1, 0, 0],
  ]);
  await world.advance(DAY_S);
  await world.sweep();
  expect(await left()).toEqual([
    [1, 0, 0],
    [1, 0, 0],
  ]);
});

test('forever is forever, each for itself', async () => {
  const world = await startWorld({ retention: { calls: 'forever', incidents: 'forever', audit: 'forever' } });
  const owner = await family(world);
  const answers = await anIncident(world, owner);
  const { console } = await newOwner(world);
  const before = await rowsOf(world, owner);
  await world.advance(50 * 365 * DAY_S);
  await world.sweep();
  expect(await rowsOf(world, owner)).toEqual(before);
  expect(await outcomes(owner, answers)).toEqual(['opened', 'folded', 'closed']);
  expect((await console.audit.listChanges({})).changes.length).toBe(2);

  const other = await startWorld({ retention: { calls: 'forever', incidents: 1 } });
  const theirs = await family(other);
  const calls = await anIncident(other, theirs);
  await other.advance(50 * 365 * DAY_S);
  await other.sweep();
  expect(await theirs.incidents()).toEqual([]);
  expect(await outcomes(theirs, calls)).toEqual(['opened', 'folded', 'closed']);
});

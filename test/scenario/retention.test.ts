import { Code, ConnectError } from '@connectrpc/connect';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { inTransaction } from '../../services/store/statement.ts';
import { addSpend } from '../../services/store/statements/spend.ts';
import { consoleOf, newOwner } from '../support/console.ts';
import { advanceClock } from '../support/database.ts';
import { type Answer, type Owner, startWorld, type World } from '../support/world.ts';

const DAY_S = 86_400;

/** Calls as the owner sees them: their outcomes, and `gone` for those that are not there. */
async function outcomes(owner: Pick<Owner, 'call'>, answers: readonly Answer[]): Promise<string[]> {
  return Promise.all(
    answers.map(answer =>
      owner.call(answer).then(
        call => call.outcome,
        (fault: unknown) => {
          if (fault instanceof ConnectError && fault.code === Code.NotFound) return 'gone';
          throw fault;
        },
      ),
    ),
  );
}

/** How many rows are left of an account, by table. */
async function rowsOf(world: World, { accountId }: Pick<Owner, 'accountId'>): Promise<Record<string, number>> {
  const [counts] = await world.rows<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM logged_call WHERE account_seq = a.seq) AS calls,
       (SELECT count(*)::int FROM window_end WHERE account_seq = a.seq) AS windows,
       (SELECT count(*)::int FROM incident WHERE account_id = a.id) AS incidents,
       (SELECT count(*)::int FROM incident_entry WHERE account_id = a.id) AS entries,
       (SELECT count(*)::int FROM delivery WHERE account_id = a.id) AS deliveries,
       (SELECT count(*)::int FROM notice WHERE account_id = a.id) AS notices
     FROM account a WHERE a.id = $1`,
    [accountId],
  );
  return counts!;
}

const NONE = { calls: 0, windows: 0, incidents: 0, entries: 0, deliveries: 0, notices: 0 };

/** A connection of the test's own, for locks. */
async function connection(world: World): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** An account with an alarm that has a false-alarm window of 30 s and tells Anna. */
async function family(world: World) {
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const house = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
  const key = await owner.key();
  return { ...owner, house, act: (verb: string, id = house) => world.get(`/v1/alarm/${id}/${verb}`, key) };
}

type Family = Awaited<ReturnType<typeof family>>;

/** Lets the open incidents stay open for so many days more. */
async function keepOpen(world: World, days: number): Promise<void> {
  await world.rows(
    `UPDATE incident SET escalation_ends_at = escalation_ends_at + make_interval(days => $1),
       auto_close_at = auto_close_at + make_interval(days => $1) WHERE status = 'open'`,
    [days],
  );
}

/** An incident that opened from its window with two triggers, that nobody answered, and that was ended by a call. */
async function anIncident(world: World, { act }: Family): Promise<Answer[]> {
  const fired = [await act('trigger'), await act('trigger')];
  await world.advance(31);
  await world.advance(600);
  const ended = await act('clear');
  await world.settle();
  return [...fired, ended];
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
    "INSERT INTO notice (account_id, id, kind, once, at, status, due_at) SELECT $1, 'n', 'spend_warning', 'd', tocsin_now(), 'sent', tocsin_now()",
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
  const holder = await connection(world);
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

test('one process at a time removes things', async () => {
  const world = await startWorld({ retention: { calls: 1 } });
  const owner = await family(world);
  const answer = await owner.act('arm');
  await world.settle();
  const other = await connection(world);
  await other.query('SELECT pg_advisory_lock($1)', [LOCKS.retention]);
  await world.advance(2 * DAY_S);
  await world.sweep();
  expect(await outcomes(owner, [answer])).toEqual(['armed']);
  await other.query('SELECT pg_advisory_unlock($1)', [LOCKS.retention]);
  await world.sweep();
  expect(await outcomes(owner, [answer])).toEqual(['gone']);
});

test('calls are accepted and applied while 50,000 old ones go, a thousand at once; those of another account stay', async () => {
  const world = await startWorld();
  const crowded = await family(world);
  const beside = await family(world);
  const stays = await beside.act('arm');
  await world.settle();
  await addOldCalls(world, crowded, 50_000);
  // What nobody looks behind: as many that are young.
  await addOldCalls(world, crowded, 20_000, 0);

  const swept = world.sweep().then(() => 'swept' as const);
  const answers: Answer[] = [];
  const left: number[] = [];
  let slowestMs = 0;
  while ((await Promise.race([swept, Promise.resolve('under way')])) === 'under way') {
    const began = performance.now();
    answers.push(await beside.act(answers.length % 2 === 0 ? 'trigger' : 'clear'));
    slowestMs = Math.max(slowestMs, performance.now() - began);
    left.push((await rowsOf(world, crowded)).calls!);
  }
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  expect(slowestMs).toBeLessThan(2_000);
  // So many transactions that some of the looks fell between them.
  expect(left.filter(calls => calls > 20_000 && calls < 70_000).length).toBeGreaterThan(5);
  expect(left.every(calls => calls % 1_000 === 0)).toBe(true);
  expect(await rowsOf(world, crowded)).toMatchObject({ calls: 20_000 });
  // Meanwhile, and not only afterwards.
  expect(await outcomes(beside, answers.slice(0, answers.length / 2))).not.toContain('accepted');
  await world.settle();
  expect(await outcomes(beside, [stays])).toEqual(['armed']);
  expect(new Set(await outcomes(beside, answers))).not.toContain('gone');
});

/** Writes calls of the alarm that were accepted so many days ago into the log. */
async function addOldCalls(world: World, { house }: Family, count: number, daysAgo = 91): Promise<void> {
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, outcome)
     SELECT a.seq, n.first + g - $2, t.at, t.at, gen_random_uuid(), s.seq, 'trigger', 'folded'
     FROM source s JOIN account a ON a.id = s.account_id
     CROSS JOIN (SELECT coalesce(max(id), 0) + $2 + 1 AS first FROM logged_call) n
     CROSS JOIN (SELECT tocsin_now() - make_interval(days => $3) AS at) t
     CROSS JOIN generate_series(0, $2::int - 1) g
     WHERE s.id = $1`,
    [house, count, daysAgo],
  );
}

import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { Code, type ConnectError } from '@connectrpc/connect';
import pg from 'pg';
import { expect, test } from 'vitest';
import { LOOKED_AT_A_DAY, readDays } from '../../../services/incident/statements/days.ts';
import { WHOLE_MOST } from '../../../services/limits/table.ts';
import { keepRefusals } from '../../../services/store/statements/log.ts';
import { consoleOf } from '../../support/console.ts';
import { startWorld, type World, type WorldOptions } from '../../support/world.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** An account in Berlin with an alarm in it, made by its owner. The tests' clock starts on 15 January 2026. */
async function aHouse(options: WorldOptions = {}) {
  const world = await startWorld(options);
  const owner = await world.account();
  await world.rows("UPDATE account SET owner_time_zone = 'Europe/Berlin' WHERE id = $1", [owner.accountId]);
  const seen = consoleOf(world, world.operator, owner.accountId);
  const key = await owner.key();
  const makeAlarm = async (name: string) => {
    const modes = [
      { id: 'away', name: 'Away' },
      { id: 'night', name: 'Night' },
    ];
    const { alarm } = await seen.alarms.createAlarm({
      alarm: { name, locationId: owner.locationId, modes },
    });
    return alarm!.id;
  };
  const call = async (path: string) => {
    expect((await world.get(`/v1/alarm/${path}`, key)).status).toBe(202);
    await world.settle();
  };
  const days = async (sourceId: string) => (await seen.days.listDays({ sourceId })).days;
  return { world, owner, seen, makeAlarm, call, days };
}

/** Moves the clock to a time of its own. */
async function to(world: World, iso: string): Promise<void> {
  const [row] = await world.rows<{ left: number }>(
    'SELECT extract(epoch FROM $1::timestamptz - tocsin_now())::float8 AS left',
    [iso],
  );
  await world.advance(row!.left);
}

test('each day says how often it was called, how it was armed, and what opened; before it was made nothing is known', async () => {
  const { world, makeAlarm, call, days, seen } = await aHouse();
  await to(world, '2026-02-01T11:00:00Z');
  const house = await makeAlarm('House');
  await seen.alarms.updateAlarm({ alarm: { id: house, version: 1, test: false }, updateMask: { paths: ['test'] } });
  const beside = await makeAlarm('Workshop');
  await to(world, '2026-02-02T17:00:00Z');
  await call(`${house}/arm/night`);
  await to(world, '2026-02-03T05:00:00Z');
  await call(`${house}/trigger`);
  await call(`${house}/trigger`);
  await call(`${house}/clear`);
  await call(`${house}/disarm`);
  await call(`${beside}/trigger/away`);
  const { incidents } = await seen.incidents.listIncidents({ sourceId: house });
  await seen.incidents.setDisposition({ incidentId: incidents[0]!.id, disposition: 'false_alarm' });
  await to(world, '2026-02-03T23:30:00Z');
  await call(`${house}/trigger/away`);
  await to(world, '2026-02-04T11:00:00Z');

  const all = await days(house);
  expect(all).toHaveLength(30);
  expect(all.at(-1)).toMatchObject({ day: '2026-02-04', calls: 1, liveIncidents: 1, falseAlarms: 0, known: 'whole' });
  const of = (day: string) => all.find(one => one.day === day)!;
  expect(of('2026-01-31')).toMatchObject({ known: 'before', calls: 0, modes: [], callsPageToken: '' });
  expect(of('2026-02-01')).toMatchObject({
    known: 'part',
    modes: [{ mode: 'disarmed', seconds: 12 * HOUR_S }],
  });
  expect(of('2026-02-02')).toMatchObject({
    known: 'whole',
    calls: 1,
    modes: [
      { mode: 'disarmed', seconds: 18 * HOUR_S },
      { mode: 'night', seconds: 6 * HOUR_S },
    ],
  });
  expect(of('2026-02-03')).toMatchObject({
    calls: 4,
    moreCalls: false,
    liveIncidents: 1,
    testIncidents: 0,
    falseAlarms: 1,
    modes: [
      { mode: 'night', seconds: 6 * HOUR_S },
      { mode: 'disarmed', seconds: 18 * HOUR_S },
    ],
  });
  expect((await days(beside)).filter(({ testIncidents }) => testIncidents > 0).map(({ day }) => day)).toEqual([
    '2026-02-03',
  ]);

  // A day leads to its own calls, newest first.
  const { calls } = await seen.incidents.listCalls({ sourceId: house, pageToken: of('2026-02-03').callsPageToken });
  expect(calls.map(({ verb }) => verb)).toEqual(['disarm', 'clear', 'trigger', 'trigger', 'arm', 'go_live']);
});

test.each([
  { what: 'forward', day: '2026-03-29', from: '2026-03-28T22:30:00Z', hours: 23 },
  { what: 'back', day: '2026-10-25', from: '2026-10-24T21:30:00Z', hours: 25 },
])('on the day on which clocks go $what each call is of the day that the clock showed', async ({
  day,
  from,
  hours,
}) => {
  const { world, makeAlarm, call, days } = await aHouse();
  await to(world, from);
  const house = await makeAlarm('House');
  await call(`${house}/arm/night`);
  // A minute after its midnight, a minute before the next, a minute after that.
  for (const wait of [31 * 60, (hours * 60 - 2) * 60, 2 * 60]) {
    await world.advance(wait);
    await call(`${house}/trigger`);
  }
  const all = (await days(house)).slice(-3);
  expect(all.map(({ day, calls }) => [day, calls])).toEqual([
    [expect.any(String), 1],
    [day, 2],
    [expect.any(String), 1],
  ]);
  expect(all[1]!.modes).toEqual([expect.objectContaining({ mode: 'night', seconds: hours * HOUR_S })]);
});

test('what is older than calls are kept for is not known, and says so', async () => {
  const { world, makeAlarm, call, days } = await aHouse({ retention: { calls: 7, incidents: 730, audit: 730 } });
  const house = await makeAlarm('House');
  await call(`${house}/arm/away`);
  await world.advance(20 * DAY_S);
  await call(`${house}/disarm`);
  const all = await days(house);
  expect(all.map(({ known }) => known).slice(-9)).toEqual([
    'removed',
    'part',
    ...Array.from({ length: 7 }, () => 'whole'),
  ]);
  expect(all[0]!.known).toBe('before');
  // Nobody knows how it was armed before the last call that is kept, unless that is among those looked at.
  expect(all.at(-2)!.modes.map(({ mode }) => mode)).toEqual(['away']);
});

test('where its sender was silent until that triggered it, the day says how long', async () => {
  const { world, makeAlarm, call, days, seen } = await aHouse();
  const house = await makeAlarm('House');
  await to(world, '2026-01-20T10:00:00Z');
  await call(`${house}/trigger/away`);
  await world.rows(
    `UPDATE logged_call SET silent_since = at - interval '2 hours' WHERE source_seq = (SELECT seq FROM source WHERE id = $1)`,
    [house],
  );
  expect((await days(house)).at(-1)).toMatchObject({ day: '2026-01-20', silentS: 2 * HOUR_S });
  // Nothing was heard of another since it was made.
  await seen.apiKeys.createApiKey({ apiKey: { label: 'Sensor', alarmId: house, supervisionS: 600 } });
  await call(`${house}/arm/away`);
  await world.advance(HOUR_S);
  expect((await days(house)).at(-1)).toMatchObject({ day: '2026-01-20', silentS: 3 * HOUR_S });
  const workshop = await makeAlarm('Workshop');
  expect((await days(workshop)).at(-1)!.silentS).toBe(0);
});

test('a sender whose key has expired is not silent now: nobody waits for it any more', async () => {
  const { world, seen, makeAlarm, call, days } = await aHouse();
  const house = await makeAlarm('House');
  await call(`${house}/arm/away`);
  const [clock] = await world.rows<{ now: number }>('SELECT extract(epoch FROM tocsin_now())::float8 AS now');
  const expiresAt = timestampFromMs((clock!.now + 3 * HOUR_S) * 1_000);
  await seen.apiKeys.createApiKey({ apiKey: { label: 'Sensor', alarmId: house, supervisionS: 600, expiresAt } });
  await world.advance(2 * HOUR_S);
  expect((await days(house)).at(-1)!.silentS).toBe(2 * HOUR_S);
  await world.advance(3 * DAY_S);
  expect((await days(house)).slice(-4).map(({ silentS }) => silentS)).toEqual([0, 0, 0, 0]);
});

test('calls that were refused are not counted: they are not kept for as long, and a day would say fewer later', async () => {
  const { world, owner, makeAlarm, call, days } = await aHouse();
  const house = await makeAlarm('House');
  await call(`${house}/arm/away`);
  await world.advance(HOUR_S);
  const [key] = await world.rows<{ seq: number }>('SELECT seq::float8 AS seq FROM api_key LIMIT 1');
  const refused = (times: number) => ({
    accountId: owner.accountId,
    keySeq: key!.seq,
    traceId: crypto.randomUUID(),
    parentTraceId: null,
    verb: 'trigger',
    sourceId: house,
    mode: 'away',
    outcome: 'key_revoked',
    times,
    agoMs: 0,
  });
  const pool = new pg.Pool({ connectionString: world.databaseUrl });
  await keepRefusals(pool, [refused(1), refused(7)]);
  await pool.end();
  expect((await days(house)).at(-1)).toMatchObject({ calls: 1, moreCalls: false });
});

test('an account reads days once at a time: some more wait, and others are told to come again', async () => {
  const { makeAlarm, days } = await aHouse();
  const house = await makeAlarm('House');
  const { atOnce, waiting } = WHOLE_MOST.read;
  const answers = await Promise.allSettled(Array.from({ length: atOnce + waiting + 5 }, () => days(house)));
  const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
  expect(refused).not.toEqual([]);
  expect(refused.length).toBeLessThanOrEqual(5);
  expect(new Set(refused.map(({ reason }) => (reason as ConnectError).code))).toEqual(
    new Set([Code.ResourceExhausted]),
  );
});

test('another account sees nothing of it: there is no such alarm', async () => {
  const { world, makeAlarm, call } = await aHouse();
  const house = await makeAlarm('House');
  await call(`${house}/trigger/away`);
  const beside = await world.account();
  const theirs = consoleOf(world, world.operator, beside.accountId);
  const fault = await theirs.days.listDays({ sourceId: house }).catch((error: unknown) => error);
  expect((fault as ConnectError).code).toBe(Code.NotFound);
  const keyed = consoleOf(world, await beside.key(), beside.accountId);
  expect(((await keyed.days.listDays({ sourceId: house }).catch((error: unknown) => error)) as ConnectError).code).toBe(
    Code.Unauthenticated,
  );
});

/** Fills the log of alarms, so many calls of each on each of thirty days: call by call in turn, so that no page holds those of one alone. */
async function fill(world: World, ids: readonly string[], aDay: number): Promise<void> {
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, mode, environment, outcome)
     SELECT a.seq, 1_000_000 + n * 64 + i.nth, t.at, t.at, gen_random_uuid(), s.seq, 'trigger', 'away', 'live', 'folded'
     FROM generate_series(1, 30 * $2::int) n CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS i (id, nth)
     JOIN source s ON s.id = i.id JOIN account a ON a.id = s.account_id
     CROSS JOIN LATERAL (SELECT tocsin_now() - interval '30 days' + n * (interval '30 days' / (30 * $2::int + 1)) AS at) t
     ORDER BY n, i.nth`,
    [ids, aDay],
  );
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

function scansOf(node: PlanNode, relation: string): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(one => scansOf(one, relation));
  return node['Relation Name'] === relation ? [node, ...below] : below;
}

test('a busy alarm: so many calls of a day are counted and no more, by index, however many there are', async () => {
  const { world, owner, makeAlarm, days } = await aHouse();
  const house = await makeAlarm('House');
  const beside: string[] = [];
  for (const nth of [1, 2, 3, 4]) beside.push(await makeAlarm(`Workshop ${nth}`));
  await world.rows("UPDATE audit SET at = at - interval '60 days'");
  await fill(world, [house, ...beside], 1_000);
  await world.rows('VACUUM ANALYZE logged_call');
  const all = await days(house);
  expect(all.slice(0, -1).every(({ calls, moreCalls }) => calls === LOOKED_AT_A_DAY && moreCalls)).toBe(true);
  // How it was armed meanwhile is not claimed.
  expect(all[3]!.modes.map(({ mode }) => mode)).toEqual(['']);

  const [source] = await world.rows<{ seq: string }>('SELECT seq::text AS seq FROM source WHERE id = $1', [house]);
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  const explained: string[] = [];
  const explain = {
    query: async ({ text, values }: { text: string; values: unknown[] }) => {
      const { rows } = await client.query({ text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values });
      explained.push(JSON.stringify(rows[0]['QUERY PLAN']));
      return { rows: [] };
    },
  };
  const bounds = all.map(({ beginsAt }) => Number(beginsAt!.seconds) * 1_000);
  await readDays(explain as never, { accountId: owner.accountId, id: house, seq: source!.seq }, [
    ...bounds,
    bounds.at(-1)! + 1,
  ]);
  await client.end();
  const [plan] = explained;
  const [{ Plan: top, 'Execution Time': took }] = JSON.parse(plan!) as [
    { Plan: PlanNode & Record<string, number>; 'Execution Time': number },
  ];
  const pages = top['Shared Hit Blocks']! + top['Shared Read Blocks']!;
  process.stdout.write(`days of 150,000 calls: ${took.toFixed(0)} ms, ${pages} pages\n`);
  // Each look at the log reads what is counted of a day, and no row for nothing.
  const scans = scansOf(top, 'logged_call');
  expect(scans.map(scan => scan['Node Type'])).not.toContain('Seq Scan');
  expect(Math.max(...scans.map(scan => scan['Actual Rows']))).toBe(LOOKED_AT_A_DAY + 1);
  expect(scans.map(scan => scan['Rows Removed by Filter'] ?? 0)).toEqual(scans.map(() => 0));
  // 30 times 201 rows, each on a page of its own, and some forty looks at an index for each day.
  expect(pages).toBeLessThan(20_000);
}, 60_000);

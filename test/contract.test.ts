import { describe, expect, test } from 'vitest';
import { LOCKS } from '../services/store/lock.ts';
import { connection } from './support/connection.ts';
import {
  ACTIONS,
  aHouse,
  answer,
  ask,
  fill,
  type Got,
  NOT_FOUND,
  READS,
  recorded,
  seen,
  UNAUTHORIZED,
  UNKNOWN_PATHS,
} from './support/contract.ts';
import { expectInTime } from './support/wait.ts';
import { holdLock, WAITING_CALLS } from './support/waiting.ts';
import type { World } from './support/world.ts';

/*
 * What /v1 promises to the outside: every path, status and body of SPEC.md 4, 5, 7, 8 and 9, over real HTTP. What cannot be
 * reached is in contract-not-found.test.ts, what describe and state show in contract-reads.test.ts. Each test
 * collects its whole table before it compares, so that a failure shows every row that is wrong.
 */

const OTHER_METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'];

describe('a good key', () => {
  test('of the account or of the one alarm gets 202 for every action, with its receipt in the envelope', async () => {
    const { world, owner, ids, good } = await aHouse();
    const receipt = answer(202, { data: { environment: 'live', location: { id: owner.locationId, name: 'Home' } } });
    const shown: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const path of ACTIONS) {
      for (const [name, headers] of Object.entries(good)) {
        const reaches = name === 'account' || (name === 'scoped' && path.includes('{alarm}'));
        expected[`${name}: ${path}`] = reaches ? receipt : NOT_FOUND;
        shown[`${name}: ${path}`] = seen(await ask(world, fill(path, ids), { headers }));
      }
    }
    expect(shown).toStrictEqual(expected);
  });

  test.each([
    { switched: 'source' },
    { switched: 'location' },
  ])('gets a receipt that says test where the switch of the $switched is on', async ({ switched }) => {
    const { world, ids, good } = await aHouse();
    await world.rows(`UPDATE ${switched} SET test = true`);
    const shown: unknown[] = [];
    for (const path of ACTIONS) {
      shown.push(JSON.parse((await ask(world, fill(path, ids), { headers: good.account })).body).data.environment);
    }
    expect(shown).toEqual(ACTIONS.map(() => 'test'));
  });

  test('gets a traceId of its own in every answer that has one', async () => {
    const { world, ids, good } = await aHouse();
    const traces: string[] = [];
    for (const path of [...ACTIONS, ...READS, ...UNKNOWN_PATHS]) {
      traces.push(JSON.parse((await ask(world, fill(path, ids), { headers: good.account })).body).traceId);
    }
    expect(new Set(traces).size).toBe(traces.length);
  });
});

describe('a bad key (SPEC.md 5 and 7)', () => {
  test('gets the same 401, to the byte, for every cause, path and method: no envelope and no traceId', async () => {
    const { world, ids, bad } = await aHouse();
    const paths = [...ACTIONS, ...READS, ...UNKNOWN_PATHS, '/v1/alarm/{alarm}/arm/stay', '/v1/alarm/x/clear'];
    const wrong: unknown[] = [];
    for (const [name, headers] of Object.entries(bad)) {
      for (const path of paths) {
        const got = await ask(world, fill(path, ids), { headers });
        if (JSON.stringify(got) !== JSON.stringify(UNAUTHORIZED)) wrong.push({ name, path, got });
      }
      for (const method of OTHER_METHODS) {
        const got = await ask(world, fill(ACTIONS[3]!, ids), { method, headers });
        const same = method === 'HEAD' ? { ...UNAUTHORIZED, body: '' } : UNAUTHORIZED;
        if (JSON.stringify(got) !== JSON.stringify(same)) wrong.push({ name, method, got });
      }
    }
    expect(wrong).toEqual([]);
  });

  test('does nothing; only of a revoked or expired one the owner is told', async () => {
    const { world, owner, ids, bad } = await aHouse();
    for (const headers of Object.values(bad)) {
      for (const path of [...ACTIONS, ...READS]) await ask(world, fill(path, ids), { headers });
    }
    await world.settle();
    expect(await world.rows(WAITING_CALLS)).toEqual([]);
    expect(await world.rows('SELECT 1 FROM incident')).toEqual([]);
    const told = await world.rows('SELECT DISTINCT account_id, outcome, applied_at FROM call_log ORDER BY outcome');
    expect(told).toEqual([
      { account_id: owner.accountId, outcome: 'key_expired', applied_at: null },
      { account_id: owner.accountId, outcome: 'key_revoked', applied_at: null },
    ]);
  });

  test('a key that is revoked opens nothing from the next call on', async () => {
    const { world, owner, ids } = await aHouse();
    const { id, secret } = await owner.keyWithId();
    const headers = { 'x-api-key': secret };
    expect((await ask(world, fill(ACTIONS[0]!, ids), { headers })).status).toBe(202);
    await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE id = $1', [id]);
    for (const path of [...ACTIONS, ...READS]) {
      expect(await ask(world, fill(path, ids), { headers })).toStrictEqual(UNAUTHORIZED);
    }
  });
});

describe('a path that does not exist, or another method', () => {
  test('a path below /v1 that does not exist is the 404 envelope, without an echo of it', async () => {
    const { world, ids, good } = await aHouse();
    const shown: Record<string, unknown> = {};
    for (const path of UNKNOWN_PATHS) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const got = await ask(world, fill(path, ids), { method, headers: good.account });
        expect(got.body).not.toMatch(new RegExp(`echo|${ids.alarm}|${ids.panic}`, 'i'));
        shown[`${method} ${path}`] = seen(got);
      }
    }
    expect(shown).toStrictEqual(Object.fromEntries(Object.keys(shown).map(row => [row, NOT_FOUND])));
    // Nothing was done, and each is kept for its owner (DECISIONS.md "Outcome of each call").
    expect(await recorded(world)).toEqual({ actions: 0, calls: Object.keys(shown).length });
  });

  test('any method but GET is a 405 that allows GET, whatever the identifier, and nothing is done', async () => {
    const { world, ids, good } = await aHouse();
    const message = 'Only GET is answered here, and nothing was done. Send the same call as a GET.';
    const refused = answer(405, { message, headers: { allow: 'GET' } });
    const headless = { ...refused, lengthIsRight: expect.any(Boolean), body: '' };
    const shown: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const path of [...ACTIONS, ...READS]) {
      for (const method of OTHER_METHODS) {
        for (const [name, headers] of Object.entries(good)) {
          const row = `${name}: ${method} ${path}`;
          expected[row] = method === 'HEAD' ? headless : refused;
          shown[row] = seen(await ask(world, fill(path, ids), { method, headers }));
        }
      }
    }
    expect(shown).toStrictEqual(expected);
    expect(await recorded(world)).toEqual({ actions: 0, calls: Object.keys(shown).length });
    expect(await world.rows('SELECT 1 FROM source_state WHERE armed_mode IS NOT NULL')).toEqual([]);
  });

  test('a query, a body, a content type and extra slashes change nothing', async () => {
    const { world, ids, good } = await aHouse();
    const key = good.account;
    const wrong: unknown[] = [];
    for (const path of [...ACTIONS, ...READS]) {
      const filled = fill(path, ids);
      const ways: Record<string, Promise<Got>> = {
        query: ask(world, `${filled}?modeId=stay&alarmId=x&a[b]=c`, { headers: key }),
        'a query that cannot be decoded': ask(world, `${filled}?%ZZ`, { headers: key }),
        'a trailing slash': ask(world, `${filled}/`, { headers: key }),
        'doubled slashes': ask(world, filled.replaceAll('/', '//'), { headers: key }),
        'broken JSON': ask(world, filled, {
          headers: { ...key, 'content-type': 'application/json' },
          body: '{"modeId":',
        }),
        'a content type that is none': ask(world, filled, { headers: { ...key, 'content-type': ';;' }, body: 'x' }),
        'a trace of its own': ask(world, filled, {
          headers: { ...key, traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-01` },
        }),
      };
      for (const [name, asked] of Object.entries(ways)) {
        const got = await asked;
        const taken = READS.includes(path) ? 200 : 202;
        if (got.status !== taken || got.body.includes('1'.repeat(8))) wrong.push({ path, name, got });
      }
    }
    expect(wrong).toEqual([]);
  });
});

describe('a database that does not answer', () => {
  const unavailable = answer(503, {
    message: 'The call could not be taken at the moment. Send it again.',
    headers: { 'retry-after': '1' },
  });

  test.each([
    { held: 'the journal', holdUp: (world: World) => takeTable(world, 'journal') },
    { held: 'the turn to accept', holdUp: (world: World) => holdLock(world.databaseUrl, LOCKS.accept) },
  ])('because somebody holds $held makes every action a 503 that says when to come again, and stores none of them', async ({
    holdUp,
  }) => {
    const { world, ids, good } = await aHouse();
    const back = await holdUp(world);
    const started = performance.now();
    const asked = ACTIONS.map(path => ask(world, fill(path, ids), { headers: good.account }));
    const shown = (await Promise.all(asked)).map(seen);
    expectInTime(performance.now() - started, 4_000);
    expect(shown).toStrictEqual(ACTIONS.map(() => unavailable));
    await back();
    expect(await recorded(world)).toEqual({ actions: 0, calls: 0 });
    for (const path of [...ACTIONS, ...READS]) {
      const { status } = await ask(world, fill(path, ids), { headers: good.account });
      expect(status, path).toBe(READS.includes(path) ? 200 : 202);
    }
  });

  test('makes everything that needs a key a 503; what is no key at all is refused without it', async () => {
    const { world, ids, good, bad } = await aHouse();
    const back = await takeTable(world, 'api_key');
    const paths = [...READS, ACTIONS[3]!, '/v1/echo'].map(path => fill(path, ids));
    const asked = [
      ...paths.map(path => ask(world, path, { headers: good.account })),
      ask(world, paths[2]!, { method: 'POST', headers: good.account }),
    ];
    for (const headers of [bad.missing!, bad.malformed!, bad.mistyped!, bad.doubled!]) {
      expect(await ask(world, paths[2]!, { headers })).toStrictEqual(UNAUTHORIZED);
    }
    expect((await Promise.all(asked)).map(seen)).toStrictEqual(asked.map(() => unavailable));
    await back();
    expect((await ask(world, paths[0]!, { headers: good.account })).status).toBe(200);
  });

  /** Another connection takes a table for itself until the function that comes back is called. */
  async function takeTable(world: World, table: string): Promise<() => Promise<void>> {
    const other = await connection(world.databaseUrl);
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return async () => void (await other.query('ROLLBACK'));
  }
});

import pg from 'pg';
import { describe, expect, test } from 'vitest';
import {
  ACTIONS,
  aHouse,
  answer,
  ask,
  fill,
  type Got,
  type House,
  ID,
  ID_NOT_FOUND,
  READS,
  recorded,
  seen,
  UNAUTHORIZED,
  withoutTrace,
} from './support/contract.ts';

/*
 * What /v1 promises to the outside: every path, status and body of SPEC.md 4, 5, 7, 8 and 9, over real HTTP. Each test
 * collects its whole table before it compares, so that a failure shows every row that is wrong.
 */

const MODES = [
  { id: 'home', name: 'Home' },
  { id: 'away', name: 'Away' },
  { id: 'night', name: 'Night' },
  { id: 'vacation', name: 'Vacation' },
];

const NOT_FOUND = answer(404, { message: ID_NOT_FOUND });

/** Paths that SPEC.md does not know, each with a word that no answer may repeat. */
const UNKNOWN_PATHS = [
  '/v1',
  '/v1/',
  '/v1/echo',
  '/v1/echo?echo=echo',
  '/v1/alarm/{alarm}',
  '/v1/alarm/{alarm}/echo',
  '/v1/alarm/{alarm}/Trigger',
  '/v1/alarm/{alarm}/disarm/away',
  '/v1/alarm/{alarm}/clear/away',
  '/v1/alarm/{alarm}/arm/away/echo',
  '/v1/alarm//arm',
  '/v1/panic/{panic}/arm',
  '/v1/panic/{panic}/disarm',
  '/v1/panic/{panic}/trigger/away',
  '/v1/integration/echo',
  '/v1/alarm/%ZZecho/arm',
];

const OTHER_METHODS = ['HEAD', 'OPTIONS', 'POST', 'PUT', 'DELETE', 'PATCH'];

describe('a good key', () => {
  test('of the account or of the one alarm gets 202 for every action and 200 for every read, in the envelope', async () => {
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

  test('reads what it reaches and nothing else: its account, or its one alarm', async () => {
    const { world, owner, neighbour, ids, good } = await aHouse();
    const alarm = { id: ids.alarm, name: 'House', modes: MODES };
    const barn = { id: ids.barn, name: 'Barn', modes: MODES };
    const nextDoor = { id: ids.neighboursAlarm, name: 'Next door', modes: MODES };
    const home = { id: owner.locationId, name: 'Home' };
    const button = { id: ids.panic, name: 'Button' };
    const elsewhere = { id: neighbour.locationId, name: 'Home' };
    const cached = { 'cache-control': 'private, max-age=3600', vary: 'X-API-Key' };
    const inventory = (locations: unknown[]) => answer(200, { headers: cached, data: { version: '1.0.0', locations } });
    const states = (...alarms: string[]) =>
      answer(200, { data: { version: '1.0.0', alarms: alarms.map(id => ({ id, state: 'disarmed' })) } });
    const read = async (name: keyof House['good'], what: string) =>
      seen(await ask(world, `/v1/integration/${what}`, { headers: good[name] }));
    expect({
      account: [await read('account', 'describe'), await read('account', 'state')],
      scoped: [await read('scoped', 'describe'), await read('scoped', 'state')],
      neighbour: [await read('neighbour', 'describe'), await read('neighbour', 'state')],
    }).toStrictEqual({
      account: [inventory([{ ...home, alarms: [alarm, barn], panicButtons: [button] }]), states(ids.alarm, ids.barn)],
      scoped: [inventory([{ ...home, alarms: [alarm], panicButtons: [] }]), states(ids.alarm)],
      neighbour: [
        inventory([{ ...elsewhere, alarms: [nextDoor], panicButtons: [{ id: ids.neighboursPanic, name: 'Button' }] }]),
        states(ids.neighboursAlarm),
      ],
    });
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
    expect(await world.rows('SELECT 1 FROM action')).toEqual([]);
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

describe('an identifier that the key cannot act on (SPEC.md 7)', () => {
  /** An identifier to put into the path, and the key that asks. */
  function unreachable(
    path: string,
    { ids, good, owner }: House,
  ): Record<string, [id: string, key: { 'x-api-key': string }]> {
    const isAlarm = path.includes('{alarm}');
    const own = isAlarm ? ids.alarm : ids.panic;
    return {
      'does not exist': ['z'.repeat(32), good.account],
      'belongs to another account': [isAlarm ? ids.neighboursAlarm : ids.neighboursPanic, good.account],
      'is asked for by another account': [own, good.neighbour],
      'is outside the scope of the key': [isAlarm ? ids.barn : ids.panic, good.scoped],
      'is disabled': [isAlarm ? ids.disabledAlarm : ids.disabledPanic, good.account],
      'is deactivated': [isAlarm ? ids.deactivatedAlarm : ids.deactivatedPanic, good.account],
      'is of the other kind': [isAlarm ? ids.panic : ids.alarm, good.account],
      'is of the other kind, in scope': [isAlarm ? ids.panic : ids.alarm, good.scoped],
      'has 31 characters': [own.slice(1), good.account],
      'has 33 characters': [`${own}a`, good.account],
      'is in upper case': [`${own.slice(0, 31)}a`.toUpperCase(), good.account],
      'is one character': ['a', good.account],
      'is NUL': ['%00', good.account],
      'has NUL behind it': [`${own}%00`, good.account],
      'has a blank behind it': [`${own}%20`, good.account],
      'holds an encoded slash': [`${own}%2Farm`, good.account],
      'is encoded twice': [`%2561${own.slice(1)}`, good.account],
      'is of another script': ['%F0%9F%94%A5%C3%BC', good.account],
      'is SQL': ["'%20OR%201=1--", good.account],
      'is the name of a property': ['__proto__', good.account],
      'is a location': [owner.locationId, good.account],
      'is 10 KB long': ['a'.repeat(10_240), good.account],
      'cannot be decoded': ['%ZZ', good.account],
    };
  }

  test('gets one and the same 404, to the byte apart from the traceId, and the neighbour is told nothing', async () => {
    const house = await aHouse();
    const { world, ids, good, neighbour } = house;
    const reference = await ask(world, fill(ACTIONS[0]!, { alarm: 'z'.repeat(32), panic: '' }), {
      headers: good.account,
    });
    expect(seen(reference)).toStrictEqual(NOT_FOUND);
    const wrong: unknown[] = [];
    for (const path of [...ACTIONS, '/v1/alarm/{alarm}/arm/stay', '/v1/alarm/{alarm}/trigger/stay']) {
      for (const [name, [id, headers]] of Object.entries(unreachable(path, house))) {
        const got = await ask(world, path.replace(ID, id), { headers });
        if (!same(got, reference)) wrong.push({ path, name, got });
      }
    }
    expect(wrong).toEqual([]);
    expect(await world.rows('SELECT 1 FROM incident')).toEqual([]);
    await world.settle();
    // The neighbour's log has the neighbour's own calls, and nobody's calls about the neighbour.
    const calls = await world.rows<{ source_id: string }>(
      'SELECT DISTINCT source_id FROM call_log WHERE account_id = $1',
      [neighbour.accountId],
    );
    expect(calls.map(call => call.source_id).sort()).toEqual([ids.alarm, ids.panic].sort());
    expect(await world.rows('SELECT 1 FROM call_log WHERE applied_at IS NOT NULL')).toEqual([]);
  });

  test('a mode that the alarm lacks, a trigger that the gate holds and an unknown path look no different', async () => {
    const { world, owner, ids, good } = await aHouse();
    const reference = await ask(world, fill(ACTIONS[0]!, { alarm: 'z'.repeat(32), panic: '' }), {
      headers: good.account,
    });
    const gated = await owner.alarm({ onlyWhenArmed: true });
    await world.rows("DELETE FROM mode WHERE source_id = $1 AND id IN ('night', 'away')", [ids.barn]);
    const paths = [
      `/v1/alarm/${gated}/trigger`,
      `/v1/alarm/${gated}/trigger/home`,
      `/v1/alarm/${ids.barn}/trigger`,
      ...['arm', 'trigger'].flatMap(verb => ['night', 'away'].map(mode => `/v1/alarm/${ids.barn}/${verb}/${mode}`)),
      ...UNKNOWN_PATHS.map(path => fill(path, ids)),
    ];
    const wrong: unknown[] = [];
    for (const path of paths) {
      const got = await ask(world, path, { headers: good.account });
      if (!same(got, reference)) wrong.push({ path, got });
    }
    expect(wrong).toEqual([]);
    expect(await world.rows('SELECT 1 FROM incident')).toEqual([]);
  });

  test('compared after percent-decoding, an encoded identifier is the same identifier', async () => {
    const { world, ids, good } = await aHouse();
    const encoded = [...ids.alarm].map(letter => `%${letter.charCodeAt(0).toString(16)}`).join('');
    expect((await ask(world, `/v1/alarm/${encoded}/arm`, { headers: good.account })).status).toBe(202);
  });

  function same(a: Got, b: Got): boolean {
    return JSON.stringify(withoutTrace(a)) === JSON.stringify(withoutTrace(b));
  }
});

describe('an unknown mode (SPEC.md 7)', () => {
  const WORDS: Record<string, string> = {
    stay: 'stay',
    disarmed: 'disarmed',
    Home: 'Home',
    'home%20': 'home ',
    null: 'null',
    ['a'.repeat(100)]: 'a'.repeat(64),
    ['%F0%9F%94%A5'.repeat(70)]: '🔥'.repeat(64),
    '%C3%BCber': 'über',
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E': '<script>alert(1)</script>',
    '%22%7D%2C%5C': '"},\\',
    'st%00a%0D%0A%1By': 'stay',
    'st%E2%80%AEay': 'stay',
    ['__proto__']: '__proto__',
    'away%2Fhome': 'away/home',
  };

  test('is named, as it can be shown, beside the four that there are and a guide that is there', async () => {
    const { world, ids, good } = await aHouse();
    const links = { help: expect.stringMatching(/\/docs\/arming$/) };
    const shown: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const verb of ['arm', 'trigger']) {
      for (const [word, visible] of Object.entries(WORDS)) {
        const message = `Unknown mode "${visible}". The modes are home, away, night and vacation.`;
        expected[`${verb}/${word}`] = answer(404, { message, links });
        const got = await ask(world, `/v1/alarm/${ids.alarm}/${verb}/${word}`, { headers: good.scoped });
        shown[`${verb}/${word}`] = seen(got);
      }
    }
    expect(shown).toStrictEqual(expected);
    await world.settle();
    expect(await world.rows('SELECT DISTINCT outcome, mode FROM call_log')).toEqual([
      { outcome: 'unknown_mode', mode: null },
    ]);
  });

  test('links to a page that anybody can read', async () => {
    const { world, ids, good } = await aHouse();
    const { links } = JSON.parse((await ask(world, `/v1/alarm/${ids.alarm}/arm/stay`, { headers: good.account })).body);
    const page = await fetch(links.help);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  });

  test('an empty word is none: the slash at the end changes nothing', async () => {
    const { world, ids, good } = await aHouse();
    expect((await ask(world, `/v1/alarm/${ids.alarm}/arm/`, { headers: good.account })).status).toBe(202);
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
    expect(await recorded(world)).toEqual({ actions: 0, calls: 0 });
  });

  test('any method but GET is a 405 that allows GET, whatever the identifier, and nothing is recorded', async () => {
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
    expect(await recorded(world)).toEqual({ actions: 0, calls: 0 });
    expect(await world.rows('SELECT 1 FROM source_state WHERE armed_mode IS NOT NULL')).toEqual([]);
  });

  test('query, body, content type and slashes too many change nothing', async () => {
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

  test('makes every action a 503 that says when to come again, never a 202, and all is well when it is back', async () => {
    const { world, ids, good } = await aHouse();
    const back = await holdUp(world, 'action');
    const started = performance.now();
    const asked = ACTIONS.map(path => ask(world, fill(path, ids), { headers: good.account }));
    const shown = (await Promise.all(asked)).map(seen);
    expect(performance.now() - started).toBeLessThan(4_000);
    expect(shown).toStrictEqual(ACTIONS.map(() => unavailable));
    await back();
    for (const path of [...ACTIONS, ...READS]) {
      const { status } = await ask(world, fill(path, ids), { headers: good.account });
      expect(status, path).toBe(READS.includes(path) ? 200 : 202);
    }
  });

  test('makes everything that needs a key a 503; what is no key at all is refused without it', async () => {
    const { world, ids, good, bad } = await aHouse();
    const back = await holdUp(world, 'api_key');
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
  async function holdUp(world: House['world'], table: string): Promise<() => Promise<void>> {
    const other = new pg.Client({ connectionString: world.databaseUrl });
    await other.connect();
    await other.query('BEGIN');
    await other.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return () => other.end();
  }
});

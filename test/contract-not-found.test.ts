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
  NOT_FOUND,
  seen,
  UNKNOWN_PATHS,
  withoutTrace,
} from './support/contract.ts';

/* The 404s of SPEC.md 7: the one that never says why, and the one that does. */

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
  /** What is sent, and what of it is shown (DECISIONS.md "Unknown modeId"). */
  const WORDS: Record<string, string> = {
    stay: 'stay',
    disarmed: 'disarmed',
    Home: 'Home',
    'home%20': 'home ',
    null: 'null',
    ['a'.repeat(100)]: 'a'.repeat(64),
    ['%C3%BC'.repeat(70)]: 'ü'.repeat(64),
    'at_home-2%20now': 'at_home-2 now',
    ['__proto__']: '__proto__',
    ['%F0%9F%94%A5'.repeat(70)]: '',
    [`${'a'.repeat(64)}!`]: '',
    '%3Cscript%3Ealert(1)%3C%2Fscript%3E': '',
    'https%3A%2F%2Fevil.example': '',
    'evil.example': '',
    '%22%7D%2C%5C': '',
    'st%00a%0D%0A%1By': '',
    'st%E2%80%AEay': '',
    'away%2Fhome': '',
    'stay%09home': '',
    '%ff': '',
    'st%C3%28ay': '',
    '%': '',
    'n%E4chtlich?cam=1': '',
  };

  test('is named if it is letters, digits, blanks, - and _, beside the four that there are and a guide that is there', async () => {
    const { world, ids, good } = await aHouse();
    const links = { help: expect.stringMatching(/\/docs\/arming$/) };
    const shown: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const verb of ['arm', 'trigger']) {
      for (const [word, visible] of Object.entries(WORDS)) {
        const message = `Unknown mode${visible === '' ? '' : ` "${visible}"`}. The modes are home, away, night and vacation.`;
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

import { expect, test } from 'vitest';
import {
  concernsOperator,
  deadlineOf,
  judgeSenders,
  type Others,
  type SilenceState,
  type SupervisionNotice,
  silenceInAll,
  type WatchedKey,
} from '../../services/domain/supervision.ts';

const S = 1_000;
const HOUR = 3_600 * S;

/** A key that was last heard at 0, supervised by ten minutes, with an armed alarm behind it. */
function key(but: Partial<WatchedKey> = {}): WatchedKey {
  return {
    keyId: 'camera',
    label: but.keyId ?? 'camera',
    supervisionS: 600,
    heardAt: 0,
    silence: 'none',
    silentSince: null,
    silentAt: null,
    toldAt: null,
    toldWith: null,
    silences: 0,
    armed: ['House'],
    onSilence: 'notify',
    alert: 'none',
    ...but,
  };
}

const judged = (keys: WatchedKey[], nowS: number, supervised = keys.length, acceptingSince = 0) =>
  judgeSenders({ keys, supervised, others: 'heard', acceptingSince, now: nowS * S });

const said = (notices: SupervisionNotice[]) => notices.map(({ kind, keys }) => `${kind} ${keys.join('+')}`);

test.each([
  ['heard last', { heardAt: 90 * S }, 50, 690],
  ['we accept only since', { heardAt: 90 * S }, 200, 800],
])('the deadline counts from the later of what was %s', (_, but, since, deadlineS) => {
  expect(deadlineOf(key(but), since * S)).toBe(deadlineS * S);
});

test.each<[string, number, Partial<WatchedKey>, string[], SilenceState['silence'] | 'as before']>([
  ['before its deadline', 599, {}, [], 'as before'],
  ['while its life may still be on its way to the table', 629, {}, [], 'as before'],
  ['half a minute after its deadline', 630, {}, ['blind camera'], 'told'],
  ['half a minute after its deadline, with nothing armed', 630, { armed: [] }, [], 'recorded'],
])('a key is judged %s', (_, nowS, but, notices, silence) => {
  const { changed, notices: told } = judged([key(but)], nowS);
  expect(said(told)).toEqual(notices);
  expect(changed.map(one => one.silence)).toEqual(silence === 'as before' ? [] : [silence]);
});

const SILENT = { silence: 'recorded', silentSince: 0, silentAt: 630 * S, silences: 1 } as const;

test('what is armed while its sender is silent is told at once, with how long it was silent', () => {
  expect(judged([key({ ...SILENT, armed: [] })], 5_000)).toMatchObject({ changed: [], notices: [] });
  const { notices } = judged([key(SILENT)], 5_000);
  expect(notices).toEqual([
    {
      kind: 'blind',
      of: ['camera'],
      keys: ['camera'],
      armed: ['House'],
      silentMs: 5_000 * S,
      times: 1,
      follows: 'nothing',
    },
  ]);
});

test('it is told once while it stays silent and armed, and again when something is armed anew, not within six hours', () => {
  const told = key({ ...SILENT, silence: 'told', toldAt: 630 * S, silences: 0 });
  expect(judged([told], 8 * 3_600)).toMatchObject({ changed: [], notices: [] });
  const [aside] = judged([{ ...told, armed: [] }], 700).changed;
  expect(aside).toMatchObject({ silence: 'laid_aside' });
  const again = { ...told, ...aside };
  expect(judged([again], 6 * 3_600).notices).toEqual([]);
  expect(said(judged([again], 630 + 6 * 3_600).notices)).toEqual(['blind camera']);
});

test.each<[SilenceState['silence'], string[]]>([
  ['recorded', []],
  ['told', ['sender_back camera']],
  ['laid_aside', ['sender_back camera']],
])('a key that is heard again after a silence that was %s', (silence, notices) => {
  const { changed, notices: told } = judged([key({ ...SILENT, silence, toldAt: 630 * S, heardAt: 900 * S })], 905);
  expect(said(told)).toEqual(notices);
  if (told[0]?.kind === 'sender_back') expect(told[0].gapMs).toBe(900 * S);
  expect(changed).toMatchObject([{ silence: 'none', silentSince: null, silentAt: null }]);
});

test('a break of ours after it fell silent does not make it heard again', () => {
  expect(judged([key({ ...SILENT, silence: 'told', toldAt: 630 * S })], 2_000, 1, 1_900 * S)).toMatchObject({
    changed: [],
    notices: [],
  });
});

test('silences within six hours of one that was told are counted, and told together with the next', () => {
  let one = key();
  const told: SupervisionNotice[] = [];
  const step = (nowS: number) => {
    const { changed, notices } = judged([one], nowS);
    one = { ...one, ...changed[0] };
    told.push(...notices);
  };
  // It is heard every half hour and supervised by ten minutes, for eight hours.
  for (let nowS = 0; nowS <= 8 * 3_600; nowS += 10) {
    if (nowS % 1_800 === 0) one = { ...one, heardAt: nowS * S };
    step(nowS);
  }
  expect(said(told)).toEqual(['blind camera', 'sender_back camera', 'blind camera', 'sender_back camera']);
  expect(told[2]).toMatchObject({ times: 12 });
});

test('three keys that fall silent together are one notice; those that follow within two minutes join it', () => {
  const late = (keyId: string, heardS: number) => key({ keyId, heardAt: heardS * S });
  const first = judged([late('a', 0), late('b', 5), late('c', 15)], 630, 6);
  expect(said(first.notices)).toEqual(['blind_together a+b+c']);
  expect(first.notices[0]).toMatchObject({ cause: 'line', supervised: 6 });
  const known = [late('a', 0), late('b', 5), late('c', 15)].map((one, at) => ({ ...one, ...first.changed[at] }));
  const second = judged([...known, late('d', 100)], 730, 6);
  expect(second.notices).toEqual([]);
  expect(second.changed).toMatchObject([{ keyId: 'd', silence: 'told', toldWith: 630 * S }]);
  const all = [...known, { ...late('d', 100), ...second.changed[0] }];
  const back = judged(
    all.map((one, at) => (at < 3 ? { ...one, heardAt: 800 * S } : one)),
    805,
    6,
  );
  expect(back.notices).toMatchObject([{ kind: 'sender_back', keys: ['a', 'b', 'c'], stillSilent: 1 }]);
});

test('two keys, or three of many, are told one by one', () => {
  const keys = ['a', 'b'].map(keyId => key({ keyId }));
  expect(said(judged(keys, 630, 2).notices)).toEqual(['blind a', 'blind b']);
});

test('arming with three silent senders is one notice, which blames no line', () => {
  const keys = ['a', 'b', 'c'].map(keyId => key({ ...SILENT, keyId }));
  expect(judged(keys, 9_000, 3).notices).toMatchObject([{ kind: 'blind_together', cause: 'armed' }]);
});

/** A key whose silence was found 630 s after 0, and is to trigger its alarm. */
const WAITS = { ...SILENT, silence: 'told', toldAt: 630 * S, silences: 0, onSilence: 'alert', alert: 'waits' } as const;

const judgedAmong = (others: Others, one: WatchedKey, nowS: number, acceptingSince = 0) =>
  judgeSenders({ keys: [one], supervised: 1, others, acceptingSince, now: nowS * S });

test('a silence that alerts does so two minutes after it was found, and once', () => {
  const found = judged([key({ onSilence: 'alert' })], 630);
  expect(found.notices).toMatchObject([{ kind: 'blind', follows: 'alert' }]);
  expect(found).toMatchObject({ changed: [{ alert: 'waits' }], alerts: [], alertAt: 750 * S });
  expect(judged([key(WAITS)], 749)).toMatchObject({ changed: [], alerts: [], alertAt: 750 * S });
  const given = judged([key(WAITS)], 750);
  expect(given).toMatchObject({ alerts: [{ keyId: 'camera', silentSince: 0 }], alertAt: null });
  expect(judged([{ ...key(WAITS), ...given.changed[0] }], 5_000)).toMatchObject({ alerts: [], alertAt: null });
});

test.each<[string, Partial<WatchedKey>]>([
  ['nothing is armed', { armed: [] }],
  ['its owners are to be told alone', { onSilence: 'notify' }],
])('no silence waits to alert where %s', (_, but) => {
  expect(judged([key({ onSilence: 'alert', ...but })], 630)).toMatchObject({ alertAt: null });
  const { changed, alerts } = judged([key({ ...WAITS, ...but })], 750);
  expect(alerts).toEqual([]);
  expect(changed).toMatchObject([{ alert: 'none' }]);
});

test('what is heard again in time alerts nobody', () => {
  const { changed, alerts } = judged([key({ ...WAITS, heardAt: 700 * S })], 750);
  expect(alerts).toEqual([]);
  expect(changed).toMatchObject([{ silence: 'none', alert: 'none' }]);
});

test('what falls silent together alerts nobody, whoever was found first', () => {
  const first = key({ ...WAITS, keyId: 'a' });
  const later = ['b', 'c'].map(keyId => key({ keyId, heardAt: 100 * S, onSilence: 'alert' }));
  const { changed, alerts, alertAt } = judged([first, ...later], 731, 3);
  expect([alerts, alertAt]).toEqual([[], null]);
  expect(changed.map(one => one.alert)).toEqual(['none', 'none', 'none']);
});

test('where the senders of other accounts fall silent too, nobody is alerted; where that is not known, it waits', () => {
  expect(judgedAmong('silent', key(WAITS), 700)).toMatchObject({ changed: [{ alert: 'none' }], alerts: [] });
  expect(judgedAmong('not_known', key(WAITS), 800)).toMatchObject({ changed: [], alerts: [] });
});

test('a break of ours between a silence and its alert gives the sender a whole period', () => {
  expect(judgedAmong('heard', key(WAITS), 1_329, 700 * S)).toMatchObject({ alerts: [], alertAt: 1_330 * S });
  expect(judgedAmong('heard', key(WAITS), 1_330, 700 * S).alerts).toHaveLength(1);
});

test('of a deployment what is found silent now counts with what was found within two minutes', () => {
  const on = { supervised: 4, acceptingSince: 0, now: 700 * S };
  const accounts = [[key(SILENT)], [key({ heardAt: 50 * S })], [key({ ...SILENT, silentAt: 100 * S })]];
  expect(
    silenceInAll(
      accounts.map(keys => ({ keys })),
      on,
    ),
  ).toEqual({ supervised: 4, recent: 2, accounts: 2 });
});

/** A key that was found silent at a time, half a minute after its deadline. */
function foundSilent(keyId: string, silentAtS: number): WatchedKey {
  const heardAt = (silentAtS - 630) * S;
  return key({ ...SILENT, keyId, silentAt: silentAtS * S, silentSince: heardAt, heardAt });
}

test.each<[string, WatchedKey, string[], number | null]>([
  ['fell silent within two minutes of them', foundSilent('shed', 9_060), [], 9_030 * S],
  ['was silent for days and is armed just then', foundSilent('shed', 700), ['blind shed'], null],
])('while a notice of the line is young, a key that %s', (_, shed, notices, toldWith) => {
  const line = { silence: 'told', toldAt: 9_030 * S, toldWith: 9_030 * S } as const;
  const known = ['a', 'b', 'c'].map(keyId => ({ ...foundSilent(keyId, 9_030), ...line }));
  const { changed, notices: told } = judged([...known, shed], 9_090, 6);
  expect(said(told)).toEqual(notices);
  expect(changed).toMatchObject([{ keyId: 'shed', silence: 'told', toldWith }]);
});

test.each<[string, number[], number, string[]]>([
  ['silent for long', [700, 700, 700], 3, ['blind_together a+b+c armed']],
  ['fallen silent just then, but no line', [9_000, 9_000, 9_000], 20, ['blind a', 'blind b', 'blind c']],
  [
    'silent for long, and one fallen silent just then',
    [700, 700, 700, 9_000],
    20,
    ['blind_together a+b+c armed', 'blind d'],
  ],
  ['two silent for long, and one fallen silent just then', [700, 700, 9_000], 20, ['blind a', 'blind b', 'blind c']],
  [
    'fallen silent together, and one silent for long',
    [9_000, 9_000, 9_000, 700],
    5,
    ['blind_together a+b+c line', 'blind d'],
  ],
])('what is armed depends on keys that are %s', (_, keys, supervised, notices) => {
  const silent = keys.map((silentAtS, at) => foundSilent('abcd'[at]!, silentAtS));
  const { notices: told } = judged(silent, 9_000, supervised);
  expect(told.map(one => said([one])[0] + ('cause' in one ? ` ${one.cause}` : ''))).toEqual(notices);
});

test.each([
  [{ supervised: 10, recent: 3, accounts: 3 }, true],
  [{ supervised: 10, recent: 3, accounts: 1 }, false],
  // What two accounts do may not keep the heartbeat of all from being sent.
  [{ supervised: 10, recent: 10, accounts: 2 }, false],
  [{ supervised: 11, recent: 3, accounts: 3 }, false],
])('whether the operator is told: %j', (silence, concerns) => {
  expect(concernsOperator(silence)).toBe(concerns);
});

test('whenever a key is heard and looked at, its notices alternate, are six hours apart, and never say what is not so', () => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = randomOf(seed);
    let one = key({ supervisionS: 120 + Math.floor(random() * 2_000) });
    let armed = true;
    let acceptingSince = 0;
    let lastKind = 'sender_back';
    let lastBlind = Number.NEGATIVE_INFINITY;
    for (let now = 0; now < 40 * HOUR; now += 10 * S + Math.floor(random() * 50 * S)) {
      if (random() < 0.02) armed = !armed;
      if (random() < 0.005) acceptingSince = now;
      // It is heard often or hardly ever, for hours.
      if (random() < (Math.floor(now / (2 * HOUR)) % 2 === 0 ? 0.3 : 0.01)) one = { ...one, heardAt: now };
      one = { ...one, armed: armed ? ['House'] : [] };
      const { changed, notices } = judgeSenders({ keys: [one], supervised: 1, others: 'heard', acceptingSince, now });
      for (const { kind } of notices) {
        if (kind === 'blind') {
          expect(now).toBeGreaterThanOrEqual(deadlineOf(one, 0) + 10 * S);
          expect(armed).toBe(true);
          expect(now - lastBlind).toBeGreaterThanOrEqual(6 * HOUR);
          lastBlind = now;
        } else expect(lastKind).toBe('blind');
        lastKind = kind;
      }
      one = { ...one, ...changed[0] };
      if ((one.silence === 'none') !== (one.silentSince === null)) throw new Error(`seed ${seed} at ${now}`);
    }
  }
});

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

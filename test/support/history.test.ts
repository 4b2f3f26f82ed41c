import { expect, test } from 'vitest';
import { CLEAN, call, incident, logged, message, planted, received } from './history/planted.ts';
import { check, type History, INVARIANTS, sum, table, violationsIn } from './history.ts';

/** Which invariants a history violates. */
const violated = (history: History) =>
  check(history)
    .filter(({ violations }) => violations.length > 0)
    .map(({ invariant }) => invariant);

test('a clean history violates nothing, and every invariant has something to look at in it', () => {
  expect(violationsIn(check(CLEAN))).toEqual([]);
  expect(check(CLEAN).filter(({ looked }) => looked === 0)).toEqual([]);
});

type Name = keyof typeof INVARIANTS;

const ifTrace =
  <Change>(traceId: string, change: Change) =>
  (row: { traceId: string | null }) =>
    row.traceId === traceId ? change : {};

const ifId =
  <Change>(id: string, change: Change) =>
  (row: { id: string | bigint }) =>
    row.id === id ? change : {};

const PLANTED: [Name, string, History][] = [
  ['accepted and lost', 'a 202 without a row', planted('logged', ifTrace('armed', null))],
  ['accepted and lost', 'a 202 that waits', planted('logged', ifTrace('armed', { appliedAt: null }))],
  ['accepted and lost', 'a 202 that failed', planted('logged', ifTrace('armed', { outcome: 'failed' }))],
  ['accepted and lost', 'a 202 without a trace', planted('calls', ifTrace('armed', { traceId: null }))],
  [
    'applied twice',
    'two rows of one call',
    { ...CLEAN, logged: [...CLEAN.logged, logged(9, 'armed', 1_011, 'armed')] },
  ],
  [
    'refused and applied',
    'a 404 that armed',
    planted('logged', ifTrace('refused', { appliedAt: 3_520, outcome: 'armed' })),
  ],
  ['left undone', 'a message that waits', { ...CLEAN, undone: ['message fire-1'] }],
  [
    'order per source',
    'a disarm that overtakes',
    {
      ...CLEAN,
      calls: [...CLEAN.calls, call('first', 'disarm', 80_000), call('second', 'arm/away', 80_021)],
      logged: [...CLEAN.logged, logged(12, 'first', 80_010, 'disarmed'), logged(11, 'second', 80_030, 'armed')],
    },
  ],
  ['time of calls', 'a call stored with another time', planted('logged', ifTrace('armed', { at: 400 }))],
  [
    'open per source <= 1',
    'two open at once',
    {
      ...CLEAN,
      calls: [...CLEAN.calls, call('again', 'trigger', 90_000, { sourceId: 'button' })],
      logged: [
        ...CLEAN.logged,
        logged(9, 'again', 90_010, 'opened', { sourceId: 'button', incidentId: 'panic-again' }),
      ],
      incidents: [...CLEAN.incidents, incident('panic-again', 'button', 90_010, 'again', { mode: null })],
      messages: [...CLEAN.messages, message('again-1', 'panic-again', 90_010)],
      received: [...CLEAN.received, received('again-1', 90_050)],
    },
  ],
  ['incidents count their calls', 'a trigger counted twice', planted('incidents', ifId('fire', { triggerCount: 3 }))],
  [
    'incidents count their calls',
    'opened by nobody',
    planted('logged', ifTrace('pressed', { outcome: 'nothing_open' })),
  ],
  ['steps planned once', 'a step that is missing', planted('messages', ifId('trial-1', null))],
  [
    'steps planned once',
    'a person told twice of one step',
    {
      ...CLEAN,
      messages: [...CLEAN.messages, message('fire-1-again', 'fire', 12_010)],
      received: [...CLEAN.received, received('fire-1-again', 12_070)],
    },
  ],
  ['early timers', 'a window one moment early', planted('incidents', ifId('fire', { openedAt: 12_009 }))],
  [
    'early timers',
    'people told before its time',
    planted('calls', ifTrace('fired', { began: 2_100, answered: 2_120 })),
  ],
  ['early timers', 'applied before its time', planted('incidents', ifId('fire', { appliedAt: 12_009 }))],
  ['early timers', 'a step before its time', planted('messages', ifId('fire-2', { firstAttemptAt: 72_009 }))],
  [
    'early timers',
    'a step planned too early',
    planted('messages', ifId('fire-2', { plannedAt: 71_000, dueAt: 71_000, firstAttemptAt: 71_020 })),
  ],
  ['late timers', 'a window that ended late', planted('incidents', ifId('fire', { appliedAt: 17_011 }))],
  ['late timers', 'a step that went late', planted('messages', ifId('fire-2', { firstAttemptAt: 77_011 }))],
  [
    'first attempt <= 5 s',
    'nobody told after a fault',
    planted('received', row => (row.messageId === 'panic-1' ? { at: row.at + 9_000 } : {})),
  ],
  [
    'alerts in test',
    'a mail about a trial',
    { ...CLEAN, received: [...CLEAN.received, received('trial-1', 40_050, 'sue@shop.example')] },
  ],
  ['alerts in test', 'a trial called sent', planted('messages', ifId('trial-1', { status: 'sending' }))],
  ['alerts in test', 'a test call that counts as live', planted('logged', ifTrace('quiet', { environment: 'live' }))],
  ['alerts in test', 'a live call that counts as test', planted('calls', ifTrace('quiet', { environments: ['live'] }))],
  ['answers across accounts', "another's call", planted('logged', ifTrace('armed', { accountId: 'other' }))],
  [
    'answers across accounts',
    "another's source in an answer",
    planted('calls', ifTrace('pressed', { named: ['shop'] })),
  ],
  ['answers across accounts', "another's mail", planted('received', () => ({ address: 'sue@shop.example' }))],
  ['duplicate messages', 'twice without a reason', { ...CLEAN, faults: [] }],
  [
    'duplicate messages',
    'three times for one fault',
    { ...CLEAN, received: [...CLEAN.received, received('panic-1', 60_000)] },
  ],
  [
    'duplicate messages',
    'a fault that was over before',
    { ...CLEAN, faults: [{ what: 'a kill', from: 20_000, until: 30_000, inFlight: null }] },
  ],
  [
    'said sent, not received',
    'a mail nobody has',
    planted('received', row => (row.messageId === 'fire-2' ? null : {})),
  ],
  [
    'said sent, not received',
    'a mail nobody wrote',
    { ...CLEAN, received: [...CLEAN.received, received('ghost', 9_000)] },
  ],
];

test('every invariant has a history that violates it', () => {
  expect(new Set(PLANTED.map(([name]) => name))).toEqual(new Set(Object.keys(INVARIANTS)));
});

test.each(PLANTED)('%s: %s is caught, and nothing else cries', (name, _what, history) => {
  expect(violated(history)).toEqual([name]);
});

test('a call that a facade repeated may be stored twice, and opens one incident at most while that is open', () => {
  const again = (outcome: string) => logged(9, 'joined', 3_011, outcome, { incidentId: 'fire' });
  const repeated = (row: ReturnType<typeof again>): History => ({
    ...planted('incidents', ifId('fire', { triggerCount: 3 })),
    logged: [...CLEAN.logged, row],
    repeats: 'by the facade',
  });
  expect(violated(repeated(again('folded')))).toEqual([]);
  expect(violated({ ...repeated(again('folded')), repeats: 'never' })).toEqual(['applied twice']);
  const opened = { ...repeated(again('opened')), logged: [...CLEAN.logged, logged(9, 'fired', 2_011, 'opened')] };
  expect(violated(opened)).toContain('applied twice');
  const between = logged(8, 'cleared', 2_005, 'closed');
  expect(violated({ ...opened, logged: [...opened.logged, between] })).not.toContain('applied twice');
});

test('what is broken excuses what is late for as long as it lasts', () => {
  const lateStep = planted('messages', ifId('fire-2', { firstAttemptAt: 90_000 }));
  const broken = (from: number, until: number): History => ({
    ...lateStep,
    faults: [...CLEAN.faults, { what: 'the database is gone', from, until, inFlight: [] }],
  });
  expect(violated(broken(70_000, 86_000))).toEqual([]);
  expect(violated(broken(70_000, 84_000))).toEqual(['late timers']);
  expect(violated(broken(78_000, 89_000))).toEqual(['late timers']);
});

test('a clock that was moved tells nothing about callers, but an alert that is due at once comes at once', () => {
  const moved = { ...planted('messages', ifId('fire-2', { firstAttemptAt: 900_000 })), clock: 'moved' as const };
  expect(violated(moved)).toEqual([]);
  const stuck = { ...moved, received: CLEAN.received.map(row => ({ ...row, at: row.at + 3_600_000 })), faults: [] };
  expect(violated(stuck)).toEqual(['first attempt <= 5 s', 'duplicate messages']);
});

test('one table tells what was looked at and what was found, over all histories', () => {
  const findings = sum([check(CLEAN), check(planted('logged', ifTrace('armed', null)))]);
  expect(violationsIn(findings)).toEqual(['accepted and lost: arm/away of alarm (armed)']);
  const lines = table('two histories', findings).split('\n');
  expect(lines.slice(0, 3)).toEqual([
    'two histories                looked at  violations',
    'accepted and lost                   10           1',
    'applied twice                        9           0',
  ]);
  expect(lines.length).toBe(Object.keys(INVARIANTS).length + 2);
});

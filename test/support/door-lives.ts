import fc from 'fast-check';
import { CONSOLE } from './door-alerting.ts';
import { type Call, MODES, type Move, type Settings } from './door-model.ts';

/* What can happen to an account, at random and on purpose, for the model-based test. */

const CALLS: Call[] = [
  'arm',
  ...MODES.map(mode => `arm/${mode}` as const),
  'trigger',
  ...MODES.map(mode => `trigger/${mode}` as const),
  'disarm',
  'clear',
  'panic trigger',
  'panic clear',
];

/** The test switch of both sources. Later calls run as it says; what is pending or open stays as it is. */
export const SWITCH = { 'switch to test': 'test', 'switch to live': 'live' } as const;

/** In milliseconds. */
export const WAIT = {
  'wait 1 ms': 1,
  'wait 1 s': 1_000,
  'wait 10 s': 10_000,
  'wait 20 s': 20_000,
  'wait 5 minutes': 300_000,
  'wait a day': 86_400_000,
};

/** Until something happens by itself, give or take a millisecond. */
export const WAIT_FOR_TIMER = { 'wait until just before': -1, 'wait until then': 0, 'wait until just after': 1 };

/** Until somebody is told or asked. */
export const WAIT_FOR_MESSAGE = { 'wait until just before it goes on': -1, 'wait until it goes on': 0 };

export type Wait = keyof typeof WAIT | keyof typeof WAIT_FOR_TIMER | keyof typeof WAIT_FOR_MESSAGE;

/** What people do; `next` and `next again` name a step that the life knows: the next one, and the one named last. */
export const MOVES = {
  'Anna acknowledges': { verb: 'acknowledge', by: 'Anna' },
  'Ben acknowledges': { verb: 'acknowledge', by: 'Ben' },
  'Cleo acknowledges': { verb: 'acknowledge', by: 'Cleo' },
  'Otto acknowledges': { verb: 'acknowledge', by: CONSOLE },
  next: { verb: 'next' },
  'next again': { verb: 'next' },
  'hand over to Anna': { verb: 'hand over', to: 'Anna' },
  'hand over to Ben': { verb: 'hand over', to: 'Ben' },
  'hand over to Cleo': { verb: 'hand over', to: 'Cleo' },
  'hand over to Dora': { verb: 'hand over', to: 'Dora' },
  'Anna cannot': { verb: 'decline', by: 'Anna' },
  'Ben cannot': { verb: 'decline', by: 'Ben' },
  'Cleo cannot': { verb: 'decline', by: 'Cleo' },
  note: { verb: 'note' },
  'Otto closes': { verb: 'close' },
} satisfies Record<string, Exclude<Move, { verb: 'next' }> | { verb: 'next' }>;

/** Of the alarm, unless the button is named. */
export type PersonsStep = keyof typeof MOVES | `button: ${keyof typeof MOVES}`;

export type Step = Call | keyof typeof SWITCH | Wait | PersonsStep;

/** A step, and whether the next one waits until the engine has done what there is to do. */
export interface Paced {
  step: Step;
  pace: 'settled' | 'hurried';
}

const SOME_CALL = fc.constantFrom(...CALLS);
/** What most lives are made of. */
const USUAL = fc.constantFrom<Step>('arm', 'trigger', 'trigger', 'trigger/home', 'trigger/night', 'disarm');
const ANY_SWITCH = fc.constantFrom(...keys(SWITCH));
const ANY_WAIT = fc.constantFrom<Step>(
  ...[...keys(WAIT), ...keys(WAIT_FOR_TIMER), ...keys(WAIT_FOR_TIMER)],
  ...[...keys(WAIT_FOR_MESSAGE), ...Array<Step>(6).fill('wait until it goes on')],
);
/** What keeps an incident open for long, and goes on in it. */
const PERSONS = fc.constantFrom<Step>(
  ...keys(MOVES),
  ...(['next', 'Anna acknowledges', 'Anna acknowledges', 'Ben acknowledges', 'wait until it goes on'] as const),
  ...keys(MOVES).map(move => `button: ${move}` as const),
);

export const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: SOME_CALL },
  { weight: 5, arbitrary: USUAL },
  { weight: 1, arbitrary: ANY_SWITCH },
  { weight: 5, arbitrary: ANY_WAIT },
  { weight: 5, arbitrary: PERSONS },
);

const WINDOW = fc.constantFrom(0, 10, 30);

export const SETTINGS: fc.Arbitrary<Settings> = fc.record({
  gate: fc.constantFrom('off', 'on'),
  clearOnDisarm: fc.constantFrom('off', 'on'),
  windows: fc.record({ home: WINDOW, away: WINDOW, night: WINDOW, vacation: WINDOW }),
  missing: fc.option(fc.constantFrom(...MODES), { freq: 2 }),
  holdsS: fc.constantFrom(0, 300, 1_800),
});

/** Lives that meet every outcome, and the corners that chance seldom finds: two of calls, two of people. */
export const LIVES_TO_SEE: [Settings, Step[]][] = [
  [
    {
      gate: 'on',
      clearOnDisarm: 'on',
      windows: { home: 0, away: 30, night: 10, vacation: 0 },
      missing: 'vacation',
    },
    [
      ...(['trigger', 'arm/vacation', 'trigger/vacation', 'clear', 'panic clear'] as const),
      ...(['arm/night', 'arm', 'trigger/away', 'trigger', 'wait until just before', 'disarm', 'wait 10 s'] as const),
      ...(['arm', 'trigger', 'wait 10 s', 'trigger/night', 'wait until just before', 'wait 1 ms', 'trigger'] as const),
      ...(['clear', 'trigger/home', 'disarm', 'arm', 'trigger', 'trigger/home', 'clear'] as const),
      ...(['switch to test', 'trigger/away', 'switch to live', 'trigger', 'wait until then', 'clear'] as const),
      ...(['switch to test', 'trigger/home', 'panic trigger', 'switch to live', 'trigger/night'] as const),
      ...(['wait until then', 'wait until just before', 'wait 1 ms', 'panic trigger', 'panic clear'] as const),
    ],
  ],
  [
    { gate: 'on', clearOnDisarm: 'off', windows: { home: 0, away: 0, night: 30, vacation: 0 }, missing: null },
    [
      ...(['arm', 'trigger', 'disarm', 'trigger', 'trigger/night', 'clear', 'trigger', 'trigger/home'] as const),
      ...(['switch to test', 'arm', 'trigger', 'disarm', 'switch to live', 'trigger/night', 'trigger'] as const),
      ...(['wait until just before', 'disarm', 'wait a day', 'trigger', 'arm', 'trigger', 'disarm'] as const),
      ...(['wait until just before', 'trigger', 'wait until then', 'trigger', 'panic trigger'] as const),
    ],
  ],
  [
    {
      gate: 'off',
      clearOnDisarm: 'off',
      windows: { home: 0, away: 0, night: 0, vacation: 0 },
      missing: null,
      holdsS: 300,
    },
    [
      ...([
        'trigger/vacation',
        'next',
        'next again',
        'next',
        'Anna acknowledges',
        'wait until just before it goes on',
      ] as const),
      ...(['wait 1 ms', 'wait until just before it goes on', 'wait 1 ms', 'Ben acknowledges', 'next again'] as const),
      ...(['wait until it goes on', 'Ben acknowledges', 'wait until it goes on', 'wait until it goes on'] as const),
      ...([
        'wait until it goes on',
        'Otto acknowledges',
        'wait 5 minutes',
        'wait a day',
        'note',
        'Otto closes',
      ] as const),
    ],
  ],
  [
    {
      gate: 'off',
      clearOnDisarm: 'off',
      windows: { home: 0, away: 0, night: 0, vacation: 0 },
      missing: null,
      holdsS: 1_800,
    },
    [
      ...([
        'trigger/away',
        'Anna cannot',
        'Anna cannot',
        'note',
        'note',
        'hand over to Dora',
        'hand over to Cleo',
        'hand over to Cleo',
      ] as const),
      ...(['Cleo acknowledges', 'hand over to Ben', 'wait 5 minutes', 'wait 5 minutes', 'Ben acknowledges'] as const),
      ...([
        'wait 5 minutes',
        'trigger',
        'wait until it goes on',
        'Otto acknowledges',
        'wait until it goes on',
      ] as const),
      ...([
        'Otto acknowledges',
        'wait until it goes on',
        'wait until it goes on',
        'wait 5 minutes',
        'Otto closes',
      ] as const),
      ...(['note', 'panic trigger', 'button: Anna acknowledges', 'wait a day', 'wait until it goes on'] as const),
    ],
  ],
];

function keys<T extends object>(record: T): (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

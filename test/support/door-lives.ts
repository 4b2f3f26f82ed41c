import fc from 'fast-check';
import { type Call, MODES, type Settings } from './door-model.ts';

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
  'wait a day': 86_400_000,
};

/** Until something happens by itself, give or take a millisecond. */
export const WAIT_FOR_TIMER = { 'wait until just before': -1, 'wait until then': 0, 'wait until just after': 1 };

export type Wait = keyof typeof WAIT | keyof typeof WAIT_FOR_TIMER;

export type Step = Call | keyof typeof SWITCH | Wait;

/** A step, and whether the next one waits until the engine has done what there is to do. */
export interface Paced {
  step: Step;
  pace: 'settled' | 'hurried';
}

const SOME_CALL = fc.constantFrom(...CALLS);
/** What most lives are made of. */
const USUAL = fc.constantFrom<Step>('arm', 'trigger', 'trigger', 'trigger/home', 'trigger/night', 'disarm');
const ANY_SWITCH = fc.constantFrom(...keys(SWITCH));
const ANY_WAIT = fc.constantFrom(...keys(WAIT), ...keys(WAIT_FOR_TIMER), ...keys(WAIT_FOR_TIMER));

export const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: SOME_CALL },
  { weight: 5, arbitrary: USUAL },
  { weight: 1, arbitrary: ANY_SWITCH },
  { weight: 4, arbitrary: ANY_WAIT },
);

const WINDOW = fc.constantFrom(0, 10, 30);

export const SETTINGS: fc.Arbitrary<Settings> = fc.record({
  gate: fc.constantFrom('off', 'on'),
  clearOnDisarm: fc.constantFrom('off', 'on'),
  windows: fc.record({ home: WINDOW, away: WINDOW, night: WINDOW, vacation: WINDOW }),
  missing: fc.option(fc.constantFrom(...MODES), { freq: 2 }),
});

/** Two lives that meet every outcome, and the corners that chance seldom finds. */
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
];

function keys<T extends object>(record: T): (keyof T)[] {
  return Object.keys(record) as (keyof T)[];
}

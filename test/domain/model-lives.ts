import fc from 'fast-check';
import type { Action } from '../../services/domain/action.ts';
import type { SourceFacts } from '../../services/domain/decide.ts';
import type { Call, House } from '../support/alarm-model.ts';
import { alarm, contact, DAY_S, MEANS, policy, seconds } from '../support/decide.ts';

const addresses = (['email', 'push'] as const).map(channel => ({ channel, address: `anna by ${channel}` }));
const somebody = [contact('anna', ['email'], { addresses })];

/** The policy of each mode, and the same in the model's words: when messages go out after the opening. */
const POLICIES = {
  home: {
    copy: policy([
      [0, somebody],
      [60, somebody],
    ]),
    messagesAfter: [0, 60],
  },
  away: { copy: policy([[30, somebody]]), messagesAfter: [30] },
  night: { copy: null, messagesAfter: [] },
  vacation: {
    copy: policy(
      [
        [10, somebody],
        [10, somebody],
      ],
      { repeat: 1, repeatDelayS: 60 },
    ),
    messagesAfter: [10, 20, 90, 100],
  },
  button: {
    copy: policy([
      [0, somebody],
      [45, somebody],
    ]),
    messagesAfter: [0, 45],
  },
};

export const messagesAfter = Object.fromEntries(Object.entries(POLICIES).map(([name, of]) => [name, of.messagesAfter]));

/** Steps that make calls, window ends and auto-closes meet at the same instant. */
const STEPS = [0, 0, 1, 5, 10, 10, 20, 30, 60, 300, 360, DAY_S - 30, DAY_S - 10, DAY_S, DAY_S + 30];
export const step = fc.constantFrom(...STEPS);

const VERBS = [
  ...Array<Call['verb']>(6).fill('trigger'),
  ...(['arm', 'disarm', 'disarm', 'clear', 'acknowledge', 'close', 'go_live', 'disable'] as const),
];

export const alarmCall = fc.record({
  step,
  verb: fc.constantFrom(...VERBS),
  mode: fc.constantFrom('home', 'away', 'night', 'vacation'),
  environment: fc.constantFrom('live', 'live', 'test'),
  window: fc.constantFrom(0, 10, 30),
  gate: fc.constantFrom('off', 'off', 'on'),
  incident: fc.integer({ min: 1, max: 3 }),
});

const panicCall = fc.record({
  step,
  verb: fc.constantFrom('trigger', 'trigger', 'clear', 'acknowledge', 'close', 'go_live', 'disable'),
  mode: fc.constant(null),
  environment: fc.constantFrom('live', 'live', 'test'),
  window: fc.constantFrom(0, 30),
  gate: fc.constantFrom('off', 'on'),
  incident: fc.integer({ min: 1, max: 3 }),
});

interface Life {
  house: House;
  calls: Call[];
  until: number;
}

export const life: fc.Arbitrary<Life> = fc.oneof(
  { weight: 4, arbitrary: lifeOf('alarm', alarmCall) },
  { weight: 1, arbitrary: lifeOf('panic_button', panicCall) },
);

export function lifeOf(
  kind: House['kind'],
  call: fc.Arbitrary<Omit<Call, 'at'> & { step: number }>,
): fc.Arbitrary<Life> {
  const facts = {
    clearOnDisarm: fc.constantFrom('on', 'off'),
    stillHappeningAfter: fc.constantFrom(0, 0, 30, 60),
    carriers: fc.constantFrom<House['carriers'][]>(['email', 'push'], ['email', 'push'], ['push'], []),
    steps: fc.array(call, { maxLength: 10 }),
    tail: step,
  };
  return fc.record(facts).map(({ clearOnDisarm, stillHappeningAfter, carriers, steps, tail }) => {
    let at = 0;
    const calls = steps.map(({ step, ...call }) => {
      at += step;
      return { at, ...call };
    });
    return { house: { kind, clearOnDisarm, messagesAfter, stillHappeningAfter, carriers }, calls, until: at + tail };
  });
}

/** Incidents are called 1, 2 … in the order of opening, actions 0, 1 … in the order of acceptance. */
export function sourceOf({ kind, clearOnDisarm, stillHappeningAfter, carriers }: House): SourceFacts {
  let opened = 0;
  return alarm({
    kind,
    clearOnDisarm: clearOnDisarm === 'on',
    stillHappeningS: stillHappeningAfter,
    means: { ...MEANS, carriers },
    policyFor: mode => POLICIES[mode ?? 'button'].copy,
    newId: () => `${++opened}`,
  });
}

export function actionOf(call: Call, index: number): Action {
  const { verb, mode, environment, window, gate, incident, at } = call;
  return {
    id: `${index}`,
    verb,
    mode,
    environment,
    windowS: window,
    onlyWhenArmed: gate === 'on',
    traceId: `trace ${index}`,
    keySeq: null,
    acceptedAt: seconds(at),
    incidentId: `${incident}`,
    // The model knows triggers of machines; a person's is a rehearsal and has its table in decide-second-trigger.test.ts.
    actor: verb === 'trigger' ? null : 'anna',
    via: null,
    contactId: null,
  };
}

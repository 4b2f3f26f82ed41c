import { describe, expect, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import {
  DELIVERIES_MOST,
  type PolicyCopy,
  type ScheduledDelivery,
  scheduleEscalation,
} from '../../services/domain/escalation.ts';
import type { Means } from '../../services/domain/reach.ts';
import { contact, FAMILY, MEANS, policy, START, seconds } from '../support/decide.ts';

const anna = contact('anna', ['text', 'email']);
const ben = contact('ben', ['call']);
const cleo = contact('cleo', ['email']);

/** Rows as `round.step who channel @seconds`. */
function rows(of: PolicyCopy | null): string[] {
  return scheduleEscalation(of, START, 'live', MEANS).deliveries.map(inWords);
}

function inWords({ round, step, contactId, channel, dueAt }: ScheduledDelivery): string {
  return `${round}.${step} ${contactId} ${channel} @${(dueAt - START) / 1000}`;
}

describe('DECISIONS.md "Policy" and "A step": who is told when', () => {
  test.each<[string, PolicyCopy | null, string[], endsAtS: number]>([
    ['no policy', null, [], 0],
    ['a policy without steps', policy([]), [], 0],
    [
      'steps that name nobody',
      policy([
        [0, []],
        [60, []],
      ]),
      [],
      0,
    ],
    ['a contact without channels', policy([[10, [contact('dora', [])]]]), [], 0],
    ['one step at once', policy([[0, [ben]]]), ['0.0 ben call @0'], 0],
    ['the first delay counts from the opening', policy([[20, [ben]]]), ['0.0 ben call @20'], 20],
    [
      'all contacts of a step, in order, each over all channels of the step',
      policy([[5, [anna, ben]]]),
      ['0.0 anna text @5', '0.0 anna email @5', '0.0 ben call @5'],
      5,
    ],
    [
      'each delay counts from the step before it',
      policy([
        [0, [ben]],
        [60, [cleo]],
        [300, [ben]],
      ]),
      ['0.0 ben call @0', '0.1 cleo email @60', '0.2 ben call @360'],
      360,
    ],
    [
      'a step that names nobody still takes its time',
      policy([
        [0, [ben]],
        [60, []],
        [60, [cleo]],
      ]),
      ['0.0 ben call @0', '0.2 cleo email @120'],
      120,
    ],
    [
      'steps without delay are told together',
      policy([
        [0, [ben]],
        [0, [cleo]],
      ]),
      ['0.0 ben call @0', '0.1 cleo email @0'],
      0,
    ],
    [
      'further rounds, each after the repeat delay, the first delay included',
      policy(
        [
          [10, [ben]],
          [60, [cleo]],
        ],
        { repeat: 2, repeatDelayS: 300 },
      ),
      [
        '0.0 ben call @10',
        '0.1 cleo email @70',
        '1.0 ben call @380',
        '1.1 cleo email @440',
        '2.0 ben call @750',
        '2.1 cleo email @810',
      ],
      810,
    ],
  ])('%s', (_case, of, expected, endsAtS) => {
    expect(rows(of)).toEqual(expected);
    const { endsAt, outcome } = scheduleEscalation(of, START, 'live', MEANS);
    expect(endsAt).toBe(seconds(endsAtS));
    expect(outcome).toBe(expected.length > 0 ? 'alerting' : 'nobody_to_alert');
  });

  test('five further rounds are six in all', () => {
    expect(rows(policy([[0, [ben]]], { repeat: 5, repeatDelayS: 60 }))).toHaveLength(6);
  });
});

describe('DECISIONS.md "Throttle of repeats": no more than 500 messages are planned for one incident, the earliest', () => {
  const ALL: ChannelKind[] = ['text', 'call', 'email', 'push', 'webhook'];
  const people = (count: number, channels = ALL) =>
    Array.from({ length: count }, (_, nth) => contact(`p${nth}`, channels));
  const steps = (count: number, of = people(20)): [number, typeof of][] =>
    Array.from({ length: count }, () => [60, of]);

  /** Every message that a policy asks for, in the stated order. */
  function asked(of: PolicyCopy): string[] {
    const all: string[] = [];
    let at = 0;
    for (let round = 0; round <= of.repeat; round++) {
      if (round > 0) at += of.repeatDelayS;
      of.steps.forEach(({ delayS, contacts }, step) => {
        at += delayS;
        for (const { id, channels } of contacts) {
          for (const channel of channels) all.push(`${round}.${step} ${id} ${channel} @${at}`);
        }
      });
    }
    return all;
  }

  test.each<[string, PolicyCopy, leftOut: number, last: string]>([
    ['as many as there may be', policy(steps(5)), 0, '0.4 p19 webhook @300'],
    ['one more', policy([...steps(5), [60, people(1, ['text'])]]), 1, '0.4 p19 webhook @300'],
    [
      'a person of whom not all channels have room',
      policy([[0, people(1, ['text', 'call', 'email'])], ...steps(5)]),
      3,
      '0.5 p19 call @300',
    ],
    ['rounds', policy(steps(1), { repeat: 5 }), 100, '4.0 p19 webhook @1500'],
    ['a round that is cut', policy(steps(3), { repeat: 1 }), 100, '1.1 p19 webhook @600'],
    ['all that a policy can name', policy(steps(20), { repeat: 5 }), 11_500, '0.4 p19 webhook @300'],
  ])('%s', (_case, of, leftOut, last) => {
    const told = rows(of);
    expect(told).toEqual(asked(of).slice(0, DELIVERIES_MOST));
    expect(told.at(-1)).toBe(last);
    for (const environment of ['live', 'test'] as const) {
      const escalation = scheduleEscalation(of, START, environment, MEANS);
      expect(escalation.deliveries.map(inWords)).toEqual(told);
      expect(escalation).toMatchObject({ leftOut, outcome: 'alerting', endsAt: escalation.deliveries.at(-1)!.dueAt });
    }
  });

  test('nothing is left out where nobody is told', () => {
    expect([null, policy([])].map(of => scheduleEscalation(of, START, 'live', MEANS).leftOut)).toEqual([0, 0]);
  });

  test('what is left out takes no time: the largest policy is planned in 50 ms, and about as fast as one at the limit', () => {
    const fastest = (of: PolicyCopy) => {
      const times = Array.from({ length: 20 }, () => {
        const began = performance.now();
        scheduleEscalation(of, START, 'test', { ...MEANS, account: { plan: 'free', trialEndsAt: START } });
        return performance.now() - began;
      });
      return Math.min(...times);
    };
    const atLimit = fastest(policy(steps(5)));
    const largest = fastest(policy(steps(20), { repeat: 5 }));
    expect(largest).toBeLessThan(50);
    // It asks for 24 times as many.
    expect(largest).toBeLessThan(atLimit * 8 + 1);
  });
});

describe('SPEC.md 1 "Test mode": the same rows, suppressed', () => {
  test('a test resolves whom it would have reached, on which channel and when', () => {
    const live = scheduleEscalation(FAMILY, START, 'live', MEANS);
    const rehearsal = scheduleEscalation(FAMILY, START, 'test', MEANS);
    expect(rehearsal.deliveries.map(inWords)).toEqual(live.deliveries.map(inWords));
    expect(rehearsal.endsAt).toBe(live.endsAt);
    expect(new Set(live.deliveries.map(({ status }) => status))).toEqual(new Set(['scheduled']));
    expect(new Set(rehearsal.deliveries.map(({ status }) => status))).toEqual(new Set(['suppressed']));
  });
});

describe('DECISIONS.md "Text and call without plan": judged at the step’s time', () => {
  const FREE: Means = { ...MEANS, account: { plan: 'free', trialEndsAt: seconds(100) } };
  const early = policy([
    [0, [contact('anna', ['text', 'email'])]],
    [100, [contact('anna', ['text', 'email'])]],
  ]);

  test('a test names what would have been in the way', () => {
    const { deliveries } = scheduleEscalation(early, START, 'test', FREE);
    expect(deliveries.map(({ step, channel, status, reason }) => [step, channel, status, reason])).toEqual([
      [0, 'text', 'suppressed', null],
      [0, 'email', 'suppressed', null],
      [1, 'text', 'suppressed', 'plan_required'],
      [1, 'email', 'suppressed', null],
    ]);
  });

  test('live, it is left to the moment of sending', () => {
    const { deliveries } = scheduleEscalation(early, START, 'live', FREE);
    expect(deliveries.map(({ status, reason }) => [status, reason])).toEqual(Array(4).fill(['scheduled', null]));
  });
});

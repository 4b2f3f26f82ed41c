import { describe, expect, test } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import {
  type CountedSource,
  channelInPlan,
  coveredSources,
  PLAN_RULES,
  type Plan,
  planRuleAt,
  trialEndsAt,
} from '../../services/domain/plan.ts';
import { DAY_S, START, seconds } from '../support/decide.ts';

const TRIAL_S = 14 * DAY_S;

test('SPEC.md 8: a new account has everything for its first 14 days', () => {
  expect(trialEndsAt(START)).toBe(seconds(TRIAL_S));
});

describe('SPEC.md 8, DECISIONS.md "Text and call without plan": which channel may be used when', () => {
  test.each<[Plan, ChannelKind, string, number, 'in_plan' | 'plan_required']>([
    ['free', 'text', 'on the first day', 0, 'in_plan'],
    ['free', 'call', 'on the first day', 0, 'in_plan'],
    ['free', 'text', 'in the last moment of the 14 days', TRIAL_S - 0.001, 'in_plan'],
    ['free', 'text', 'when the 14 days are over', TRIAL_S, 'plan_required'],
    ['free', 'call', 'when the 14 days are over', TRIAL_S, 'plan_required'],
    ['free', 'email', 'when the 14 days are over', TRIAL_S, 'in_plan'],
    ['free', 'push', 'when the 14 days are over', TRIAL_S, 'in_plan'],
    ['free', 'webhook', 'when the 14 days are over', TRIAL_S, 'in_plan'],
  ])('%s plan, %s, %s: %5$s', (plan, channel, _when, s, verdict) => {
    expect(channelInPlan({ plan, trialEndsAt: trialEndsAt(START) }, channel, seconds(s))).toBe(verdict);
  });

  test.each(
    CHANNELS,
  )('the paid plan, which is the default of a self-hosted deployment, allows %s at any time', channel => {
    expect(channelInPlan({ plan: 'paid', trialEndsAt: START }, channel, seconds(TRIAL_S))).toBe('in_plan');
  });
});

describe('DECISIONS.md "Downgrade": which sources the plan covers', () => {
  const MOST = PLAN_RULES.free.sourcesMost!;
  const OVER = { plan: 'free', trialEndsAt: START } as const;

  /**
   * One letter a source in the order of creation: `a`ctive, `d`isabled by its owner, `x` switched off by the plan, `b`oth; in
   * test `t` active and `y` switched off by the plan.
   */
  const sources = (letters: string): CountedSource[] =>
    [...letters].map((letter, at) => ({
      id: `${at}`,
      environment: 'ty'.includes(letter) ? 'test' : 'live',
      disabled: 'db'.includes(letter),
      deactivated: 'xby'.includes(letter),
    }));
  const covered = (letters: string, facts: { plan: Plan; trialEndsAt: number } = OVER) => {
    const { deactivate, reactivate } = coveredSources(sources(letters), facts, START);
    return `off ${deactivate.join()} on ${reactivate.join()}`;
  };

  test('three on the free plan, any number on the paid one and in the first 14 days', () => {
    expect(MOST).toBe(3);
    expect(planRuleAt(OVER, START).sourcesMost).toBe(3);
    expect(planRuleAt({ plan: 'paid', trialEndsAt: START }, START).sourcesMost).toBeNull();
    expect(planRuleAt({ plan: 'free', trialEndsAt: START + 1 }, START).sourcesMost).toBeNull();
  });

  test.each([
    ['as many as are covered', 'aaa', 'off  on '],
    ['none at all', '', 'off  on '],
    ['the newest lose', 'aaaaa', 'off 3,4 on '],
    ['what is off already stays off', 'aaaxa', 'off 4 on '],
    ['a disabled one takes no place', 'dadaa', 'off  on '],
    ['a disabled one is never switched off too', 'aaad', 'off  on '],
    ['the oldest come back where there is a place', 'adaxx', 'off  on 3'],
    ['what is covered stays covered, an older one or not', 'xaaa', 'off  on '],
    ['those in test lose first, however old', 'taaaa', 'off 0,4 on '],
    ['of those in test the newest loses first', 'tatat', 'off 2,4 on '],
    ['one that goes into test for a rehearsal does not lose its place', 'taax', 'off  on '],
    ['live ones come back first', 'aayx', 'off  on 3'],
    ['those in test come back where there is a place left', 'ayxy', 'off  on 1,2'],
    ['what its owner disabled afterwards is its owner’s alone', 'aaab', 'off  on 3'],
  ])('%s: %s', (_rule, letters, expected) => {
    expect(covered(letters)).toBe(expected);
  });

  test('a plan without a number covers all, and so do the first 14 days', () => {
    expect(covered('aaaxxby', { plan: 'paid', trialEndsAt: START })).toBe('off  on 3,4,5,6');
    expect(covered('aaaxx', { plan: 'free', trialEndsAt: START + 1 })).toBe('off  on 3,4');
  });

  test('what was decided is stable: deciding again changes nothing', () => {
    for (const letters of ['aaaaa', 'xaaa', 'adaxx', 'dadaab', 'xxxxxx', 'tatat', 'yyxxt']) {
      const before = sources(letters);
      const { deactivate, reactivate } = coveredSources(before, OVER, START);
      const after = before.map(source => ({
        ...source,
        deactivated: deactivate.includes(source.id) || (source.deactivated && !reactivate.includes(source.id)),
      }));
      expect(coveredSources(after, OVER, START), letters).toEqual({ deactivate: [], reactivate: [] });
      expect(after.filter(({ disabled, deactivated }) => !disabled && !deactivated).length).toBeLessThanOrEqual(MOST);
    }
  });
});

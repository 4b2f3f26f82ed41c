import { describe, expect, test } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { channelInPlan, type Plan, trialEndsAt } from '../../services/domain/plan.ts';
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

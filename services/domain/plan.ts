import type { ChannelKind } from './delivery.ts';

/** What an account pays for. A self-hosted deployment's default is `paid`: it allows everything. */
export const PLANS = ['free', 'paid'] as const;

export type Plan = (typeof PLANS)[number];

/** How long a new account has everything (SPEC.md 8): 14 days, in milliseconds. */
const TRIAL_MS = 14 * 24 * 60 * 60 * 1000;

/** The channels that need the paid plan (SPEC.md 8). */
const PAID_CHANNELS: readonly ChannelKind[] = ['text', 'call'];

export interface PlanFacts {
  plan: Plan;
  /** When the account's first 14 days end, milliseconds since 1970. */
  trialEndsAt: number;
}

/** When the first 14 days of an account end, milliseconds since 1970. */
export function trialEndsAt(createdAt: number): number {
  return createdAt + TRIAL_MS;
}

/** Whether a channel may be used at the time of a step (SPEC.md 8, DECISIONS.md "Text and call without plan"). */
export function channelInPlan(account: PlanFacts, channel: ChannelKind, at: number): 'in_plan' | 'plan_required' {
  if (account.plan === 'paid' || at < account.trialEndsAt) return 'in_plan';
  return PAID_CHANNELS.includes(channel) ? 'plan_required' : 'in_plan';
}

import { CHANNELS, type ChannelKind } from './delivery.ts';
import type { Environment } from './source.ts';

/** What an account pays for. A self-hosted deployment's default is `paid`: it allows everything. */
export const PLANS = ['free', 'paid'] as const;

export type Plan = (typeof PLANS)[number];

/** What a plan allows. */
export interface PlanRule {
  /** The channels that messages may leave by. */
  channels: readonly ChannelKind[];
  /** How many alarms and panic buttons together may be active; null: any number. */
  sourcesMost: number | null;
}

/**
 * The rules of the plans (SPEC.md 8 "Text and call channels", DECISIONS.md "Downgrade"). Three sources are a home's alarm, a
 * garage and a panic button. Who lowers a number for accounts that there are clears `account.limits_checked_at` of theirs.
 */
export const PLAN_RULES: Readonly<Record<Plan, PlanRule>> = {
  free: { channels: ['email', 'push', 'webhook'], sourcesMost: 3 },
  paid: { channels: CHANNELS, sourcesMost: null },
};

/** How long a new account has everything (SPEC.md 8): 14 days, in milliseconds. */
const TRIAL_MS = 14 * 24 * 60 * 60 * 1000;

export interface PlanFacts {
  plan: Plan;
  /** When the account's first 14 days end, milliseconds since 1970. */
  trialEndsAt: number;
}

/** An account as the rules see it. `createdAt` in milliseconds since 1970. */
export function planFacts(plan: Plan, createdAt: number): PlanFacts {
  return { plan, trialEndsAt: trialEndsAt(createdAt) };
}

/** When the first 14 days of an account end, milliseconds since 1970. */
export function trialEndsAt(createdAt: number): number {
  return createdAt + TRIAL_MS;
}

/** What an account is allowed at a time, milliseconds since 1970: in its first 14 days everything (SPEC.md 8). */
export function planRuleAt(account: PlanFacts, at: number): PlanRule {
  return PLAN_RULES[at < account.trialEndsAt ? 'paid' : account.plan];
}

/** Whether a channel may be used at the time of a step (SPEC.md 8, DECISIONS.md "Text and call without plan"). */
export function channelInPlan(account: PlanFacts, channel: ChannelKind, at: number): 'in_plan' | 'plan_required' {
  return planRuleAt(account, at).channels.includes(channel) ? 'in_plan' : 'plan_required';
}

/** A source as far as the plan's number is concerned. Deleted ones are none. */
export interface CountedSource {
  id: string;
  /** In test by its own switch or by the one of its location. */
  environment: Environment;
  /** Switched off by its owner: it takes no place, so that owners choose which of theirs are covered. */
  disabled: boolean;
  /** Switched off by the plan. */
  deactivated: boolean;
}

/** Which sources are switched off and on again, by id. */
export interface Coverage {
  deactivate: string[];
  reactivate: string[];
}

/**
 * What the plan does to an account's sources at a time (DECISIONS.md "Downgrade"). `sources` in the order of creation. Of those
 * that are not disabled, the ones in test are switched off first, then the newest; they come back in the other order. What is
 * covered stays so while there is a place: whoever puts a source in test to rehearse it does not lose it to another. What is
 * disabled is never deactivated too: whether there is a place for it is asked when it is enabled.
 */
export function coveredSources(sources: readonly CountedSource[], account: PlanFacts, at: number): Coverage {
  const most = planRuleAt(account, at).sourcesMost ?? Number.POSITIVE_INFINITY;
  const ranked = sources.filter(({ disabled }) => !disabled).toSorted((a, b) => rank(a) - rank(b));
  const active = ranked.filter(({ deactivated }) => !deactivated);
  const off = ranked.filter(({ deactivated }) => deactivated);
  const loses = new Set(active.slice(most));
  const waits = new Set(off.slice(Math.max(most - active.length, 0)));
  const ids = (which: (source: CountedSource) => boolean) => sources.filter(which).map(({ id }) => id);
  return {
    deactivate: ids(source => loses.has(source)),
    reactivate: ids(source => source.deactivated && !waits.has(source)),
  };
}

function rank({ environment }: CountedSource): number {
  return environment === 'live' ? 0 : 1;
}

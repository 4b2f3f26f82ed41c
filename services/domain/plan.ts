import { CHANNELS, type ChannelKind } from './delivery.ts';
import type { Environment } from './source.ts';

/** What an account pays for. The default of a self-hosted deployment is `paid`, which allows everything. */
export const PLANS = ['free', 'paid'] as const;

export type Plan = (typeof PLANS)[number];

/** What a plan allows. */
export interface PlanRule {
  /** The channels over which messages may be sent. */
  channels: readonly ChannelKind[];
  /** How many alarms and panic buttons together may be active; null for any number. */
  sourcesMost: number | null;
}

/**
 * The rules of the plans (SPEC.md 8 "Text and call channels", DECISIONS.md "Downgrade"). Three sources are a home's
 * alarm, a garage and a panic button. When lowering a number for existing accounts, clear their
 * `account.limits_checked_at`.
 */
export const PLAN_RULES: Readonly<Record<Plan, PlanRule>> = {
  free: { channels: ['email', 'push', 'chat', 'webhook'], sourcesMost: 3 },
  paid: { channels: CHANNELS, sourcesMost: null },
};

/** How long a new account has everything (SPEC.md 8): 14 days, in milliseconds. */
const TRIAL_MS = 14 * 24 * 60 * 60 * 1000;

export interface PlanFacts {
  plan: Plan;
  /** When the account's first 14 days end, milliseconds since 1970. */
  trialEndsAt: number;
}

/** Returns an account as the rules see it. `createdAt` in milliseconds since 1970. */
export function planFacts(plan: Plan, createdAt: number): PlanFacts {
  return { plan, trialEndsAt: trialEndsAt(createdAt) };
}

/** Returns when the first 14 days of an account end, milliseconds since 1970. */
export function trialEndsAt(createdAt: number): number {
  return createdAt + TRIAL_MS;
}

/**
 * Returns what an account is allowed at a time (milliseconds since 1970): everything in its first 14 days (SPEC.md 8).
 */
export function planRuleAt(account: PlanFacts, at: number): PlanRule {
  return PLAN_RULES[at < account.trialEndsAt ? 'paid' : account.plan];
}

/** Tells whether a channel may be used at the time of a step (SPEC.md 8, DECISIONS.md "Text and call without plan"). */
export function channelInPlan(account: PlanFacts, channel: ChannelKind, at: number): 'in_plan' | 'plan_required' {
  return planRuleAt(account, at).channels.includes(channel) ? 'in_plan' : 'plan_required';
}

/** A source as the limit of the plan sees it. Deleted sources are left out. */
export interface CountedSource {
  id: string;
  /** Test by its own switch or by its location's. */
  environment: Environment;
  /** Switched off by its owner. It takes no place, so that owners choose which sources are covered. */
  disabled: boolean;
  /** Switched off by the plan. */
  deactivated: boolean;
}

/** Which sources to switch off and on again, by id. */
export interface Coverage {
  deactivate: string[];
  reactivate: string[];
}

/**
 * Decides which of an account's sources the plan covers at a time (DECISIONS.md "Downgrade"). `sources` in the order of
 * creation. Of those not disabled, sources in test are switched off first, then the newest; they return in reverse
 * order. A covered source stays covered while there is room, so that putting it in test for a rehearsal does not lose
 * its place. A disabled source is never deactivated as well: enabling it checks whether there is room.
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

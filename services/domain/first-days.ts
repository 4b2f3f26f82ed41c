import type { ChannelKind } from './delivery.ts';
import { type CountedSource, coveredSources, type PlanFacts, planRuleAt } from './plan.ts';

/** What the end of an account's first 14 days will switch off, as things stand. */
export interface FirstDaysEnd {
  /** When they end, milliseconds since 1970. */
  at: number;
  /** The channels that the plan no longer covers from then on. */
  channels: ChannelKind[];
  /** The names of the sources it will not cover, in the order of creation. */
  sources: string[];
  /** How many sources it will cover; null for all. */
  covered: number | null;
}

/**
 * Returns what ends with the first 14 days of an account (SPEC.md 8, DECISIONS.md "Downgrade"). `sources` in the order
 * of creation, `now` in milliseconds since 1970. Null if nothing ends, or they are over.
 */
export function firstDaysEnd(
  account: PlanFacts,
  sources: readonly (CountedSource & { name: string })[],
  now: number,
): FirstDaysEnd | null {
  const at = account.trialEndsAt;
  if (now >= at) return null;
  const later = planRuleAt(account, at);
  const channels = planRuleAt(account, now).channels.filter(channel => !later.channels.includes(channel));
  const loses = new Set(coveredSources(sources, account, at).deactivate);
  const names = sources.filter(({ id }) => loses.has(id)).map(({ name }) => name);
  if (channels.length === 0 && names.length === 0) return null;
  return { at, channels, sources: names, covered: later.sourcesMost };
}

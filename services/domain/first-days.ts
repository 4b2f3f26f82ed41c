import type { ChannelKind } from './delivery.ts';
import { type CountedSource, coveredSources, type PlanFacts, planRuleAt } from './plan.ts';

/** What the end of an account's first 14 days will switch off, as things are now. */
export interface FirstDaysEnd {
  /** When they end, milliseconds since 1970. */
  at: number;
  /** The channels that the plan does not cover from then on. */
  channels: ChannelKind[];
  /** How many sources it will not cover. */
  sources: number;
  /** All of it, as a sentence. */
  problem: string;
  /** What to do about it, as a sentence. */
  fix: string;
}

/**
 * What ends with the first 14 days of an account (SPEC.md 8, DECISIONS.md "Downgrade"). `sources` in the order of creation,
 * `now` in milliseconds since 1970. Null: nothing does, or they are over.
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
  const covered = `it covers ${later.sourcesMost} alarms and panic buttons together`;
  const off = [
    ...(channels.length === 0 ? [] : [`messages by ${channels.join(' and ')}`]),
    ...(names.length === 0 ? [] : [`${listed(names)} (${covered})`]),
  ];
  const until = new Date(at).toISOString().slice(0, 16).replace('T', ' ');
  return {
    at,
    channels,
    sources: names.length,
    problem: `The first 14 days of the account end at ${until} UTC: then the ${account.plan} plan switches off ${off.join(', and ')}.`,
    fix: `Change to the paid plan before${names.length === 0 ? '' : ', or disable what you need least'}.`,
  };
}

/** More are told by their number. */
const NAMED = 5;

function listed(names: readonly string[]): string {
  const more = names.length > NAMED ? [`${names.length - NAMED} more`] : [];
  return [...names.slice(0, NAMED), ...more].join(', ');
}

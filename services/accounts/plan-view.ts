import { planOf } from '../configuration/plan-coverage.ts';
import { firstDaysEnd } from '../domain/first-days.ts';
import { PLAN_RULES, planRuleAt } from '../domain/plan.ts';
import { toWall } from '../process/wall-clock.ts';
import { timeAt } from '../rpc/proto-time.ts';
import { say } from '../rpc/reader.ts';
import type { Connection } from '../store/statement.ts';
import { readPlannedSources } from '../store/statements/plan.ts';

/**
 * Returns what an account's plan allows now and after the first 14 days, and how many sources it covers. Throws
 * NOT_FOUND.
 */
export async function planView(db: Connection, accountId: string) {
  const { plan, facts, rule } = await planOf(db, accountId);
  const later = planRuleAt(facts, facts.trialEndsAt);
  const sources = await readPlannedSources(db, accountId);
  return {
    plan,
    ...timeAt('trialEndsAt', new Date(facts.trialEndsAt)),
    channels: [...rule.channels],
    channelsUntilTrialEnds: rule.channels.filter(channel => !later.channels.includes(channel)),
    sourcesMost: rule.sourcesMost ?? 0,
    sourcesMostAfterTrial: PLAN_RULES[plan].sourcesMost ?? 0,
    sourcesActive: sources.filter(({ disabled, deactivated }) => !disabled && !deactivated).length,
    sourcesDeactivated: sources.filter(({ deactivated }) => deactivated).length,
  };
}

/**
 * Returns what the end of the account's first 14 days will switch off, as its message; null if nothing, or they are
 * over. Throws NOT_FOUND.
 */
export async function firstDaysEndNow(db: Connection, accountId: string) {
  const { facts, rule, now } = await planOf(db, accountId);
  // The thousands of sources of a paid account need not be searched.
  if (rule === planRuleAt(facts, facts.trialEndsAt)) return null;
  const end = firstDaysEnd(facts, await readPlannedSources(db, accountId), now.getTime());
  if (end === null) return null;
  const { channels, sources } = end;
  return {
    ...timeAt('at', new Date(end.at)),
    channels,
    sources: sources.length,
    ...say().findings.firstDaysEnd({ ...end, at: toWall(end.at) }, facts.plan),
  };
}

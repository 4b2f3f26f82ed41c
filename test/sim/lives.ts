import { createHash } from 'node:crypto';
import { check, type Finding, NOTHING, sum, violationsIn } from '../support/history.ts';
import { judge } from './check.ts';
import { type Found, readFound } from './found.ts';
import { live } from './live.ts';
import type { Lived } from './lived.ts';
import type { Plan } from './plan.ts';
import { real } from './virtual.ts';
import type { World } from './world.ts';

/** A life that was lived and judged. */
export interface Judged {
  seed: number;
  /** What is violated, in words; empty where all is well. */
  violations: string[];
  findings: Finding[];
  lines: readonly string[];
  /** Names the history: the same for the same seed. */
  digest: string;
  counts: Lived['counts'];
  /** How many statements were run while calls came. */
  statements: number;
}

/**
 * Lives the life of a seed and judges it. A fault that nobody handles, and what the simulation itself stumbles over, are
 * violations too.
 */
export async function liveAndJudge(world: World, seed: number, wanted: Partial<Plan> = {}): Promise<Judged> {
  const unhandled: string[] = [];
  const note = (error: unknown) => unhandled.push(`unhandled: ${(error as Error | null)?.stack ?? error}`);
  process.on('unhandledRejection', note);
  process.on('uncaughtException', note);
  try {
    const one = await judged(world, seed, wanted);
    return { ...one, violations: [...one.violations, ...unhandled] };
  } finally {
    process.off('unhandledRejection', note);
    process.off('uncaughtException', note);
  }
}

async function judged(world: World, seed: number, wanted: Partial<Plan>): Promise<Judged> {
  try {
    const { statements, ...lived } = await live(world, seed, wanted);
    const found = await readFound(world);
    const findings = judge(lived, found, world.houses);
    const { lines } = lived;
    const counts = { ...lived.counts, ...countsOf(found) };
    return { seed, violations: violationsIn(findings), findings, lines, digest: digestOf(lines), counts, statements };
  } catch (error) {
    const violations = [`the simulation: ${(error as Error).stack}`];
    return { seed, violations, findings: check(NOTHING), lines: [], digest: '', counts: {}, statements: 0 };
  }
}

/** What came of calls and messages: what a generator never reaches is not shown. */
function countsOf({ logged, incidents, messages }: Found): Lived['counts'] {
  const counts: Lived['counts'] = { incidents: incidents.length };
  const add = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1;
  };
  for (const { outcome, appliedAt } of logged) if (appliedAt !== null) add(`call ${outcome}`);
  for (const { channel, status, insteadOf } of messages)
    add(`${channel} ${status}${insteadOf === null ? '' : ' in place'}`);
  for (const { kind, status, reason } of messages) {
    if (kind !== 'alert') add(`news ${status}`);
    if (reason === 'throttled') add('throttled at the end');
  }
  return counts;
}

function digestOf(lines: readonly string[]): string {
  return createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 12);
}

/** What came of many lives. */
export interface Summary {
  lives: number;
  /** Those with violations, with the seed that replays them. */
  failed: { seed: number; violations: string[] }[];
  findings: Finding[];
  counts: Lived['counts'];
  seconds: number;
}

/** Adds up lives while they are lived. */
export function summing(): { add(one: Judged): void; summary(): Summary } {
  const began = real.now();
  const failed: Summary['failed'] = [];
  const counts: Lived['counts'] = {};
  let lives = 0;
  let findings: Finding[] = [];
  return {
    add(one) {
      lives++;
      findings = added(findings, one.findings);
      for (const [what, times] of Object.entries(one.counts)) counts[what] = (counts[what] ?? 0) + times;
      if (one.violations.length > 0) failed.push({ seed: one.seed, violations: one.violations });
    },
    summary: () => ({ lives, failed, findings, counts, seconds: (real.now() - began) / 1_000 }),
  };
}

/** Adds what was found to what was found before, with the invariants that only the simulation has. */
function added(before: readonly Finding[], more: readonly Finding[]): Finding[] {
  const names = new Set([...before, ...more].map(({ invariant }) => invariant));
  const shared = new Map(sum([before, more]).map(finding => [finding.invariant, finding]));
  return [...names].map(invariant => {
    const known = shared.get(invariant);
    if (known !== undefined) return known;
    const own = [...before, ...more].filter(finding => finding.invariant === invariant);
    const looked = own.reduce((all, one) => all + one.looked, 0);
    return { invariant, looked, violations: own.flatMap(({ violations }) => violations) };
  });
}

import {
  acceptedAndLost,
  acrossAccounts,
  appliedTwice,
  leftUndone,
  order,
  refusedAndApplied,
  timeOfCall,
} from './history/calls.ts';
import { countsCalls, oneOpen, stepsPlanned } from './history/incidents.ts';
import { alertsInTest, duplicates, sentAndReceived } from './history/messages.ts';
import { early, firstAttempt, late } from './history/timers.ts';
import type { Finding, History, Invariant } from './history/types.ts';

export type {
  Call,
  Environment,
  Fault,
  Finding,
  History,
  Incident,
  Logged,
  Message,
  Received,
  Source,
} from './history/types.ts';

/* The one judge of what happened in a run under faults. It knows nothing of the product but what it promises. */

/** What holds of every history, by the name under which it is told. */
export const INVARIANTS = {
  'accepted and lost': acceptedAndLost,
  'applied twice': appliedTwice,
  'refused and applied': refusedAndApplied,
  'left undone': leftUndone,
  'order per source': order,
  'time of calls': timeOfCall,
  'open per source <= 1': oneOpen,
  'incidents count their calls': countsCalls,
  'steps planned once': stepsPlanned,
  'early timers': early,
  'late timers': late,
  'first attempt <= 5 s': firstAttempt,
  'alerts in test': alertsInTest,
  'answers across accounts': acrossAccounts,
  'duplicate messages': duplicates,
  'said sent, not received': sentAndReceived,
} as const satisfies Record<string, Invariant>;

export type InvariantName = keyof typeof INVARIANTS;

/** A history in which nothing happened. */
export const NOTHING: History = {
  calls: [],
  logged: [],
  incidents: [],
  messages: [],
  undone: [],
  received: [],
  faults: [],
  sources: [],
  clock: 'steady',
  repeats: 'never',
  heard: [],
};

/** Looks at a history for every invariant. */
export function check(history: History): Finding[] {
  return Object.entries(INVARIANTS).map(([invariant, look]) => ({ invariant, ...look(history) }));
}

/** Adds up what was found in several histories. */
export function sum(all: readonly (readonly Finding[])[]): Finding[] {
  return Object.keys(INVARIANTS).map(invariant => {
    const own = all.flatMap(findings => findings.filter(finding => finding.invariant === invariant));
    return {
      invariant,
      looked: own.reduce((looked, finding) => looked + finding.looked, 0),
      violations: own.flatMap(({ violations }) => violations),
    };
  });
}

/** Returns every violation, each with the name of what it violates. */
export function violationsIn(findings: readonly Finding[]): string[] {
  return findings.flatMap(({ invariant, violations }) => violations.map(what => `${invariant}: ${what}`));
}

/** Returns what was found as a table to print: each invariant, how much was looked at, how often it was violated. */
export function table(title: string, findings: readonly Finding[]): string {
  const rows = findings.map(({ invariant, looked, violations }) => [
    invariant,
    number(looked),
    number(violations.length),
  ]);
  const lines = [[title, 'looked at', 'violations'], ...rows];
  const wide = [0, 1, 2].map(column => Math.max(...lines.map(line => line[column]!.length)));
  return lines
    .map(([name, looked, violations]) => {
      return `${name!.padEnd(wide[0]!)}  ${looked!.padStart(wide[1]!)}  ${violations!.padStart(wide[2]!)}\n`;
    })
    .join('');
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

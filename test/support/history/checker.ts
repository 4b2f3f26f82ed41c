import { afterAll } from 'vitest';
import { check, type Finding, type History, type InvariantName, sum, table, violationsIn } from '../history.ts';

/** Judges the histories of one test file. */
export interface Checker {
  /** Throws what a history violates. `when`: which of several it is. `but`: what need not hold of it. */
  holds(history: History, when?: string, but?: readonly InvariantName[]): void;
}

/** How many violations are told in full. */
const TOLD = 12;

/** Gives the checker of a test file; at its end one table is printed of all that it looked at. */
export function historyChecker(title: string): Checker {
  const all: (readonly Finding[])[] = [];
  afterAll(() => {
    if (all.length > 0) process.stdout.write(`\n${table(title, sum(all))}`);
  });
  return {
    holds(history, when = '', but = []) {
      const findings = check(history).filter(({ invariant }) => !but.some(name => name === invariant));
      all.push(findings);
      const violations = violationsIn(findings);
      if (violations.length === 0) return;
      const told = violations.slice(0, TOLD).join('\n  ');
      throw new Error(`${violations.length} violations${when === '' ? '' : `, ${when}`}:\n  ${told}`);
    },
  };
}

import { MODES } from '../domain/mode.ts';

/* SQL expressions that several statements share about a source `s` with its location `l`. */

/**
 * Whether the test switch of `of` is on: it ends by itself (DECISIONS.md "A test ends"), whether its row says so yet or not.
 * `now`: an expression of the deployment's time.
 */
export function inTest(of: 's' | 'l', now = '(SELECT tocsin_now())'): string {
  return `(${of}.test AND coalesce(${of}.test_until > ${now}, true))`;
}

/** Live or test (SPEC.md 2 "Test switch"). */
export function environmentAt(now = '(SELECT tocsin_now())'): string {
  return `CASE WHEN ${inTest('s', now)} OR ${inTest('l', now)} THEN 'test' ELSE 'live' END`;
}

/** When a source that runs as test will run live by itself; null: it runs live, or nothing but its owner lets it. */
export function testEndsAt(now: string): string {
  const end = (of: 's' | 'l') => `CASE WHEN ${inTest(of, now)} THEN coalesce(${of}.test_until, 'infinity') END`;
  return `nullif(greatest(${end('s')}, ${end('l')}), 'infinity')`;
}

/** The armed mode after all calls accepted so far, applied or not. */
export const LEADS_TO = '(SELECT g.armed_mode FROM gate g WHERE g.source_seq = s.seq ORDER BY g.id DESC LIMIT 1)';

/** The order of modes `m` (DECISIONS.md "Lists"). */
export const MODE_ORDER = `array_position(ARRAY['${MODES.join("', '")}'], m.id)`;

import { expect, test } from 'vitest';
import { reachedIn, standingOf } from '../../services/domain/standing.ts';

const CLOSED = { closedAt: 5 };
const TAKEN = { acknowledgedAt: 4 };
const TEST = { environment: 'test' } as const;

test.each([
  // Nobody could be reached is said only where no carrier took a message.
  ['alerting', 'somebody_maybe', {}, 'alerting'],
  ['alerting', 'nobody', {}, 'nobody_reached'],
  ['exhausted', 'somebody_maybe', {}, 'nobody_acknowledged'],
  ['exhausted', 'nobody', {}, 'nobody_reached'],
  ['nobody_reached', 'somebody_maybe', {}, 'nobody_reached'],
  ['nobody_to_alert', 'somebody_maybe', {}, 'nobody_to_alert'],
  // What ended the worry stands before it.
  ['exhausted', 'somebody_maybe', TAKEN, 'taken'],
  ['alerting', 'nobody', TAKEN, 'taken'],
  ['alerting', 'nobody', CLOSED, 'closed'],
  ['exhausted', 'somebody_maybe', { ...TAKEN, ...CLOSED }, 'closed'],
  ['nobody_to_alert', 'somebody_maybe', TEST, 'test'],
  ['alerting', 'somebody_maybe', { ...TEST, ...TAKEN }, 'test'],
  ['alerting', 'somebody_maybe', { ...TEST, ...CLOSED }, 'closed'],
] as const)('DECISIONS.md "One first sentence": %s, reached %s, %o: %s', (outcome, reached, but, standing) => {
  const open = { environment: 'live', outcome, acknowledgedAt: null, closedAt: null } as const;
  expect(standingOf({ ...open, ...but }, reached)).toBe(standing);
});

test.each([
  [{ taken: 5 }, 'somebody_maybe'],
  [{ taken: 0 }, 'nobody'],
  [null, 'somebody_maybe'],
])('of what was tried, %o was taken: reached %s', (tried, reached) => {
  expect(reachedIn(tried)).toBe(reached);
});

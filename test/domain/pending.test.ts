import { describe, expect, test } from 'vitest';
import { beginPending, cancelPending, foldIntoPending, type WindowTrigger } from '../../services/domain/pending.ts';
import { noChanges, pending, seconds, state } from '../support/decide.ts';

function trigger(atS: number, but: Partial<WindowTrigger> = {}): WindowTrigger {
  return {
    id: 'second',
    mode: 'home',
    environment: 'live',
    windowS: 30,
    traceId: 'its call',
    keySeq: 7,
    acceptedAt: seconds(atS),
    ...but,
  };
}

test('a window begins with the trigger and ends as many seconds later as its mode says', () => {
  expect(beginPending(trigger(5, { windowS: 45 }))).toEqual({
    id: 'second',
    dueAt: seconds(50),
    mode: 'home',
    traceId: 'its call',
    environment: 'live',
    triggerCount: 1,
    lastTriggerAt: seconds(5),
    trippedKeys: [7],
    silentSince: null,
  });
});

describe('DECISIONS.md "Second trigger while one is pending": the earliest deadline and its mode, never later', () => {
  test.each([
    // The first one is in away and ends at 30 s.
    ['it would end later', trigger(10), 30, 'away'],
    ['it would end at the same instant', trigger(0), 30, 'away'],
    ['it would end earlier', trigger(10, { windowS: 15 }), 25, 'home'],
    ['it has no window', trigger(10, { windowS: 0 }), 10, 'home'],
  ] as const)('%s', (_case, second, endsAtS, mode) => {
    const folded = foldIntoPending(pending(), second);
    expect(folded).toMatchObject({ id: 'pending-1', dueAt: seconds(endsAtS), mode, triggerCount: 2 });
    expect(folded.traceId).toBe(mode === 'home' ? 'its call' : 'trace of pending-1');
    expect(folded.lastTriggerAt).toBe(second.acceptedAt);
  });
});

describe('DECISIONS.md "Second trigger while one is pending": live if any of its triggers was', () => {
  test.each([
    ['test', 'test', 'test'],
    ['test', 'live', 'live'],
    ['live', 'test', 'live'],
    ['live', 'live', 'live'],
  ] as const)('%s, then %s: %s', (first, second, together) => {
    expect(foldIntoPending(pending({ environment: first }), trigger(10, { environment: second })).environment).toBe(
      together,
    );
  });
});

test('the last trigger is the latest, also when calls in flight together come the other way round', () => {
  expect(foldIntoPending(pending({ lastTriggerAt: seconds(8) }), trigger(7)).lastTriggerAt).toBe(seconds(8));
});

test('a cancelled one is gone, and what it settled to is told', () => {
  const now = state({ pending: pending() });
  const changes = noChanges();
  expect(cancelPending(now, changes)).toBe('pending-1');
  expect(now.pending).toBeNull();
  expect(changes.windowsEnded).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
  expect(cancelPending(now, changes)).toBeNull();
  expect(changes.windowsEnded).toHaveLength(1);
});

import { describe, expect, test } from 'vitest';
import type { Action } from '../../services/domain/action.ts';
import { decide } from '../../services/domain/decide.ts';
import type { PendingTrigger } from '../../services/domain/incident.ts';
import { alarm, at, incident, pending, seconds, state } from '../support/decide.ts';
import { one, outcomes, TEST, W30 } from './decide-rig.ts';

describe('DECISIONS.md "Second trigger while one is pending": it folds', () => {
  test('and is counted', () => {
    const decision = one(at(10).trigger(W30), state({ pending: pending() }));
    expect(decision).toMatchObject({ outcome: 'folded', pendingId: 'pending-1', incidentId: null });
    expect(decision.state.pending).toMatchObject({ dueAt: seconds(30), triggerCount: 2 });
  });

  test('one without a window opens at once, in its mode, by its call', () => {
    const decision = one(at(10).trigger({ mode: 'home' }), state({ pending: pending() }));
    expect(decision).toMatchObject({ outcome: 'folded', pendingId: 'pending-1' });
    expect(decision.state).toMatchObject({
      pending: null,
      incident: { mode: 'home', openedAt: seconds(10), triggerCount: 2 },
    });
    expect(decision.windowsEnded).toEqual([
      { pendingId: 'pending-1', incidentId: 'incident-1', traceId: 'trace of trigger@10' },
    ]);
  });

  test('a live one makes a pending test live', () => {
    const decision = decide(alarm(), state({ pending: pending(TEST) }), [at(10).trigger(W30)], seconds(30));
    expect(decision.state.incident).toMatchObject({ environment: 'live', openedAt: seconds(30) });
    expect(decision.deliveries.map(({ planned }) => planned.status)).toEqual(['scheduled', 'scheduled']);
  });
});

describe('DECISIONS.md "Second trigger while one is pending": a rehearsal never cuts short a live window', () => {
  const waiting = { dueAt: seconds(30), mode: 'away', traceId: 'trace of pending-1' };
  const cut = { dueAt: seconds(15), mode: 'home', traceId: 'trace of trigger@10' };

  test.each<[string, Partial<PendingTrigger>, Partial<Action>, object]>([
    ['a rehearsal into a live window', {}, { ...TEST, actor: 'anna' }, { ...waiting, environment: 'live' }],
    ['a rehearsal into a test window', TEST, { ...TEST, actor: 'anna' }, { ...cut, environment: 'test' }],
    ['a live trigger of a person', {}, { actor: 'anna' }, { ...cut, environment: 'live' }],
    ['a test trigger of a machine', {}, TEST, { ...cut, environment: 'live' }],
  ])('%s', (_case, before, but, expected) => {
    const trigger = at(10).trigger({ mode: 'home', windowS: 5, ...but });
    const decision = one(trigger, state({ pending: pending(before) }));
    expect(decision).toMatchObject({ outcome: 'folded', pendingId: 'pending-1' });
    expect(decision.state.pending).toEqual({
      ...pending(),
      ...expected,
      triggerCount: 2,
      lastTriggerAt: seconds(10),
    });
  });
});

describe('DECISIONS.md "Live trigger into an open test incident": superseded', () => {
  test('the test incident closes, a live one opens and alerts', () => {
    const decision = one(at(10).trigger(), state({ incident: incident(TEST) }));
    expect(decision).toMatchObject({ outcome: 'opened', incidentId: 'incident-1' });
    expect(decision.incidents.get('open-1')?.incident).toMatchObject({
      closeReason: 'superseded',
      closedAt: seconds(10),
    });
    expect(decision.state.incident).toMatchObject({ id: 'incident-1', environment: 'live' });
  });

  test('with a window the test incident stays until the window ends', () => {
    const from = state({ incident: incident(TEST) });
    const waiting = decide(alarm(), from, [at(10).trigger(W30)], seconds(39));
    expect([outcomes(waiting), waiting.state.incident?.id]).toEqual([['pending'], 'open-1']);
    const ended = decide(alarm(), waiting.state, [], seconds(40));
    expect(ended.incidents.get('open-1')?.incident).toMatchObject({ closeReason: 'superseded', closedAt: seconds(40) });
    expect(ended.state.incident).toMatchObject({ environment: 'live', openedAt: seconds(40) });
  });

  test('a disarm inside that window leaves the test incident open', () => {
    const from = state({ incident: incident(TEST) });
    const { state: after } = decide(alarm(), from, [at(10).trigger(W30), at(20).disarm()], seconds(60));
    expect(after).toEqual(from);
  });

  test.each([
    ['test', 'live'],
    ['test', 'test'],
  ] as const)('a %s trigger into a %s incident folds', (environment, open) => {
    const decision = one(at(10).trigger({ environment }), state({ incident: incident({ environment: open }) }));
    expect(decision).toMatchObject({ outcome: 'folded', state: { incident: { environment: open } } });
  });
});

describe('SPEC.md 1 "Test mode": resolves and records, alerts nobody', () => {
  test('at once', () => {
    const decision = one(at(10).trigger(TEST));
    expect(decision.state.incident?.environment).toBe('test');
    expect(decision.deliveries.map(({ planned }) => planned.status)).toEqual(['suppressed', 'suppressed']);
  });

  test('after a window', () => {
    const decision = decide(alarm(), state(), [at(10).trigger({ ...TEST, ...W30 })], seconds(40));
    expect(decision.deliveries.map(({ planned }) => planned.status)).toEqual(['suppressed', 'suppressed']);
  });
});

import { describe, expect, test } from 'vitest';
import type { Action, Outcome } from '../../services/domain/action.ts';
import { decide } from '../../services/domain/decide.ts';
import { alarm, at, DAY_S, FAMILY, incident, noChanges, pending, policy, seconds, state } from '../support/decide.ts';
import { W30 } from './decide-rig.ts';

describe('DECISIONS.md "Time": window ends and actions by time, however late the engine is', () => {
  const LAGS_S = [0, 0.2, 60, 10 * DAY_S];

  test.each(LAGS_S)('a disarm strictly before the deadline cancels (seen %d s late)', lag => {
    const decision = decide(alarm(), state({ pending: pending() }), [at(29.999).disarm()], seconds(29.999 + lag));
    expect(decision).toMatchObject({ state: state(), deliveries: [], entries: [] });
    expect(decision.windowsEnded).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
  });

  test.each(LAGS_S)('at the same instant the timer goes first: the incident opened (seen %d s late)', lag => {
    const decision = decide(alarm(), state({ pending: pending() }), [at(30).disarm()], seconds(30 + lag));
    expect(decision.outcomes).toMatchObject([{ outcome: 'disarmed', pendingId: null, incidentId: null }]);
    expect(decision.incidents.get('incident-1')?.incident.openedAt).toBe(seconds(30));
  });

  test.each([
    [29.999, 'waiting'],
    [30, 'open'],
    [30.001, 'open'],
    [100, 'open'],
  ])('no timer fires early: at %d s a window that ends at 30 s has it %s', (s, expected) => {
    const { state: after } = decide(alarm(), state({ pending: pending() }), [], seconds(s));
    expect(after.incident === null ? 'waiting' : 'open').toBe(expected);
    if (after.incident !== null) {
      expect(after.incident).toMatchObject({
        openedAt: seconds(30),
        windowEndedAt: seconds(30),
        traceId: 'trace of pending-1',
      });
    }
  });

  test('the incident counts the triggers that waited, and its escalation begins at the deadline', () => {
    const waiting = state({ pending: pending({ triggerCount: 3, lastTriggerAt: seconds(20) }) });
    const { state: after, deliveries } = decide(alarm(), waiting, [], seconds(500));
    expect(after.incident).toMatchObject({
      triggerCount: 3,
      lastTriggerAt: seconds(20),
      escalationEndsAt: seconds(330),
    });
    expect(deliveries.map(({ planned }) => planned.dueAt)).toEqual([seconds(30), seconds(330)]);
  });

  test('a pending trigger that opened tells by which call', () => {
    const { windowsEnded } = decide(alarm(), state({ pending: pending() }), [], seconds(30));
    expect(windowsEnded).toEqual([{ pendingId: 'pending-1', incidentId: 'incident-1', traceId: 'trace of pending-1' }]);
  });

  test.each<[number, Outcome, 'pendingId' | 'incidentId']>([
    [29.999, 'folded', 'pendingId'],
    [30, 'folded', 'incidentId'],
  ])('a trigger at %d s of 30 s folds into the %3$s', (s, outcome, into) => {
    const { outcomes } = decide(alarm(), state({ pending: pending() }), [at(s).trigger(W30)], seconds(60));
    expect(outcomes[0]).toMatchObject({ outcome, [into]: into === 'pendingId' ? 'pending-1' : 'incident-1' });
  });
});

describe('SPEC.md 8: auto-close, 24 hours after the escalation ends', () => {
  const END_S = 300 + DAY_S;
  const open = () => state({ incident: incident() });

  test.each([
    [END_S - 0.001, 'open'],
    [END_S, 'closed'],
    [END_S + DAY_S, 'closed'],
  ])('at %d s it is %s', (s, expected) => {
    const { state: after, incidents } = decide(alarm(), open(), [], seconds(s));
    expect(after.incident === null ? 'closed' : 'open').toBe(expected);
    if (expected === 'closed') {
      const written = incidents.get('open-1')?.incident;
      expect(written).toMatchObject({
        closeReason: 'auto_close',
        closedAt: seconds(END_S),
        escalationEndsAt: seconds(300),
      });
    }
  });

  test('with nobody to alert: 24 hours after it opened', () => {
    const source = alarm({ policyFor: () => null });
    const { incidents } = decide(source, state(), [at(0).trigger()], seconds(2 * DAY_S));
    expect(incidents.get('incident-1')?.incident.closedAt).toBe(seconds(DAY_S));
  });

  test('further rounds put it off', () => {
    const rounds = policy(
      FAMILY.steps.map(({ delayS, contacts }) => [delayS, [...contacts]]),
      { repeat: 1, repeatDelayS: 600 },
    );
    const { incidents } = decide(alarm({ policyFor: () => rounds }), state(), [at(0).trigger()], seconds(3 * DAY_S));
    expect(incidents.get('incident-1')?.incident.closedAt).toBe(seconds(1200 + DAY_S));
  });

  test.each<[number, Outcome, string]>([
    [END_S - 0.001, 'folded', 'open-1'],
    [END_S, 'opened', 'incident-1'],
  ])('a trigger at %d s: %s', (s, outcome, incidentId) => {
    expect(decide(alarm(), open(), [at(s).trigger()], seconds(s)).outcomes[0]).toMatchObject({ outcome, incidentId });
  });

  test('a further trigger does not put it off', () => {
    const { incidents } = decide(alarm(), open(), [at(DAY_S).trigger()], seconds(END_S));
    expect(incidents.get('open-1')?.incident).toMatchObject({ closedAt: seconds(END_S), triggerCount: 2 });
  });

  test('the same instant as a window’s end: the old test incident closes by itself, then the live one opens', () => {
    const from = state({
      incident: incident({ environment: 'test', escalationEndsAt: seconds(30 - DAY_S) }),
      pending: pending(),
    });
    const { incidents, state: after } = decide(alarm(), from, [], seconds(30));
    expect(incidents.get('open-1')?.incident.closeReason).toBe('auto_close');
    expect(after.incident).toMatchObject({ id: 'incident-1', environment: 'live' });
  });
});

describe('a long outage: everything that was accepted meanwhile, applied at once', () => {
  const WEEK = [
    at(0).arm('away'),
    at(10).trigger(W30),
    at(20).disarm(),
    at(100).arm('night'),
    at(200).trigger({ ...W30, mode: 'night' }),
    at(210).trigger({ ...W30, mode: 'night' }),
    at(240).trigger({ ...W30, mode: 'night' }),
    at(2 * DAY_S).trigger({ mode: 'night' }),
    at(2 * DAY_S + 10).clear(),
    at(2 * DAY_S + 20).clear(),
  ];
  const decision = () => decide(alarm(), state(), WEEK, seconds(7 * DAY_S));

  test('each action comes to what it would have come to in time', () => {
    expect(decision().outcomes.map(({ outcome, incidentId, pendingId }) => [outcome, incidentId ?? pendingId])).toEqual(
      [
        ['armed', null],
        ['pending', 'trigger@10'],
        ['disarmed', 'trigger@10'],
        ['armed', null],
        ['pending', 'trigger@200'],
        ['folded', 'trigger@200'],
        ['folded', 'incident-1'],
        ['opened', 'incident-2'],
        ['closed', 'incident-2'],
        ['nothing_open', null],
      ],
    );
  });

  test('windows and auto-closes that ended meanwhile have their own times', () => {
    const { incidents, entries, state: after } = decision();
    expect(
      [...incidents.values()].map(({ incident: { id, openedAt, closedAt, closeReason, triggerCount } }) => ({
        id,
        openedAt,
        closedAt,
        closeReason,
        triggerCount,
      })),
    ).toEqual([
      {
        id: 'incident-1',
        openedAt: seconds(230),
        closedAt: seconds(530 + DAY_S),
        closeReason: 'auto_close',
        triggerCount: 3,
      },
      {
        id: 'incident-2',
        openedAt: seconds(2 * DAY_S),
        closedAt: seconds(2 * DAY_S + 10),
        closeReason: 'clear',
        triggerCount: 1,
      },
    ]);
    expect(entries.map(entry => entry.at)).toEqual(entries.map(entry => entry.at).toSorted((a, b) => a - b));
    expect(after).toEqual(state({ armedMode: 'night' }));
  });

  test('one alert cycle for each incident, and what is over is cancelled', () => {
    const { deliveries, cancellations } = decision();
    expect(deliveries.map(({ incidentId, planned }) => [incidentId, planned.dueAt])).toEqual([
      ['incident-1', seconds(230)],
      ['incident-1', seconds(530)],
      ['incident-2', seconds(2 * DAY_S)],
      ['incident-2', seconds(2 * DAY_S + 300)],
    ]);
    expect(cancellations).toEqual([
      { incidentId: 'incident-1', at: seconds(530 + DAY_S), what: 'all' },
      { incidentId: 'incident-2', at: seconds(2 * DAY_S + 10), what: 'all' },
    ]);
  });
});

describe('it changes nothing that it was given', () => {
  const ACTIONS: Action[] = [
    at(1).arm('home'),
    at(2).trigger(W30),
    at(3).trigger(W30),
    at(40).trigger(),
    at(41).acknowledge('open-1'),
    at(42).goLive(),
    at(43).disarm(),
    at(44).clear(),
    at(45).trigger(W30),
    at(46).disable(),
  ];

  test.each([
    ['nothing open', state({ armedMode: 'away' })],
    ['an incident', state({ incident: incident() })],
    ['a test incident', state({ incident: incident({ environment: 'test' }) })],
    ['a pending trigger', state({ pending: pending() })],
  ])('from %s', (_case, from) => {
    const frozen = deepFreeze(structuredClone(from));
    const actions = deepFreeze(structuredClone(ACTIONS));
    const source = alarm({ clearOnDisarm: true });
    decide(Object.freeze(source), frozen, actions, seconds(10 * DAY_S));
    expect(frozen).toEqual(from);
    expect(actions).toEqual(ACTIONS);
  });

  test('the same input gives the same decision', () => {
    const run = () => decide(alarm(), state({ incident: incident() }), ACTIONS, seconds(DAY_S));
    expect(run()).toEqual(run());
  });

  test('nothing to do: the same state and nothing written', () => {
    const from = state({ armedMode: 'home', incident: incident() });
    expect(decide(alarm(), from, [], seconds(60))).toEqual({ state: from, outcomes: [], ...noChanges() });
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze);
  return value;
}

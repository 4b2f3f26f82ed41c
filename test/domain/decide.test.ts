import { describe, expect, test } from 'vitest';
import type { Action, Outcome } from '../../services/domain/action.ts';
import { decide } from '../../services/domain/decide.ts';
import type { SourceState } from '../../services/domain/incident.ts';
import { MODES } from '../../services/domain/mode.ts';
import { alarm, at, incident, panicButton, pending, policy, seconds, state } from '../support/decide.ts';
import { GATED, one, outcomes, TEST, W30 } from './decide-rig.ts';

describe('SPEC.md 3: arm', () => {
  test.each([null, ...MODES])('armed in %s, arm in night: night', armedMode => {
    const { outcome, state: after } = one(at(10).arm('night'), state({ armedMode }));
    expect([outcome, after.armedMode]).toEqual(['armed', 'night']);
  });

  test('DECISIONS.md "arm/{modeId}": an open incident and a pending trigger are left alone', () => {
    const from = state({ incident: incident({ environment: 'test' }), pending: pending() });
    expect(one(at(10).arm('home'), from)).toMatchObject({
      state: { ...from, armedMode: 'home' },
      entries: [],
      cancellations: [],
      followUps: [],
      notices: [],
      windowsEnded: [],
    });
  });
});

describe('SPEC.md 3: disarm', () => {
  test.each([null, ...MODES])('armed in %s: disarmed', armedMode => {
    const { outcome, state: after } = one(at(10).disarm(), state({ armedMode }));
    expect([outcome, after]).toEqual(['disarmed', state()]);
  });

  test('cancels a pending trigger: no incident, no alert', () => {
    const decision = one(at(10).disarm(), state({ armedMode: 'away', pending: pending() }));
    expect(decision).toMatchObject({ outcome: 'disarmed', pendingId: 'pending-1', incidentId: null, state: state() });
    expect(decision.windowsEnded).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
    expect([decision.incidents.size, decision.deliveries.length]).toEqual([0, 0]);
  });

  test.each([
    [true, 'closed'],
    [false, 'open'],
  ])('clear on disarm %s: the open incident is %s afterwards', (clearOnDisarm, expected) => {
    const decision = one(at(10).disarm(), state({ armedMode: 'away', incident: incident() }), alarm({ clearOnDisarm }));
    expect(decision.state.incident === null ? 'closed' : 'open').toBe(expected);
    expect(decision.incidentId).toBe(clearOnDisarm ? 'open-1' : null);
    expect(decision.cancellations).toEqual(
      clearOnDisarm ? [{ incidentId: 'open-1', at: seconds(10), what: 'all' }] : [],
    );
  });

  test('rule 4: safe to repeat', () => {
    const decision = decide(alarm(), state(), [at(1).disarm(), at(2).disarm()], seconds(3));
    expect([outcomes(decision), decision.state]).toEqual([['disarmed', 'disarmed'], state()]);
  });
});

describe('DECISIONS.md "A disarm stamped before the deadline but seen after the timer fired"', () => {
  const opened = () => incident({ windowEndedAt: seconds(30), openedAt: seconds(30), escalationEndsAt: seconds(330) });

  test.each([
    [29.999, true, 'closed'],
    [29.999, false, 'closed'],
    [30, false, 'open'],
    [30, true, 'closed'],
    [31, false, 'open'],
  ])('stamped at %d s of 30 s, clear on disarm %s: the incident is %s', (s, clearOnDisarm, expected) => {
    const decision = decide(alarm({ clearOnDisarm }), state({ incident: opened() }), [at(s).disarm()], seconds(31));
    expect(decision.state.incident === null ? 'closed' : 'open').toBe(expected);
  });

  test('what is not sent is cancelled, and it never closed before it opened', () => {
    const decision = decide(alarm(), state({ incident: opened() }), [at(29).disarm()], seconds(31));
    expect(decision.incidents.get('open-1')?.incident).toMatchObject({ closeReason: 'disarm', closedAt: seconds(30) });
    expect(decision.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(30), what: 'all' }]);
    expect(decision.outcomes[0]).toMatchObject({ outcome: 'disarmed', incidentId: 'open-1' });
  });

  test('an incident that opened at once is not meant', () => {
    const from = state({ incident: incident({ windowEndedAt: null }) });
    expect(decide(alarm(), from, [at(-1).disarm()], seconds(1)).state.incident?.id).toBe('open-1');
  });
});

describe('SPEC.md 3: trigger', () => {
  test('nothing open, no window: opens, and people are alerted', () => {
    const decision = one(at(10).trigger({ mode: 'night' }), state({ armedMode: 'home' }));
    expect(decision).toMatchObject({ outcome: 'opened', incidentId: 'incident-1', pendingId: null });
    expect(decision.state.incident).toMatchObject({
      id: 'incident-1',
      mode: 'night',
      environment: 'live',
      openedAt: seconds(10),
      windowEndedAt: null,
      triggerCount: 1,
      traceId: 'trace of trigger@10',
    });
    expect(decision.deliveries.map(({ planned }) => planned.dueAt)).toEqual([seconds(10), seconds(310)]);
    expect(decision.state.armedMode).toBe('home');
  });

  test('rule 2: it fires that mode’s policy, whatever the alarm is armed in', () => {
    const asked: (string | null)[] = [];
    const source = alarm({
      policyFor(mode) {
        asked.push(mode);
        return policy([]);
      },
    });
    one(at(10).trigger({ mode: 'vacation' }), state({ armedMode: 'home' }), source);
    expect(asked).toEqual(['vacation']);
  });

  test('a window: it waits, nobody is alerted and state does not change', () => {
    const decision = one(at(10).trigger(W30));
    expect(decision).toMatchObject({ outcome: 'pending', pendingId: 'trigger@10', incidentId: null });
    expect(decision.state).toMatchObject({ incident: null, pending: { dueAt: seconds(40), mode: 'away' } });
    expect(decision.incidents.size).toBe(0);
  });

  test('open: recorded against it, no new alert cycle', () => {
    const decision = one(at(10).trigger(), state({ incident: incident() }));
    expect(decision).toMatchObject({ outcome: 'folded', incidentId: 'open-1', deliveries: [] });
    expect(decision.state.incident).toMatchObject({ triggerCount: 2, lastTriggerAt: seconds(10) });
  });

  test('a window does not matter to an open incident', () => {
    const decision = one(at(10).trigger(W30), state({ incident: incident() }));
    expect(decision).toMatchObject({ outcome: 'folded', state: { pending: null } });
  });

  test('an acknowledged incident is still open: folded, and nobody is alerted again', () => {
    const acknowledged = incident({ acknowledgedAt: seconds(5), acknowledgedBy: 'anna', escalationEndsAt: seconds(5) });
    expect(one(at(10).trigger(), state({ incident: acknowledged }))).toMatchObject({
      outcome: 'folded',
      deliveries: [],
    });
  });

  test('after a clear the next trigger alerts again', () => {
    const decision = decide(alarm(), state(), [at(1).trigger(), at(2).clear(), at(3).trigger()], seconds(4));
    expect(outcomes(decision)).toEqual(['opened', 'closed', 'opened']);
    expect(decision.deliveries.map(({ incidentId }) => incidentId)).toEqual([
      'incident-1',
      'incident-1',
      'incident-2',
      'incident-2',
    ]);
  });

  test('DECISIONS.md "Mode with no policy, or a policy that names nobody": it opens all the same', () => {
    const decision = one(at(10).trigger(), state(), alarm({ policyFor: () => null }));
    expect(decision).toMatchObject({ outcome: 'opened', deliveries: [] });
    expect(decision.state.incident).toMatchObject({ outcome: 'nobody_to_alert', escalationEndsAt: seconds(10) });
  });

  test('a source that is disabled by now cannot fire', () => {
    const decision = one(at(10).trigger(), state(), alarm({ disabled: 'yes' }));
    expect(decision).toMatchObject({ outcome: 'source_disabled', state: state() });
  });
});

describe('DECISIONS.md "Concurrent calls": the gate once more when the trigger applies', () => {
  test.each<[string, SourceState, Partial<Action>, Outcome]>([
    ['disarmed, nothing open or pending', state(), GATED, 'held_by_gate'],
    ['disarmed, the same with a window', state(), { ...GATED, ...W30 }, 'held_by_gate'],
    ['armed', state({ armedMode: 'home' }), GATED, 'opened'],
    ['gate off', state(), {}, 'opened'],
    ['disarmed, an incident open', state({ incident: incident() }), GATED, 'folded'],
    ['disarmed, a trigger pending', state({ pending: pending() }), { ...GATED, ...W30 }, 'folded'],
    ['disarmed, live into an open test incident', state({ incident: incident(TEST) }), GATED, 'opened'],
  ])('%s: %4$s', (_case, from, but, outcome) => {
    expect(one(at(10).trigger(but), from).outcome).toBe(outcome);
  });

  test('accepted as armed, applied after a disarm in flight with it: held, nothing opens', () => {
    const decision = decide(alarm(), state({ armedMode: 'away' }), [at(1).disarm(), at(1).trigger(GATED)], seconds(2));
    expect([outcomes(decision), decision.state]).toEqual([['disarmed', 'held_by_gate'], state()]);
  });
});

describe('SPEC.md 3: panic buttons have no window, no arming and no gate', () => {
  test.each<[string, Partial<Action>]>([
    ['as it is', {}],
    ['whatever window it comes with', W30],
    ['whatever gate it comes with', GATED],
  ])('fires at once, %s', (_case, but) => {
    const decision = one(at(10).press(but), state(), panicButton());
    expect(decision).toMatchObject({ outcome: 'opened', state: { pending: null, incident: { mode: null } } });
    expect(decision.deliveries).toHaveLength(2);
  });

  test('open: folds; clear: ends it', () => {
    const decision = decide(panicButton(), state(), [at(1).press(), at(2).press(), at(3).clear()], seconds(4));
    expect([outcomes(decision), decision.state]).toEqual([['opened', 'folded', 'closed'], state()]);
  });

  test('in test it can be rehearsed', () => {
    const decision = one(at(10).press(TEST), state(), panicButton());
    expect(decision.deliveries.map(({ planned }) => planned.status)).toEqual(['suppressed', 'suppressed']);
  });
});

import { describe, expect, test } from 'vitest';
import type { Action, Outcome } from '../../services/domain/action.ts';
import { type Decision, decide, type SourceFacts } from '../../services/domain/decide.ts';
import type { PendingTrigger, SourceState } from '../../services/domain/incident.ts';
import { MODES } from '../../services/domain/mode.ts';
import { alarm, at, DAY_S, incident, panicButton, pending, policy, seconds, state } from '../support/decide.ts';

const W30 = { windowS: 30 };
const TEST = { environment: 'test' } as const;
const GATED = { onlyWhenArmed: true };

/** What one action at 10 s comes to. */
function one(action: Action, from: SourceState = state(), source: SourceFacts = alarm()) {
  const decision = decide(source, from, [action], seconds(10));
  return { ...decision, ...decision.outcomes[0]! };
}

function outcomes({ outcomes }: Decision): Outcome[] {
  return outcomes.map(({ outcome }) => outcome);
}

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
      settled: [],
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
    expect(decision.settled).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
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
    expect(decision.settled).toEqual([
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

describe('SPEC.md 3: clear', () => {
  test('ends the open incident; the arming stays', () => {
    const decision = one(at(10).clear(), state({ armedMode: 'home', incident: incident() }));
    expect(decision).toMatchObject({ outcome: 'closed', incidentId: 'open-1', state: state({ armedMode: 'home' }) });
    expect(decision.incidents.get('open-1')?.incident.closeReason).toBe('clear');
  });

  test('none open: still a success', () => {
    expect(one(at(10).clear())).toMatchObject({ outcome: 'nothing_open', incidentId: null, state: state() });
  });

  test('DECISIONS.md "Clear while pending": the pending trigger stays and opens at its deadline', () => {
    const decision = decide(alarm(), state({ pending: pending() }), [at(10).clear()], seconds(30));
    expect(outcomes(decision)).toEqual(['nothing_open']);
    expect(decision.state.incident).toMatchObject({ openedAt: seconds(30), closedAt: null });
  });

  test('DECISIONS.md "Clear while pending" and "Time": also when it is seen only after the window ended', () => {
    const opened = decide(alarm(), state({ pending: pending() }), [], seconds(30)).state;
    const decision = decide(alarm(), opened, [at(29).clear()], seconds(31));
    expect(outcomes(decision)).toEqual(['nothing_open']);
    expect(decision.state.incident?.openedAt).toBe(seconds(30));
  });
});

describe('DECISIONS.md "Acknowledge": the first counts, a closed one is a quiet no-op', () => {
  test('stops the escalation and leaves the incident open', () => {
    const decision = one(at(10).acknowledge('open-1'), state({ incident: incident() }));
    expect(decision).toMatchObject({ outcome: 'acknowledged', incidentId: 'open-1' });
    expect(decision.state.incident).toMatchObject({
      acknowledgedBy: 'anna',
      escalationEndsAt: seconds(10),
      closedAt: null,
    });
    expect(decision.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(10), what: 'alerts' }]);
  });

  test('a second one changes nothing', () => {
    const acknowledged = incident({ acknowledgedAt: seconds(5), acknowledgedBy: 'anna', escalationEndsAt: seconds(5) });
    const decision = one(at(10).acknowledge('open-1', 'ben'), state({ incident: acknowledged }));
    expect(decision).toMatchObject({
      outcome: 'already_acknowledged',
      incidentId: 'open-1',
      state: { incident: acknowledged },
    });
    expect([decision.incidents.size, decision.cancellations]).toEqual([0, []]);
  });

  test.each([
    ['nothing is open', state()],
    ['another one is open', state({ incident: incident({ id: 'open-2' }) })],
  ])('%s', (_case, from) => {
    const decision = one(at(10).acknowledge('open-1'), from);
    expect(decision).toMatchObject({ outcome: 'already_closed', incidentId: 'open-1', state: from, entries: [] });
  });

  test('auto-close moves forward with it: 24 hours after the acknowledgement', () => {
    const acknowledged = decide(
      alarm(),
      state({ incident: incident() }),
      [at(10).acknowledge('open-1')],
      seconds(10),
    ).state;
    expect(decide(alarm(), acknowledged, [], seconds(10 + DAY_S - 0.001)).state.incident?.id).toBe('open-1');
    const closed = decide(alarm(), acknowledged, [], seconds(10 + DAY_S));
    expect(closed.incidents.get('open-1')?.incident).toMatchObject({
      closeReason: 'auto_close',
      closedAt: seconds(10 + DAY_S),
    });
  });

  test('after the escalation ended it moves nothing', () => {
    const acknowledged = decide(
      alarm(),
      state({ incident: incident() }),
      [at(900).acknowledge('open-1')],
      seconds(900),
    ).state;
    const closed = decide(alarm(), acknowledged, [], seconds(2 * DAY_S));
    expect(closed.incidents.get('open-1')?.incident.closedAt).toBe(seconds(300 + DAY_S));
  });
});

describe('DECISIONS.md "Close or acknowledge": closing in the console', () => {
  test('ends the incident that is meant', () => {
    const decision = one(at(10).close('open-1'), state({ armedMode: 'home', incident: incident() }));
    expect(decision).toMatchObject({ outcome: 'closed', incidentId: 'open-1', state: state({ armedMode: 'home' }) });
    expect(decision.incidents.get('open-1')?.incident.closeReason).toBe('console');
  });

  test('never another one', () => {
    const from = state({ incident: incident({ id: 'open-2' }) });
    expect(one(at(10).close('open-1'), from)).toMatchObject({ outcome: 'already_closed', state: from });
  });
});

describe('DECISIONS.md "Source or location switched to live"', () => {
  test('closes its open test incident', () => {
    const decision = one(at(10).goLive(), state({ incident: incident(TEST) }));
    expect([decision.outcome, decision.state]).toEqual(['went_live', state()]);
    expect(decision.incidents.get('open-1')?.incident.closeReason).toBe('went_live');
  });

  test('cancels its pending test trigger', () => {
    const decision = one(at(10).goLive(), state({ pending: pending(TEST) }));
    expect(decision).toMatchObject({ outcome: 'went_live', pendingId: 'pending-1', state: state() });
    expect(decision.settled).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
  });

  test('leaves what is live alone', () => {
    const from = state({ incident: incident() });
    expect(one(at(10).goLive(), from).state).toEqual(from);
    const waiting = state({ pending: pending() });
    expect(one(at(10).goLive(), waiting).state).toEqual(waiting);
  });

  test('a live trigger that waits beside a test incident stays, the test incident closes', () => {
    const from = state({ incident: incident(TEST), pending: pending() });
    expect(one(at(10).goLive(), from).state).toEqual(state({ pending: pending() }));
  });
});

describe('DECISIONS.md "Disabled or deactivated source": disabling closes its open incident and cancels what is pending', () => {
  test.each(['live', 'test'] as const)('%s', environment => {
    const decision = one(
      at(10).disable(),
      state({ incident: incident({ environment }) }),
      alarm({ disabled: 'waits' }),
    );
    expect([decision.outcome, decision.state]).toEqual(['disabled', state()]);
    expect(decision.incidents.get('open-1')?.incident.closeReason).toBe('source_disabled');
    expect(decision.cancellations).toEqual([{ incidentId: 'open-1', at: seconds(10), what: 'all' }]);
  });

  test('pending', () => {
    const decision = one(at(10).disable(), state({ pending: pending() }), alarm({ disabled: 'waits' }));
    expect(decision).toMatchObject({ outcome: 'disabled', pendingId: 'pending-1', state: state() });
  });

  test('a trigger before it opens what it closes, one behind it is too late', () => {
    const actions = [at(1).trigger(), at(2).disable(), at(3).trigger()];
    const decision = decide(alarm({ disabled: 'waits' }), state(), actions, seconds(4));
    expect([outcomes(decision), decision.state]).toEqual([['opened', 'disabled', 'source_disabled'], state()]);
    expect(decision.incidents.get('incident-1')?.incident).toMatchObject({
      openedAt: seconds(1),
      closedAt: seconds(2),
      closeReason: 'source_disabled',
    });
  });

  test('where it comes in a later turn, what stands before it opens in this one', () => {
    expect(one(at(10).trigger(), state(), alarm({ disabled: 'waits' })).outcome).toBe('opened');
  });

  test('nothing open or pending', () => {
    expect(one(at(10).disable())).toMatchObject({ outcome: 'disabled', pendingId: null, state: state(), entries: [] });
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

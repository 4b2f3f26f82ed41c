import { describe, expect, test } from 'vitest';
import { decide } from '../../services/domain/decide.ts';
import { alarm, at, DAY_S, incident, pending, seconds, state } from '../support/decide.ts';
import { one, outcomes, TEST } from './decide-rig.ts';

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
    expect(decision.windowsEnded).toEqual([{ pendingId: 'pending-1', incidentId: null, traceId: null }]);
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

import { describe, expect, test } from 'vitest';
import { decide } from '../../services/domain/decide.ts';
import { alarm, at, incident, pending, state } from '../support/decide.ts';
import { one } from './decide-rig.ts';

/** Called off at 10 s is the trigger that was seen to wait until 30 s. */
const callOff = at(10).callOff('trace of pending-1');

describe('calling off what was seen to wait (DECISIONS.md "Calling off")', () => {
  const late = incident({ traceId: 'trace of pending-1', windowEndedAt: callOff.acceptedAt + 1 });
  test.each([
    ['it waits', state({ pending: pending() }), { outcome: 'cancelled', pendingId: 'pending-1' }],
    [
      'it came again',
      state({ pending: pending({ triggerCount: 9 }) }),
      { outcome: 'cancelled', pendingId: 'pending-1' },
    ],
    [
      'another device tripped it since',
      state({ pending: pending({ trippedKeys: [1, 2] }) }),
      { outcome: 'more_came', pendingId: null },
    ],
    ['another one waits', state({ pending: pending({ traceId: 'another' }) }), { outcome: 'another_waits' }],
    ['nothing waits', state(), { outcome: 'nothing_waits' }],
    [
      'it opened before that',
      state({ incident: { ...late, windowEndedAt: callOff.acceptedAt } }),
      { outcome: 'nothing_waits' },
    ],
    ['it opened only afterwards', state({ incident: late }), { outcome: 'closed', incidentId: 'open-1' }],
    [
      'it opened only afterwards, and another device tripped it since',
      state({ incident: { ...late, trippedKeys: [1, 2] } }),
      { outcome: 'nothing_waits' },
    ],
    ['another one opened', state({ incident: { ...late, traceId: 'another' } }), { outcome: 'nothing_waits' }],
  ])('%s', (_case, from, expected) => {
    const decision = one(callOff, { ...from, armedMode: 'away' });
    expect(decision).toMatchObject(expected);
    const isOver = ['cancelled', 'closed'].includes(expected.outcome);
    expect(decision.state).toEqual({
      armedMode: 'away',
      pending: isOver ? null : from.pending,
      incident: isOver ? null : from.incident,
    });
    expect(decision.deliveries).toEqual([]);
  });

  test.each([
    ['waits as long, and another device tripped it', 30, 'more_came'],
    ['is shortened, another waits', 5, 'another_waits'],
  ])('when by a trigger that joined before it the wait %s', (_case, windowS, expected) => {
    const [joins, called] = [at(9).trigger({ windowS, keySeq: 2 }), callOff];
    const decision = decide(
      alarm(),
      state({ pending: pending({ trippedKeys: [1] }) }),
      [joins, called],
      called.acceptedAt,
    );
    expect(decision.outcomes.map(({ outcome }) => outcome)).toEqual(['folded', expected]);
    expect(decision.state.pending).toMatchObject({ triggerCount: 2 });
    const seen = at(11).callOff(decision.state.pending!.traceId, 2);
    expect(decide(alarm(), decision.state, [seen], seen.acceptedAt).outcomes).toMatchObject([{ outcome: 'cancelled' }]);
  });
});

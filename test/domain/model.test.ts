import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Action } from '../../services/domain/action.ts';
import { type Decision, decide } from '../../services/domain/decide.ts';
import { play } from '../support/alarm-model.ts';
import { noChanges, START, seconds, state } from '../support/decide.ts';
import { actionOf, alarmCall, life, lifeOf, sourceOf, step } from './model-lives.ts';
import { storyOf } from './model-story.ts';

/*
 * Random days in the life of an alarm and of a panic button. The first test holds decide() against a naive model that
 * shares no code with it; the others say what does not depend on how late the engine is.
 */

test('every sequence of calls ends as SPEC.md 3 and DECISIONS.md say, told a second time by a naive model', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(life, ({ house, calls, until }) => {
      const decision = decide(sourceOf(house), state(), calls.map(actionOf), seconds(until));
      const expected = play(house, calls, until);
      const actual = storyOf(decision);
      for (const outcome of actual.outcomes) seen.add(outcome.split(/[ ,]/)[0]!);
      for (const { why, unanswered, toldLater, inTest } of actual.incidents) {
        seen.add(`${why}`);
        if (unanswered !== null) seen.add('exhausted');
        for (const told of toldLater) seen.add(told.split(' ')[0]!);
        for (const told of inTest) seen.add(told.replace(/^[\d.]+ /, ''));
      }
      // The comparison that explains itself is slow: only where there is something to explain.
      if (JSON.stringify(actual) !== JSON.stringify(expected)) expect(actual).toEqual(expected);
    }),
    { numRuns: 50_000 },
  );
  // What the random calls never led to was not tested.
  expect(seen).toEqual(
    new Set([
      ...['armed', 'disarmed', 'pending', 'opened', 'folded', 'closed', 'nothing_open', 'held_by_gate'],
      ...['acknowledged', 'already_acknowledged', 'already_closed', 'went_live', 'disabled'],
      ...['clear', 'disarm', 'auto_close', 'console', 'superseded', 'source_disabled', 'null'],
      ...['exhausted', 'acknowledged', 'still_happening'],
      ...['email goes', 'email no_carrier', 'push goes instead of email'],
    ]),
  );
});

test('at most one incident is open, one alert cycle each, and nobody is alerted in test', () => {
  fc.assert(
    fc.property(life, ({ house, calls, until }) => {
      const { incidents, entries, deliveries } = decide(sourceOf(house), state(), calls.map(actionOf), seconds(until));
      let open = 0;
      for (const { kind } of entries) {
        if (kind === 'opened') open++;
        if (kind === 'closed') open--;
        if (open < 0 || open > 1) throw new Error(`${open} incidents were open at once.`);
      }
      for (const { incident } of incidents.values()) {
        const opened = entries.filter(({ incidentId, kind }) => incidentId === incident.id && kind === 'opened');
        if (opened.length !== 1) throw new Error(`Incident ${incident.id} opened ${opened.length} times.`);
        const told = deliveries.filter(
          ({ incidentId, planned }) => incidentId === incident.id && planned.insteadOf === null,
        );
        const cycle = house.messagesAfter[incident.mode ?? 'button']!.length;
        if (told.length !== cycle)
          throw new Error(`Incident ${incident.id} has ${told.length} messages, not ${cycle}.`);
        const wrong = told.filter(
          ({ planned }) => (planned.status === 'suppressed') !== (incident.environment === 'test'),
        );
        if (wrong.length > 0)
          throw new Error(`A ${incident.environment} incident has a message ${wrong[0]?.planned.status}.`);
      }
    }),
    { numRuns: 5_000 },
  );
});

/*
 * How late the engine is, and in how many pieces it applies what was accepted, changes nothing, as long as it never let
 * time pass beyond the acceptance of an action that it had not seen: a look at `now` must have seen every action accepted
 * before `now`. (Accepting and looking are two transactions, so that a look can miss a call in flight. That case has its
 * own ruling and its own test below.)
 */
test('applied in any pieces and however late, the same actions come to exactly the same', () => {
  const cut = fc.constantFrom('together', 'together', 'at once', 'just in time', 'twice');
  fc.assert(
    fc.property(life, fc.array(cut, { minLength: 10, maxLength: 10 }), ({ house, calls, until }, cuts) => {
      const actions = calls.map(actionOf);
      const whole = decide(sourceOf(house), state(), actions, seconds(until));

      const source = sourceOf(house);
      const pieces: Decision = { ...noChanges(), state: state(), outcomes: [] };
      let waiting: Action[] = [];
      actions.forEach((action, index) => {
        waiting.push(action);
        const next = actions[index + 1]?.acceptedAt ?? seconds(until);
        if (cuts[index] === 'together') return;
        const now = cuts[index] === 'just in time' ? next : action.acceptedAt;
        append(pieces, decide(source, pieces.state, waiting, now));
        waiting = [];
        if (cuts[index] === 'twice') append(pieces, decide(source, pieces.state, [], (now + next) / 2));
      });
      append(pieces, decide(source, pieces.state, waiting, seconds(until)));

      if (inJson(pieces) !== inJson(whole)) expect(pieces).toEqual(whole);
    }),
    { numRuns: 10_000 },
  );
});

/*
 * An action that a look missed: stamped at `t`, seen after timers up to a later `now` fired. The arming never depends on
 * that. A disarm leaves nothing waiting, and leaves open only what it would have left open in time: never an incident
 * whose window ended after it was stamped.
 */
test('DECISIONS.md "A disarm stamped before the deadline but seen after the timer fired": however late it is seen, its owner was in time', () => {
  fc.assert(
    fc.property(lifeOf('alarm', alarmCall), step, step, ({ house, calls, until }, before, after) => {
      const actions = calls.map(actionOf);
      const disarm = actionOf({ ...A_DISARM, at: until + before }, actions.length);
      const now = disarm.acceptedAt + after * 1000;

      const inTime = decide(sourceOf(house), state(), [...actions, disarm], now).state;
      const source = sourceOf(house);
      const missed = decide(source, state(), actions, now);
      const late = decide(source, missed.state, [disarm], now);

      expect([late.state.armedMode, late.state.pending]).toEqual([null, null]);
      const left = late.state.incident;
      if (left !== null) {
        expect(left).toEqual(inTime.incident);
        expect(left.windowEndedAt ?? START).toBeLessThanOrEqual(disarm.acceptedAt);
      }
      for (const { incident } of late.incidents.values()) {
        expect(incident.closeReason).toBe('disarm');
        expect(late.cancellations).toEqual([{ incidentId: incident.id, at: incident.closedAt, what: 'all' }]);
      }
    }),
    { numRuns: 2_000 },
  );
});

const A_DISARM = { verb: 'disarm', mode: null, environment: 'live', window: 0, gate: 'off', incident: 1 } as const;

function append(to: Decision, piece: Decision): void {
  to.state = piece.state;
  to.outcomes.push(...piece.outcomes);
  to.entries.push(...piece.entries);
  to.deliveries.push(...piece.deliveries);
  to.cancellations.push(...piece.cancellations);
  to.followUps.push(...piece.followUps);
  to.notices.push(...piece.notices);
  to.windowsEnded.push(...piece.windowsEnded);
  for (const [id, { incident, isNew }] of piece.incidents) {
    to.incidents.set(id, { incident, isNew: isNew || (to.incidents.get(id)?.isNew ?? false) });
  }
}

function inJson(decision: Decision): string {
  return JSON.stringify({ ...decision, incidents: [...decision.incidents] });
}

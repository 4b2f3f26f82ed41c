import { describe, expect, test } from 'vitest';
import { triedOf } from '../../services/domain/chances.ts';
import { decide } from '../../services/domain/decide.ts';
import { type Reached, whomToTell } from '../../services/domain/follow-up.ts';
import { exhaustsAt } from '../../services/domain/incident.ts';
import { alarm, at, DAY_S, incident, seconds, state } from '../support/decide.ts';

describe('an escalation that nobody answers is `exhausted` five minutes after its last message', () => {
  const open = () => state({ incident: incident() });

  test.each([
    ['a moment before', 599, []],
    ['at that time', 600, [{ kind: 'exhausted', at: seconds(600) }]],
    ['however late it is seen', 5_000, [{ kind: 'exhausted', at: seconds(600) }]],
  ])('%s', (_when, nowS, told) => {
    const decision = decide(alarm(), open(), [], seconds(nowS));
    expect(decision.notices).toEqual(told.map(({ kind, at }) => ({ incidentId: 'open-1', kind, at })));
    expect(decision.entries.map(({ kind }) => kind)).toEqual(told.map(({ kind }) => kind));
    expect(decision.state.incident).toMatchObject({ outcome: told.length > 0 ? 'exhausted' : 'alerting' });
  });

  test.each([
    ['somebody has it', { acknowledgedAt: seconds(50) }],
    ['it is closed', { closedAt: seconds(50) }],
    ['there was nobody to alert', { outcome: 'nobody_to_alert' as const }],
    ['it has come up already', { outcome: 'exhausted' as const }],
    ['it is in test', { environment: 'test' as const }],
  ])('never when %s', (_why, but) => {
    expect(exhaustsAt(incident(but))).toBeNull();
  });

  const tried = { messages: 3, taken: 2, failed: 1, channels: ['text', 'call'] } as const;

  test.each([
    ['nothing waits', null, ['exhausted'], []],
    ['one waits until then', 650, [], [950]],
    ['one was held up and went out late', 330, [], [630]],
  ])('everybody has had their chance: %s', (_what, lastS, told, movedTo) => {
    const chances = { lastAt: lastS === null ? null : seconds(lastS), tried };
    const decision = decide(alarm({ chancesOf: () => chances }), open(), [], seconds(610));
    expect(decision.notices.map(({ kind }) => kind)).toEqual(told);
    expect(decision.exhaustions.map(({ at }) => at)).toEqual(movedTo.map(seconds));
  });

  test('it says what was tried', () => {
    const decision = decide(alarm({ chancesOf: () => ({ lastAt: null, tried }) }), open(), [], seconds(610));
    expect(decision.notices).toMatchObject([{ kind: 'exhausted', tried }]);
    expect(triedOf(decision.entries[0]!.detail)).toEqual(tried);
    expect(triedOf('')).toBeNull();
  });

  test('one whose messages may not even be stored is judged another time', () => {
    const late = decide(alarm({ chancesOf: () => 'not_known' }), state(), [at(0).trigger()], seconds(5_000));
    expect(late.entries.map(({ kind }) => kind)).toEqual(['opened']);
    expect(late.exhaustions).toEqual([]);
  });

  test('once, and the incident still closes by itself 24 hours after the escalation', () => {
    const first = decide(alarm(), open(), [], seconds(700));
    const later = decide(alarm(), first.state, [], seconds(300 + DAY_S));
    expect(later.notices).toEqual([]);
    expect([...later.incidents.values()][0]!.incident).toMatchObject({
      outcome: 'exhausted',
      closeReason: 'auto_close',
    });
  });

  test('at the same instant the timer goes before the answer, which still counts', () => {
    const decision = decide(alarm(), open(), [at(600).acknowledge('open-1')], seconds(600));
    expect(decision.entries.map(({ kind }) => kind)).toEqual(['exhausted', 'acknowledged']);
  });
});

describe('DECISIONS.md "Mode with no policy, or a policy that names nobody": it reaches the owner, live only', () => {
  test.each([
    ['live', ['nobody_to_alert']],
    ['test', []],
  ] as const)('%s', (environment, kinds) => {
    const decision = decide(alarm({ policyFor: () => null }), state(), [at(1).trigger({ environment })], seconds(2));
    expect(decision.notices.map(({ kind }) => kind)).toEqual(kinds);
  });
});

describe('DECISIONS.md "Swallowed alarms": a trigger that joins after a pause is told to those alerted', () => {
  const joined = (pauseS: number, stillHappeningS: number, but = {}) =>
    decide(alarm({ stillHappeningS }), state({ incident: incident(but) }), [at(pauseS).trigger()], seconds(pauseS));

  test.each([
    ['the account does not want it', 5_000, 0, 0],
    ['it came too soon', 59, 60, 0],
    ['the pause was as long as that', 60, 60, 1],
    ['the pause was longer', 90, 60, 1],
  ])('%s', (_when, pauseS, wanted, notices) => {
    expect(joined(pauseS, wanted).followUps).toHaveLength(notices);
  });

  test('each notice is one of its own, so that each is sent once', () => {
    const source = alarm({ stillHappeningS: 60 });
    const triggers = [at(100).trigger(), at(110).trigger(), at(200).trigger()];
    const { followUps } = decide(source, state({ incident: incident() }), triggers, seconds(200));
    expect(followUps.map(({ kind, ordinal, at }) => [kind, ordinal, at])).toEqual([
      ['still_happening', 0, seconds(100)],
      ['still_happening', 2, seconds(200)],
    ]);
  });

  test('in test nobody was alerted', () => {
    const test = joined(90, 60, { environment: 'test' });
    expect(test.followUps).toEqual([]);
  });
});

describe('whom a follow-up goes to', () => {
  const anna: Reached = { contactId: 'anna', channel: 'text' };
  const byCall: Reached = { contactId: 'anna', channel: 'call' };
  const ben: Reached = { contactId: 'ben', channel: 'call' };

  test.each<[string, Reached[], string | null, Reached[]]>([
    ['everybody who was reached', [anna, ben], null, [anna, ben]],
    ['not the one who acknowledged it', [anna, ben], 'ben', [anna]],
    ['by call only where nothing else reached them', [byCall, anna], null, [anna]],
    ['each way once, however often it was used', [anna, anna, ben, ben], null, [anna, ben]],
    ['nobody, where nobody was reached', [], null, []],
  ])('%s', (_what, reached, exceptContactId, told) => {
    expect(whomToTell({ exceptContactId }, reached)).toEqual(told);
  });
});

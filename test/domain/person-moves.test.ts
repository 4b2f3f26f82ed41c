import { describe, expect, test } from 'vitest';
import type { Action } from '../../services/domain/action.ts';
import { decide } from '../../services/domain/decide.ts';
import type { ContactCopy } from '../../services/domain/escalation.ts';
import { exhaustsAt } from '../../services/domain/incident.ts';
import { HAND_OVERS_MOST } from '../../services/domain/person-moves.ts';
import type { SourceFacts, StepsAhead } from '../../services/domain/source-facts.ts';
import { alarm, at, incident, seconds, state } from '../support/decide.ts';

const own = (s: number, verb: Action['verb'], detail: string, actor = 'Anna'): Action => ({
  ...at(s).trigger(),
  ...{ verb, detail, actor, incidentId: 'open-1', contactId: null },
});

const AHEAD = [
  { round: 0, step: 1, dueAt: seconds(100), contactIds: ['ben'] },
  { round: 0, step: 2, dueAt: seconds(200), contactIds: ['carla'] },
];
const TOLD = { told: ['anna'], declined: [] };
const steps: Partial<SourceFacts> = { stepsOf: () => ({ ahead: AHEAD, round: 0, ...TOLD }) };

const ben: ContactCopy = {
  ...{ id: 'ben', name: 'Ben', locale: 'en', timeZone: 'UTC', channels: ['text', 'email'] },
  addresses: [
    { channel: 'text', address: 'x' },
    { channel: 'email', address: 'y', verification: 'not_verified' },
  ],
};

describe('next now', () => {
  const outcomes = (actions: Action[], but = {}, facts = steps) => {
    const decision = decide(alarm(facts), state({ incident: incident(but) }), actions, seconds(60));
    return [decision.outcomes.map(({ outcome }) => outcome), decision.broughtForward.map(({ step }) => step)];
  };

  test.each<[string, Action[], object, string[], number[]]>([
    ['the step that was seen goes', [own(10, 'next_step', '0.1')], {}, ['stepped'], [1]],
    [
      'two who press at once send one',
      [own(10, 'next_step', '0.1'), own(10, 'next_step', '0.1', 'Ben')],
      {},
      ['stepped', 'no_next_step'],
      [1],
    ],
    [
      'whoever sees the one after sends that',
      [own(10, 'next_step', '0.1'), own(11, 'next_step', '0.2')],
      {},
      ['stepped', 'stepped'],
      [1, 2],
    ],
    ['none is skipped', [own(10, 'next_step', '0.2')], {}, ['no_next_step'], []],
    ['words that name none', [own(10, 'next_step', '<b>')], {}, ['no_next_step'], []],
    [
      'nobody is told who need not be',
      [own(10, 'next_step', '0.1')],
      { acknowledgedAt: seconds(5) },
      ['already_acknowledged'],
      [],
    ],
    ['another incident', [{ ...own(10, 'next_step', '0.1'), incidentId: 'other' }], {}, ['already_closed'], []],
  ])('%s', (_what, actions, but, said, gone) => {
    expect(outcomes(actions, but)).toEqual([said, gone]);
  });

  test('a step that is due by then has gone by itself', () => {
    expect(
      outcomes(
        [own(50, 'next_step', '0.1')],
        {},
        { stepsOf: () => ({ ahead: [{ ...AHEAD[0]!, dueAt: seconds(50) }], round: 0, ...TOLD }) },
      ),
    ).toEqual([['no_next_step'], []]);
  });
});

describe('cannot', () => {
  const cannot = (s: number, who: string): Action => ({ ...own(s, 'decline', '', who), contactId: who });
  const outcomes = (actions: Action[], asked: Partial<StepsAhead> = {}, but = {}) => {
    const stepsOf = () => ({ ahead: AHEAD, round: 0, ...TOLD, ...asked });
    const contactOf = () => ben;
    const decision = decide(alarm({ stepsOf, contactOf }), state({ incident: incident(but) }), actions, seconds(60));
    return {
      said: decision.outcomes.map(({ outcome }) => outcome),
      gone: decision.broughtForward.map(({ step }) => step),
      entries: decision.entries.map(({ kind, detail }) => `${kind} ${detail}`),
      calledOff: decision.cancellations,
    };
  };

  test.each<[string, Action[], Partial<StepsAhead>, object, string[], number[]]>([
    ['the only one told: the next step goes', [cannot(10, 'anna')], {}, {}, ['declined_next'], [1]],
    [
      'touched twice, one step goes',
      [cannot(10, 'anna'), cannot(11, 'anna')],
      {},
      {},
      ['declined_next', 'declined'],
      [1],
    ],
    [
      'touched again after the next were told',
      [cannot(10, 'anna')],
      { told: ['anna', 'ben'], declined: ['anna'] },
      {},
      ['declined'],
      [],
    ],
    [
      'another one was told as well and may still answer',
      [cannot(10, 'anna')],
      { told: ['anna', 'dan'] },
      {},
      ['declined'],
      [],
    ],
    [
      'both who were told',
      [cannot(10, 'anna'), cannot(11, 'dan')],
      { told: ['anna', 'dan'] },
      {},
      ['declined', 'declined_next'],
      [1],
    ],
    [
      'one now, the other before',
      [cannot(10, 'anna')],
      { told: ['anna', 'dan'], declined: ['dan'] },
      {},
      ['declined_next'],
      [1],
    ],
    [
      'a step that tells the same person again keeps its time',
      [cannot(10, 'anna')],
      { ahead: [{ ...AHEAD[0]!, contactIds: ['anna'] }, AHEAD[1]!] },
      {},
      ['declined_next'],
      [2],
    ],
    [
      'nobody else is to come',
      [cannot(10, 'anna')],
      { ahead: [{ ...AHEAD[0]!, contactIds: ['anna'] }] },
      {},
      ['declined_last'],
      [],
    ],
    [
      'the next are told by now anyway',
      [cannot(50, 'anna')],
      { ahead: [{ ...AHEAD[0]!, dueAt: seconds(50) }] },
      {},
      ['declined'],
      [],
    ],
    [
      'somebody is told at the same moment to take over',
      [own(10, 'hand_over', 'ben'), cannot(10, 'anna')],
      {},
      {},
      ['handed_over', 'declined'],
      [],
    ],
    [
      'what somebody called off a moment ago is not to come',
      [
        { ...own(8, 'acknowledge', ''), contactId: 'anna' },
        own(9, 'hand_over', 'ben'),
        cannot(10, 'ben'),
        cannot(10, 'anna'),
      ],
      {},
      {},
      ['acknowledged', 'handed_over', 'declined', 'declined_last'],
      [],
    ],
    ['somebody has it', [cannot(10, 'anna')], {}, { acknowledgedAt: seconds(5) }, ['already_acknowledged'], []],
    ['another incident', [{ ...cannot(10, 'anna'), incidentId: 'other' }], {}, {}, ['already_closed'], []],
  ])('%s', (_what, actions, asked, but, said, gone) => {
    const decided = outcomes(actions, asked, but);
    expect([decided.said, decided.gone]).toEqual([said, gone]);
    // It never takes a message away from anybody.
    expect(decided.calledOff).toHaveLength(actions.filter(({ verb }) => verb === 'acknowledge').length);
  });

  test('each person stands in the timeline once', () => {
    const pressed = [cannot(10, 'anna'), cannot(11, 'anna'), cannot(12, 'dan')];
    expect(outcomes(pressed, { told: ['anna', 'dan'] }).entries).toEqual(['declined anna', 'declined dan']);
  });
});

describe('a note', () => {
  const notes = (facts: Partial<SourceFacts>, ...actions: Action[]) => {
    const decision = decide(alarm(facts), state({ incident: incident() }), actions, seconds(600));
    return [
      decision.outcomes.map(({ outcome }) => outcome),
      decision.entries.filter(({ kind }) => kind === 'noted').length,
    ];
  };

  test('stands in the timeline, of a closed incident too; touched twice it is one', () => {
    const decision = decide(alarm(), state(), [own(10, 'note', 'The cat')], seconds(20));
    expect(decision.entries).toEqual([
      { incidentId: 'open-1', at: seconds(10), kind: 'noted', detail: 'The cat', by: 'Anna' },
    ]);
    expect(notes({}, own(10, 'note', 'a'), own(11, 'note', 'a'))).toEqual([['noted', 'noted'], 1]);
    expect(notes({}, own(10, 'note', 'a'), own(11, 'note', 'a', 'Ben'), own(90, 'note', 'a'))).toEqual([
      ['noted', 'noted', 'noted'],
      3,
    ]);
    expect(
      notes({ notesOf: () => ({ count: 1, last: [{ by: 'Anna', text: 'a', at: seconds(5) }] }) }, own(10, 'note', 'a')),
    ).toEqual([['noted'], 0]);
  });

  test('there are a hundred at most', () => {
    expect(notes({ notesOf: () => ({ count: 99, last: [] }) }, own(10, 'note', 'a'), own(11, 'note', 'b'))).toEqual([
      ['noted', 'too_many_notes'],
      1,
    ]);
  });
});

describe('handing over', () => {
  const facts: Partial<SourceFacts> = {
    contactOf: id => (id === 'ben' ? ben : null),
    stepsOf: () => ({ ahead: AHEAD, round: 1, ...TOLD }),
  };
  const handed = (actions: Action[], but = {}, more: Partial<SourceFacts> = {}) =>
    decide(alarm({ ...facts, ...more }), state({ incident: incident(but) }), actions, seconds(60));

  test('whoever takes over is told at once over what reaches them; nobody has it until they acknowledge', () => {
    const decision = handed([own(10, 'hand_over', 'ben')], {
      acknowledgedAt: seconds(5),
      acknowledgedBy: 'Anna',
      escalationEndsAt: seconds(5),
    });
    expect(decision.outcomes.map(({ outcome }) => outcome)).toEqual(['handed_over']);
    expect(decision.deliveries).toMatchObject([
      { planned: { channel: 'text', contactId: 'ben', round: 1, dueAt: seconds(10), status: 'scheduled' } },
    ]);
    expect(decision.state.incident).toMatchObject({
      acknowledgedAt: null,
      handedTo: 'ben',
      handedOver: 1,
      escalationEndsAt: seconds(10),
    });
    expect(decision.cancellations).toEqual([]);
    const after = decide(
      alarm(facts),
      decision.state,
      [{ ...own(20, 'acknowledge', '', 'Ben'), contactId: 'ben' }],
      seconds(60),
    );
    expect(after.state.incident).toMatchObject({ acknowledgedBy: 'Ben', handedTo: null });
    expect(after.followUps).toMatchObject([{ kind: 'acknowledged', ordinal: 1 }]);
  });

  test.each<[string, Action[], object, Partial<SourceFacts>, string[]]>([
    [
      'touched twice, they are told once',
      [own(10, 'hand_over', 'ben'), own(11, 'hand_over', 'ben')],
      {},
      {},
      ['handed_over', 'already_handed_over'],
    ],
    ['nobody of the account', [own(10, 'hand_over', 'eve')], {}, {}, ['not_reachable']],
    [
      'no address reaches them',
      [own(10, 'hand_over', 'ben')],
      {},
      { contactOf: () => ({ ...ben, addresses: [] }) },
      ['not_reachable'],
    ],
    ['a drill is about one person', [own(10, 'hand_over', 'ben')], { environment: 'drill' }, {}, ['not_reachable']],
    [
      'as often as one may be',
      [own(10, 'hand_over', 'ben')],
      { handedOver: HAND_OVERS_MOST },
      {},
      ['too_many_hand_overs'],
    ],
    ['it has closed', [{ ...own(10, 'hand_over', 'ben'), incidentId: 'other' }], {}, {}, ['already_closed']],
  ])('%s', (_what, actions, but, more, said) => {
    const decision = handed(actions, but, more);
    expect(decision.outcomes.map(({ outcome }) => outcome)).toEqual(said);
    expect(decision.deliveries).toHaveLength(said.filter(one => one === 'handed_over').length);
  });

  test('one that nobody had acknowledged in time is waited for again, and told of again', () => {
    const { incident } = handed([own(10, 'hand_over', 'ben')], {
      outcome: 'exhausted',
      escalationEndsAt: seconds(5),
    }).state;
    expect(exhaustsAt(incident!)).toBe(seconds(10) + 5 * 60_000);
  });

  test('in test it is recorded and nobody is told', () => {
    expect(handed([own(10, 'hand_over', 'ben')], { environment: 'test' }).deliveries).toMatchObject([
      { planned: { status: 'suppressed' } },
    ]);
  });
});

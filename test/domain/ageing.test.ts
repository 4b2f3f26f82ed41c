import { describe, expect, test } from 'vitest';
import type { Action } from '../../services/domain/action.ts';
import { decide } from '../../services/domain/decide.ts';
import type { ContactCopy } from '../../services/domain/escalation.ts';
import type { Incident } from '../../services/domain/incident.ts';
import type { AgeingFacts, SourceFacts } from '../../services/domain/source-facts.ts';
import { alarm, at, incident, seconds, state } from '../support/decide.ts';

const HALF_AN_HOUR = 1_800;

const ANNA: ContactCopy = {
  ...{ id: 'c-anna', name: 'Anna', locale: 'en', timeZone: 'UTC', channels: ['text', 'call'], disabled: [] },
  addresses: [
    { channel: 'text', address: '+43', verification: 'verified' },
    { channel: 'call', address: '+43', verification: 'verified' },
  ],
};

const message = (step: number, contactId: string, dueS: number) =>
  ({ step, contactId, channel: 'text', dueAt: seconds(dueS) }) as const;

/** Anna was told at once; the steps at 300 and 900 s were called off. */
const KNOWN: AgeingFacts = {
  contact: ANNA,
  calledOff: [
    { round: 0, step: 1, dueAt: seconds(300) },
    { round: 0, step: 2, dueAt: seconds(900) },
  ],
  firstRound: [message(0, 'c-anna', 0), message(1, 'c-ben', 300), message(2, 'c-ida', 900)],
  round: 0,
  lastRound: 0,
};

const ACKNOWLEDGED: Partial<Incident> = {
  askAgainAfterS: HALF_AN_HOUR,
  acknowledgedAt: seconds(60),
  acknowledgedBy: 'Anna',
  acknowledgedVia: 'link',
  acknowledgedContactId: 'c-anna',
  escalationEndsAt: seconds(60),
  asksAgainAt: seconds(60 + HALF_AN_HOUR),
};

const own = (s: number, verb: Action['verb']): Action => ({
  ...at(s).trigger(),
  ...{ verb, actor: 'Anna', incidentId: 'open-1', contactId: 'c-anna' },
});

function life(
  actions: Action[],
  untilS: number,
  but: Partial<Incident> = {},
  known: Partial<AgeingFacts> | null = {},
  more: Partial<SourceFacts> = {},
) {
  const began = { ...ACKNOWLEDGED, ...but };
  const facts = known === null ? null : { ...KNOWN, ...known };
  const ageingOf = ({ askedAgain }: { askedAgain: number }) => (askedAgain === (began.askedAgain ?? 0) ? facts : null);
  const decision = decide(alarm({ ageingOf, ...more }), state({ incident: incident(began) }), actions, seconds(untilS));
  const told = decision.deliveries.map(({ planned }) => {
    return `${(planned.dueAt - seconds(0)) / 1_000} ${planned.round}.${planned.step} ${planned.contactId} ${planned.channel}`;
  });
  return { ...decision, told, now: decision.state.incident };
}

const ASKED_AT = 60 + HALF_AN_HOUR;

describe('DECISIONS.md "An acknowledgement ages"', () => {
  test('whoever acknowledged is asked again, and what was called off goes on 5 minutes later', () => {
    const { told, resumed, now, entries } = life([], ASKED_AT);
    expect(told).toEqual([`${ASKED_AT} 0.2000 c-anna text`, `${ASKED_AT} 0.2000 c-anna call`]);
    expect(resumed).toEqual([{ incidentId: 'open-1', at: seconds(ASKED_AT + 300) }]);
    expect(entries).toMatchObject([{ kind: 'asked_again', at: seconds(ASKED_AT), detail: 'Anna' }]);
    expect(now).toMatchObject({ acknowledgedAt: null, acknowledgedBy: null, outcome: 'alerting', askedAgain: 1 });
    expect(now).toMatchObject({ asksAgainAt: null, escalationEndsAt: seconds(ASKED_AT + 300 + 600) });
  });

  test('not a moment before', () => {
    expect(life([], ASKED_AT - 1)).toMatchObject({ told: [], resumed: [], now: ACKNOWLEDGED });
  });

  test('their answer is an acknowledgement as any other, and ages anew', () => {
    const { outcomes, now, cancellations } = life([own(ASKED_AT + 60, 'acknowledge')], ASKED_AT + 60);
    expect(outcomes).toMatchObject([{ outcome: 'acknowledged' }]);
    expect(cancellations).toMatchObject([{ at: seconds(ASKED_AT + 60), what: 'alerts' }]);
    expect(now).toMatchObject({ acknowledgedBy: 'Anna', asksAgainAt: seconds(ASKED_AT + 60 + HALF_AN_HOUR) });
  });

  test('where every step had gone, the policy begins anew, in another round', () => {
    const { told, resumed, now } = life([], ASKED_AT, {}, { calledOff: [], round: 2, lastRound: 2 });
    expect(told.slice(2)).toEqual([
      `${ASKED_AT + 300} 3.0 c-anna text`,
      `${ASKED_AT + 600} 3.1 c-ben text`,
      `${ASKED_AT + 1_200} 3.2 c-ida text`,
    ]);
    expect(resumed).toEqual([]);
    expect(now).toMatchObject({ escalationEndsAt: seconds(ASKED_AT + 1_200) });
  });

  test('it plans no more than its account may', () => {
    const most = { messagesMost: () => 2 };
    const { told } = life([], ASKED_AT, {}, { calledOff: [] }, most);
    expect(told.slice(2)).toEqual([`${ASKED_AT + 300} 1.0 c-anna text`, `${ASKED_AT + 600} 1.1 c-ben text`]);
  });

  test.each<[string, Partial<AgeingFacts>]>([
    ['in the console by somebody who is no contact', { contact: null }],
    ['by somebody whom nothing reaches any more', { contact: { ...ANNA, addresses: [], channels: [] } }],
  ])('acknowledged %s: the next step goes at once', (_who, known) => {
    const { told, resumed } = life([], ASKED_AT, {}, known);
    expect(told).toEqual([]);
    expect(resumed).toEqual([{ incidentId: 'open-1', at: seconds(ASKED_AT) }]);
  });

  test.each<[string, number, number]>([
    ['within 5 minutes, of whoever went to look', 359, ASKED_AT],
    ['after 5 minutes', 360, 360],
    ['after it was due', ASKED_AT + 1, ASKED_AT],
  ])('a further trigger %s', (_when, triggerS, asksS) => {
    const { entries } = life([at(triggerS).trigger()], ASKED_AT + 2);
    expect(entries[0]).toMatchObject({ kind: 'asked_again', at: seconds(asksS) });
  });

  test.each<[string, Partial<Incident>]>([
    ['for good', { askAgainAfterS: 0 }],
    ['in test', { environment: 'test' }],
    ['asked three times before', { askedAgain: 3 }],
  ])('an acknowledgement holds: %s', (_why, but) => {
    const nobody = { acknowledgedAt: null, acknowledgedBy: null, asksAgainAt: null };
    const { now, told } = life([own(70, 'acknowledge')], 23 * 3_600, { ...nobody, ...but });
    expect(now).toMatchObject({ acknowledgedBy: 'Anna', asksAgainAt: null });
    expect(told).toEqual([]);
  });

  test('closed meanwhile, nobody is asked', () => {
    const { told, resumed, now } = life([own(ASKED_AT - 1, 'close')], ASKED_AT + 1_000);
    expect([told, resumed, now]).toEqual([[], [], null]);
  });

  test('while nothing is known of its messages, it is decided another time', () => {
    const { told, now } = life([], ASKED_AT + 1_000, {}, null);
    expect([told, now]).toMatchObject([[], ACKNOWLEDGED]);
  });

  test('what stood still over it asks first, and counts as unanswered only once that was read anew', () => {
    const chancesOf: SourceFacts['chancesOf'] = ({ askedAgain }) => (askedAgain === 0 ? null : 'not_known');
    const { now, notices } = life([], ASKED_AT + 3_600, {}, {}, { chancesOf });
    expect(now).toMatchObject({ askedAgain: 1, outcome: 'alerting' });
    expect(notices).toEqual([]);
  });

  test('handed over after the question, in one go: what was called off stays off', () => {
    const ben = { ...ANNA, id: 'c-ben', name: 'Ben' };
    const { resumed } = life(
      [own(ASKED_AT + 60, 'acknowledge'), { ...own(ASKED_AT + 61, 'hand_over'), detail: 'c-ben' }],
      ASKED_AT + 62,
      {},
      {},
      { contactOf: () => ben },
    );
    expect(resumed).toEqual([]);
  });

  test('who does not answer: it counts as unanswered once the last step had its time', () => {
    const { notices } = life([], ASKED_AT + 300 + 600 + 300);
    expect(notices).toMatchObject([{ kind: 'exhausted', at: seconds(ASKED_AT + 300 + 600 + 300) }]);
  });
});

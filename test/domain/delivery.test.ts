import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  type AfterAttempt,
  ATTEMPT_TIMEOUT_S,
  type Attempt,
  type AttemptOutcome,
  afterAttempt,
  CHANNELS,
  type ChannelKind,
  leaseS,
  TRIED_ON_S,
} from '../../services/domain/delivery.ts';
import { standIn } from '../../services/domain/reach.ts';

const sent: AttemptOutcome = { kind: 'sent', providerRef: 'ref' };
const kept: AttemptOutcome = { kind: 'kept', reason: 'no carrier', message: 'the text' };
const temporary: AttemptOutcome = { kind: 'temporary_fault', reason: '421 later' };
const permanent: AttemptOutcome = { kind: 'permanent_fault', reason: '550 no' };
const delivered: AttemptOutcome = { kind: 'delivered', providerRef: 'ref', units: 2 };
const putOff: AttemptOutcome = { kind: 'put_off', reason: 'throttled', afterS: 90 };
const obstacle: AttemptOutcome = { kind: 'obstacle', reason: 'plan_required' };

/** An alert that is tried for the nth time at the moment for which it was planned. */
const alert = (nth: number): Attempt => ({ nth, kind: 'alert', sinceS: 0 });

const later = (retryAfterS: number, nextChannel: 'goes' | 'waits') =>
  ({ status: 'scheduled', retryAfterS, reason: '421 later', counts: 'tried', nextChannel }) as const;
const waits = (counts: 'not_tried' | 'asked_to_wait', retryAfterS = 90, nextChannel: 'goes' | 'waits' = 'waits') =>
  ({ status: 'scheduled', retryAfterS, reason: 'throttled', counts, nextChannel }) as const;

describe('DECISIONS.md "Delivery": what follows an attempt', () => {
  test.each<[AttemptOutcome, number, AfterAttempt]>([
    [sent, 1, { status: 'sent', providerRef: 'ref', units: 1 }],
    [sent, 4, { status: 'sent', providerRef: 'ref', units: 1 }],
    [delivered, 1, { status: 'delivered', providerRef: 'ref', units: 2 }],
    [putOff, 1, waits('not_tried')],
    [putOff, 9, waits('not_tried')],
    [{ ...putOff, kind: 'asked_to_wait', afterS: 10 }, 1, waits('asked_to_wait', 10)],
    [{ ...putOff, kind: 'asked_to_wait', afterS: 11 }, 1, waits('asked_to_wait', 11, 'goes')],
    [{ ...putOff, kind: 'asked_to_wait' }, 9, waits('asked_to_wait', 90, 'goes')],
    [obstacle, 1, { status: 'failed', reason: 'plan_required', counts: 'not_tried' }],
    [kept, 1, { status: 'no_carrier', reason: 'no carrier', message: 'the text' }],
    [temporary, 1, later(5, 'waits')],
    [temporary, 2, later(15, 'goes')],
    [temporary, 3, later(45, 'goes')],
    [temporary, 4, later(90, 'goes')],
    [temporary, 5, later(180, 'goes')],
    [{ ...temporary, carrier: 'away' }, 2, { ...later(15, 'goes'), carrier: 'away' }],
    [permanent, 1, { status: 'failed', reason: '550 no', counts: 'tried' }],
    [permanent, 3, { status: 'failed', reason: '550 no', counts: 'tried' }],
    [{ ...permanent, carrier: 'away' }, 1, { status: 'failed', reason: '550 no', counts: 'tried', carrier: 'away' }],
  ])('%j at attempt %i', (outcome, nth, after) => {
    expect(afterAttempt(outcome, alert(nth))).toEqual(after);
  });
});

describe('DECISIONS.md "A passing failure": tried on, ever more slowly, for a day', () => {
  /** The seconds after which it is tried, the first being 0, where each attempt meets a temporary fault at once. */
  function triedAt(kind: Attempt['kind']): number[] {
    const at = [0];
    for (;;) {
      const after = afterAttempt(temporary, { nth: at.length, kind, sinceS: at.at(-1)! });
      if (after.status !== 'scheduled') return at;
      at.push(at.at(-1)! + after.retryAfterS);
    }
  }

  test.each(['alert', 'notice'] as const)('%s: every quarter of an hour in the end, for 24 hours', kind => {
    const at = triedAt(kind);
    expect(at.slice(0, 10)).toEqual([0, 5, 20, 65, 155, 335, 695, 1415, 2315, 3215]);
    expect(at.at(-1)).toBeLessThanOrEqual(24 * 3600);
    expect(at.at(-1)).toBeGreaterThan(24 * 3600 - 900);
    expect(at.length).toBeLessThan(110);
  });

  test.each(['acknowledged', 'still_happening'] as const)('%s: for a quarter of an hour, as it is news', kind => {
    expect(triedAt(kind)).toEqual([0, 5, 20, 65, 155, 335, 695]);
  });

  test('the page for owners says the same', () => {
    const page = readFileSync(new URL('../../facade/docs/people.md', import.meta.url), 'utf8');
    const pauses = triedAt('alert').map((at, nth, all) => at - (all[nth - 1] ?? at));
    const [longest] = pauses.slice(-1);
    const growing = pauses.slice(1, pauses.indexOf(longest!));
    const said = `After ${growing.slice(0, -1).join(', ')} and ${growing.at(-1)} s, then every ${longest} s, for 24 h`;
    expect(page).toContain(said);
    expect(page).toContain(`Failed after ${triedAt('alert').length} tries`);
    expect(page).toContain(`tried on for ${TRIED_ON_S.acknowledged / 60} minutes`);
  });

  test('however late it was first tried, it has its first four attempts', () => {
    for (const nth of [1, 2, 3])
      expect(afterAttempt(temporary, { nth, kind: 'alert', sinceS: 10 ** 6 })).toMatchObject({ status: 'scheduled' });
    expect(afterAttempt(temporary, { nth: 4, kind: 'alert', sinceS: 10 ** 6 })).toMatchObject({ status: 'failed' });
  });

  test('the pauses stay bounded however often it is tried', () => {
    expect(afterAttempt(temporary, { nth: 5_000, kind: 'alert', sinceS: 0 })).toMatchObject({ retryAfterS: 900 });
  });

  test.each(CHANNELS)('another worker waits for longer than an attempt over %s may take', channel => {
    expect(leaseS(channel)).toBeGreaterThan(ATTEMPT_TIMEOUT_S[channel]);
  });
});

describe('DECISIONS.md "A send fails for good": the contact’s first other usable channel that this step has not used', () => {
  test.each<[usable: ChannelKind[], used: ChannelKind[], next: ChannelKind | null]>([
    [['text', 'call', 'email'], ['text'], 'call'],
    [['email', 'text', 'call'], ['text'], 'email'],
    [['text', 'call', 'email'], ['text', 'call'], 'email'],
    [['text', 'call'], ['text', 'call'], null],
    [['text'], ['text'], null],
    [[], ['text'], null],
    [['call'], ['text'], 'call'],
  ])('usable %j, used %j: %s', (usable, used, next) => {
    const contact = { addresses: usable.map(channel => ({ channel, address: 'somewhere' })) };
    const means = { account: { plan: 'paid' as const, trialEndsAt: 0 }, carriers: CHANNELS };
    expect(standIn(contact, used, means, 0)).toBe(next);
  });
});

test('DECISIONS.md "Contact": the channels', () => {
  expect(CHANNELS).toEqual(['text', 'call', 'email', 'push', 'chat', 'webhook']);
});

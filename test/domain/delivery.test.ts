import { describe, expect, test } from 'vitest';
import {
  type AfterAttempt,
  ATTEMPT_TIMEOUT_S,
  type AttemptOutcome,
  afterAttempt,
  CHANNELS,
  type ChannelKind,
  failoverChannel,
  leaseS,
  RETRY_AFTER_S,
} from '../../services/domain/delivery.ts';

const sent: AttemptOutcome = { kind: 'sent', providerRef: 'ref' };
const kept: AttemptOutcome = { kind: 'kept', reason: 'no carrier', message: 'the text' };
const temporary: AttemptOutcome = { kind: 'temporary_fault', reason: '421 later' };
const permanent: AttemptOutcome = { kind: 'permanent_fault', reason: '550 no' };
const delivered: AttemptOutcome = { kind: 'delivered', providerRef: 'ref', units: 2 };
const putOff: AttemptOutcome = { kind: 'put_off', reason: 'throttled', afterS: 90 };
const obstacle: AttemptOutcome = { kind: 'obstacle', reason: 'plan_required' };

describe('DECISIONS.md "Delivery": what follows an attempt', () => {
  test.each<[AttemptOutcome, number, AfterAttempt]>([
    [sent, 1, { status: 'sent', providerRef: 'ref', units: 1 }],
    [sent, 4, { status: 'sent', providerRef: 'ref', units: 1 }],
    [delivered, 1, { status: 'delivered', providerRef: 'ref', units: 2 }],
    [putOff, 1, { status: 'scheduled', retryAfterS: 90, reason: 'throttled', counts: 'not_tried' }],
    [putOff, 9, { status: 'scheduled', retryAfterS: 90, reason: 'throttled', counts: 'not_tried' }],
    [obstacle, 1, { status: 'failed', reason: 'plan_required', counts: 'not_tried' }],
    [kept, 1, { status: 'no_carrier', reason: 'no carrier', message: 'the text' }],
    [temporary, 1, { status: 'scheduled', retryAfterS: 5, reason: '421 later', counts: 'tried' }],
    [temporary, 2, { status: 'scheduled', retryAfterS: 15, reason: '421 later', counts: 'tried' }],
    [temporary, 3, { status: 'scheduled', retryAfterS: 45, reason: '421 later', counts: 'tried' }],
    [temporary, 4, { status: 'failed', reason: '421 later', counts: 'tried' }],
    [temporary, 5, { status: 'failed', reason: '421 later', counts: 'tried' }],
    [permanent, 1, { status: 'failed', reason: '550 no', counts: 'tried' }],
    [permanent, 3, { status: 'failed', reason: '550 no', counts: 'tried' }],
  ])('$kind at attempt %i', (outcome, attempt, after) => {
    expect(afterAttempt(outcome, attempt)).toEqual(after);
  });

  test('a temporary fault is tried again after 5, 15 and 45 s', () => {
    expect(RETRY_AFTER_S).toEqual([5, 15, 45]);
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
    expect(failoverChannel(usable, used)).toBe(next);
  });
});

test('DECISIONS.md "Contact": the channels', () => {
  expect(CHANNELS).toEqual(['text', 'call', 'email', 'push', 'webhook']);
});

import { describe, expect, test } from 'vitest';
import {
  type AfterAttempt,
  type AttemptOutcome,
  afterAttempt,
  CHANNELS,
  type ChannelKind,
  failoverChannel,
  LEASE_S,
  RETRY_AFTER_S,
} from '../../services/domain/delivery.ts';

const sent: AttemptOutcome = { kind: 'sent', providerRef: 'ref' };
const kept: AttemptOutcome = { kind: 'kept', reason: 'no carrier', message: 'the text' };
const temporary: AttemptOutcome = { kind: 'temporary_fault', reason: '421 later' };
const permanent: AttemptOutcome = { kind: 'permanent_fault', reason: '550 no' };

describe('DECISIONS.md "Delivery": what follows an attempt', () => {
  test.each<[AttemptOutcome, number, AfterAttempt]>([
    [sent, 1, { status: 'sent', providerRef: 'ref' }],
    [sent, 4, { status: 'sent', providerRef: 'ref' }],
    [kept, 1, { status: 'outbox', reason: 'no carrier', message: 'the text' }],
    [temporary, 1, { status: 'scheduled', retryAfterS: 5, reason: '421 later' }],
    [temporary, 2, { status: 'scheduled', retryAfterS: 15, reason: '421 later' }],
    [temporary, 3, { status: 'scheduled', retryAfterS: 45, reason: '421 later' }],
    [temporary, 4, { status: 'failed', reason: '421 later' }],
    [temporary, 5, { status: 'failed', reason: '421 later' }],
    [permanent, 1, { status: 'failed', reason: '550 no' }],
    [permanent, 3, { status: 'failed', reason: '550 no' }],
  ])('$kind at attempt %i', (outcome, attempt, after) => {
    expect(afterAttempt(outcome, attempt)).toEqual(after);
  });

  test('a temporary fault is tried again after 5, 15 and 45 s', () => {
    expect(RETRY_AFTER_S).toEqual([5, 15, 45]);
  });

  test('another worker waits for longer than any attempt takes (30 s)', () => {
    expect(LEASE_S).toBeGreaterThan(30);
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

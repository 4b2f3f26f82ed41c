import { describe, expect, test } from 'vitest';
import type { DeliveryStatus } from '../../services/domain/delivery.ts';
import {
  afterNews,
  type CarrierReport,
  type Progressing,
  type ReportedAttempt,
} from '../../services/domain/progress.ts';

const ARRIVED: CarrierReport = { kind: 'arrived' };
const BUSY: CarrierReport = { kind: 'fault', lasts: 'temporary', reason: 'busy' };
const INVALID: CarrierReport = { kind: 'fault', lasts: 'permanent', reason: 'invalid number' };

const delivery = (status: DeliveryStatus, more: Partial<Progressing> = {}): Progressing => ({
  status,
  providerRef: null,
  attempt: 1,
  tries: status === 'sending' ? 0 : 1,
  kind: 'alert',
  plannedAt: 0,
  now: 0,
  incident: 'waited_for',
  ...more,
});
const told = (attempt: number, providerRef: string | null = 'SM1'): ReportedAttempt => ({ attempt, providerRef });
const delivered = { kind: 'delivered' };
const failed = { kind: 'failed', reason: 'invalid number' };
const retry = { kind: 'retry', retryAfterS: 5, reason: 'busy', nextChannel: 'waits' };
const nothing = (because: string) => ({ kind: 'nothing', because });

describe('what a carrier tells of a message afterwards (DECISIONS.md "Delivery")', () => {
  test.each<[DeliveryStatus, CarrierReport, object]>([
    ['sending', ARRIVED, delivered],
    ['sending', BUSY, retry],
    ['sending', INVALID, failed],
    ['sent', ARRIVED, delivered],
    ['sent', BUSY, retry],
    ['sent', INVALID, failed],
    ['scheduled', ARRIVED, delivered],
    ['scheduled', BUSY, nothing('replayed')],
    ['scheduled', INVALID, failed],
    ['delivered', ARRIVED, nothing('replayed')],
    ['delivered', BUSY, nothing('settled')],
    ['delivered', INVALID, nothing('settled')],
    ['failed', ARRIVED, nothing('settled')],
    ['failed', BUSY, nothing('replayed')],
    ['failed', INVALID, nothing('replayed')],
    ...(['cancelled', 'no_carrier', 'suppressed'] as const).flatMap(status =>
      [ARRIVED, BUSY, INVALID].map((news): [DeliveryStatus, CarrierReport, object] => [
        status,
        news,
        nothing('settled'),
      ]),
    ),
  ])('%s and %j', (status, news, after) => {
    expect(afterNews(news, told(1), delivery(status))).toEqual(after);
  });

  test.each<DeliveryStatus>([
    'sending',
    'sent',
    'scheduled',
    'delivered',
    'failed',
  ])('news of an attempt that another one has followed changes nothing: %s', status => {
    for (const news of [ARRIVED, BUSY, INVALID]) {
      expect(afterNews(news, told(1), delivery(status, { attempt: 2 }))).toEqual(nothing('stale_attempt'));
      expect(afterNews(news, told(3), delivery(status, { attempt: 2 }))).toEqual(nothing('stale_attempt'));
    }
  });

  test.each<[DeliveryStatus, CarrierReport, object]>([
    ['sent', ARRIVED, delivered],
    ['sent', BUSY, { ...retry, retryAfterS: 15, nextChannel: 'goes' }],
    ['sent', INVALID, failed],
    ['scheduled', BUSY, nothing('replayed')],
    ['delivered', ARRIVED, nothing('replayed')],
    ['failed', INVALID, nothing('replayed')],
    // What is recorded is of an attempt before the one that is under way.
    ['sending', ARRIVED, nothing('stale_attempt')],
    ['sending', BUSY, nothing('stale_attempt')],
  ])('news of an earlier attempt whose message the last one took over counts: %s and %j', (status, news, after) => {
    const takenOver = delivery(status, { attempt: 2, tries: 2, providerRef: 'SM1' });
    expect(afterNews(news, told(1), takenOver)).toEqual(after);
    expect(afterNews(news, told(1, 'SM2'), takenOver)).toEqual(nothing('stale_attempt'));
    expect(afterNews(news, told(1, null), { ...takenOver, providerRef: null })).toEqual(nothing('stale_attempt'));
    expect(afterNews(news, told(3), takenOver)).toEqual(nothing('stale_attempt'));
  });

  test('a temporary fault is tried on, whichever side records the attempt first, and from the second on beside another channel', () => {
    const DAY = 24 * 3600 * 1000;
    const afterTry = (status: DeliveryStatus, tries: number, now = 0) =>
      afterNews(BUSY, told(1), delivery(status, { tries, now }));
    for (const [at, retryAfterS] of [5, 15, 45, 90, 180].entries()) {
      const after = { ...retry, retryAfterS, nextChannel: at === 0 ? 'waits' : 'goes' };
      expect(afterTry('sent', at + 1)).toEqual(after);
      expect(afterTry('sending', at)).toEqual(after);
    }
    expect(afterTry('sent', 4, DAY)).toEqual({ kind: 'failed', reason: 'busy' });
    expect(afterTry('sending', 3, DAY)).toEqual({ kind: 'failed', reason: 'busy' });
  });

  test('nobody is tried again once the incident is over', () => {
    expect(afterNews(BUSY, told(1), delivery('sent', { incident: 'over' }))).toEqual({
      kind: 'cancelled',
      reason: 'busy',
    });
    expect(afterNews(ARRIVED, told(1), delivery('sent', { incident: 'over' }))).toEqual(delivered);
  });
});

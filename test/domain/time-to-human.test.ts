import { describe, expect, test } from 'vitest';
import { type TimedMessage, timeToHuman } from '../../services/domain/time-to-human.ts';
import { START, seconds } from '../support/decide.ts';

const incident = { openedAt: START, appliedAt: seconds(0.01), acknowledgedAt: null };

function message(but: Partial<TimedMessage>): TimedMessage {
  return { kind: 'alert', status: 'sent', firstAttemptAt: null, sentAt: null, deliveredAt: null, ...but };
}

describe('how long it took to a person', () => {
  test('the first of each moment counts, whichever message it was', () => {
    const moments = timeToHuman({ ...incident, acknowledgedAt: seconds(60) }, [
      message({ firstAttemptAt: seconds(2), sentAt: seconds(3), deliveredAt: seconds(30) }),
      message({ firstAttemptAt: seconds(1), sentAt: seconds(20), status: 'failed' }),
      message({ firstAttemptAt: seconds(5), sentAt: seconds(6), deliveredAt: seconds(7), status: 'delivered' }),
    ]);
    expect(moments).toEqual({
      acceptedAt: START,
      appliedAt: seconds(0.01),
      firstAttemptAt: seconds(1),
      firstSentAt: seconds(3),
      firstDeliveredAt: seconds(7),
      acknowledgedAt: seconds(60),
    });
  });

  test.each<[string, TimedMessage[]]>([
    ['there are none', []],
    ['none was tried', [message({ status: 'scheduled' }), message({ status: 'suppressed' })]],
    ['no carrier got them', [message({ status: 'no_carrier', firstAttemptAt: seconds(1) })]],
    [
      'they told that somebody has it',
      [message({ kind: 'acknowledged', firstAttemptAt: seconds(1), sentAt: seconds(1), deliveredAt: seconds(1) })],
    ],
    ['they told that it goes on', [message({ kind: 'still_happening', firstAttemptAt: seconds(1) })]],
  ])('messages do not count where %s', (_case, messages) => {
    expect(timeToHuman(incident, messages)).toMatchObject({
      firstAttemptAt: null,
      firstSentAt: null,
      firstDeliveredAt: null,
      acknowledgedAt: null,
    });
  });
});

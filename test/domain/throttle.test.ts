import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import { THROTTLE, type ThrottleFacts, throttle } from '../../services/domain/throttle.ts';

const NOW = Date.UTC(2026, 0, 1);
const secondsAgo = (s: number) => NOW - s * 1000;

describe('per-contact throttle: repeats may wait, the first message of an incident never does', () => {
  const facts: ThrottleFacts = {
    kind: 'alert',
    channel: 'text',
    place: 'repeat',
    nthRecentAt: secondsAgo(100),
    now: NOW,
  };

  test.each<[string, Partial<ThrottleFacts>, ReturnType<typeof throttle>]>([
    ['a repeat, when there were too many', {}, { waitsS: 800 }],
    [
      'a repeat, when the oldest of them leaves the window in a moment',
      { nthRecentAt: secondsAgo(899.5) },
      { waitsS: 1 },
    ],
    ['a repeat, when there is room', { nthRecentAt: null }, 'goes'],
    ['a repeat, when the oldest of them has left the window', { nthRecentAt: secondsAgo(900) }, 'goes'],
    ['the first message of an incident', { place: 'first_of_incident' }, 'goes'],
    ['that somebody has it', { kind: 'taken' }, 'goes'],
    ['that it is still happening', { kind: 'still_happening' }, { waitsS: 800 }],
  ])('%s', (_what, but, expected) => {
    expect(throttle({ ...facts, ...but })).toEqual(expected);
  });

  test.each(CHANNELS)('%s lets at least three through', channel => {
    expect(THROTTLE[channel].most).toBeGreaterThanOrEqual(3);
  });
});

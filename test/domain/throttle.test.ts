import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import { THROTTLE, type ThrottleFacts, throttle } from '../../services/domain/throttle.ts';

const NOW = Date.UTC(2026, 0, 1);
const secondsAgo = (s: number) => NOW - s * 1000;
/** The five newest messages, the fifth of them so many seconds ago. */
const fifth = (s: number) => [4, 3, 2, 1, 0].map(later => secondsAgo(s - later));

/** Times of so many messages: the newest so many seconds ago, and all others as long ago as the oldest. */
const lately = (messages: number, newestS: number, oldestS = newestS) => [
  secondsAgo(newestS),
  ...Array<number>(messages - 1).fill(secondsAgo(oldestS)),
];
const panic = { sourceKind: 'panic_button', place: 'first_of_incident' } as const;

describe('DECISIONS.md "Throttle of repeats": repeats may wait, the first message of an incident only where its alarm flaps', () => {
  const facts: ThrottleFacts = {
    kind: 'alert',
    channel: 'text',
    sourceKind: 'alarm',
    place: 'repeat',
    alarm: 'calm',
    openedAt: secondsAgo(10),
    recentAt: fifth(100),
    underWay: 0,
    now: NOW,
  };

  test.each<[string, Partial<ThrottleFacts>, ReturnType<typeof throttle>]>([
    ['a repeat, when there were too many', {}, { waitsS: 800 }],
    ['a repeat, when the oldest of them leaves the window in a moment', { recentAt: fifth(899.5) }, { waitsS: 1 }],
    ['a repeat, when there is room', { recentAt: [] }, 'goes'],
    ['a repeat, when the oldest of them has left the window', { recentAt: fifth(900) }, 'goes'],
    [
      'a repeat, when one of those that fill the window is under way',
      { recentAt: fifth(100).slice(0, 4), underWay: 1 },
      { waitsS: 801 },
    ],
    ['a repeat, when those under way leave no room', { recentAt: [], underWay: 5 }, { waitsS: 900 }],
    ['a repeat, when those under way leave room', { recentAt: [], underWay: 4 }, 'goes'],
    ['the first message of an incident', { place: 'first_of_incident' }, 'goes'],
    [
      'the first message of an incident of an alarm that flaps, until it has stood for 30 s',
      { place: 'first_of_incident', alarm: 'flapping' },
      { waitsS: 20 },
    ],
    [
      'that message, when there is room sooner',
      { place: 'first_of_incident', alarm: 'flapping', recentAt: fifth(895) },
      { waitsS: 5 },
    ],
    [
      'that message, once the incident has stood for 30 s',
      { place: 'first_of_incident', alarm: 'flapping', openedAt: secondsAgo(30) },
      'goes',
    ],
    ['that message, when there is room', { place: 'first_of_incident', alarm: 'flapping', recentAt: [] }, 'goes'],
    [
      'a repeat of an alarm that flaps, however long it stands',
      { alarm: 'flapping', openedAt: secondsAgo(60) },
      { waitsS: 800 },
    ],
    ['that somebody has it, though the alarm flaps', { kind: 'acknowledged', alarm: 'flapping' }, 'goes'],
    ['that somebody has it', { kind: 'acknowledged' }, 'goes'],
    ['of a panic button, when ten went within ten minutes', { ...panic, recentAt: lately(10, 30) }, { waitsS: 30 }],
    [
      'of a panic button, when the tenth leaves them sooner',
      { ...panic, recentAt: lately(10, 30, 590) },
      { waitsS: 10 },
    ],
    ['of a panic button, a minute after the last one', { ...panic, recentAt: lately(10, 60) }, 'goes'],
    ['of a panic button, when nine went', { ...panic, recentAt: lately(9, 0) }, 'goes'],
    ['of a panic button, with the tenth under way', { ...panic, recentAt: lately(9, 30), underWay: 1 }, { waitsS: 60 }],
    ['a repeat of a panic button, when nine went', { ...panic, place: 'repeat', recentAt: lately(9, 0) }, 'goes'],
    ['that somebody has it, of a panic button', { ...panic, kind: 'acknowledged', recentAt: lately(10, 0) }, 'goes'],
    ['that it is still happening', { kind: 'still_happening' }, { waitsS: 800 }],
  ])('%s', (_what, but, expected) => {
    expect(throttle({ ...facts, ...but })).toEqual(expected);
  });

  test.each(CHANNELS)('%s lets at least three through', channel => {
    expect(THROTTLE[channel].most).toBeGreaterThanOrEqual(3);
  });
});

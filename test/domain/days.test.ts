import { describe, expect, test } from 'vitest';
import { coveredOn, DAYS, knownOf, lastDays, stoodOn } from '../../services/domain/days.ts';

const at = (text: string) => Date.parse(text);
const HOUR_MS = 3_600_000;

describe('DECISIONS.md "Days of a source": days', () => {
  test.each([
    {
      what: 'clocks go forward',
      now: '2026-04-10T10:00:00Z',
      day: '2026-03-29',
      hours: 23,
      begins: '2026-03-28T23:00:00Z',
    },
    {
      what: 'clocks go back',
      now: '2026-11-05T10:00:00Z',
      day: '2026-10-25',
      hours: 25,
      begins: '2026-10-24T22:00:00Z',
    },
    { what: 'clocks stay', now: '2026-11-05T10:00:00Z', day: '2026-10-26', hours: 24, begins: '2026-10-25T23:00:00Z' },
  ])('a day in Berlin on which $what has $hours hours', ({ now, day, hours, begins }) => {
    const days = lastDays('Europe/Berlin', at(now));
    expect(days).toHaveLength(DAYS);
    const nth = days.findIndex(one => one.day === day);
    expect(days[nth]).toEqual({ day, from: at(begins), to: at(begins) + hours * HOUR_MS });
    // None is missing and none overlaps.
    expect(days.slice(1).map(({ from }) => from)).toEqual(days.slice(0, -1).map(({ to }) => to));
  });

  test('today is the last, by the clocks of the account, and ends now', () => {
    const now = at('2026-11-05T23:30:00Z');
    expect(lastDays('Europe/Berlin', now).at(-1)).toEqual({
      day: '2026-11-06',
      from: at('2026-11-05T23:00:00Z'),
      to: now,
    });
    expect(lastDays('America/Los_Angeles', now).at(-1)!.day).toBe('2026-11-05');
  });

  test('what was before the alarm, or is no longer kept, is not known: never nothing', () => {
    const span = { day: '2026-11-05', from: 1_000, to: 2_000 };
    const of = (createdAt: number | null, keptFrom: number) => knownOf(span, { createdAt, keptFrom });
    expect(of(500, 0)).toEqual({ known: 'whole', since: 1_000 });
    expect(of(null, 0)).toEqual({ known: 'whole', since: 1_000 });
    expect(of(1_400, 0)).toEqual({ known: 'part', since: 1_400 });
    expect(of(2_000, 0)).toEqual({ known: 'before', since: 2_000 });
    expect(of(null, 1_500)).toEqual({ known: 'part', since: 1_500 });
    expect(of(null, 2_500)).toEqual({ known: 'removed', since: 2_000 });
  });
});

describe('DECISIONS.md "Days of a source": how it stood', () => {
  const days = [0, 1, 2].map(nth => ({ day: `d${nth}`, from: nth * 100, to: nth * 100 + 100, since: nth * 100 }));
  const none = { changes: [], lookedTo: null };
  type Days = Parameters<typeof stoodOn>[0];
  const read = (...of: Days[number]['changes'][]): Days[number][] =>
    days.map((day, nth) => ({ ...day, changes: of[nth] ?? [], lookedTo: null }));

  test('it is carried from day to day', () => {
    const changes = read([{ at: 40, to: 'night' }], [], [{ at: 250, to: 'disarmed' }]);
    expect(stoodOn(changes, { before: 'away', now: 'disarmed' })).toEqual([
      [
        { mode: 'away', ms: 40 },
        { mode: 'night', ms: 60 },
      ],
      [{ mode: 'night', ms: 100 }],
      [
        { mode: 'night', ms: 50 },
        { mode: 'disarmed', ms: 50 },
      ],
    ]);
  });

  test('where nothing changed, it stood as it stands, and where something did, nobody knows what was before', () => {
    const still = days.map(day => ({ ...day, ...none }));
    expect(stoodOn(still, { before: '', now: 'away' }).flat()).toEqual(days.map(() => ({ mode: 'away', ms: 100 })));
    const changed = read([], [{ at: 130, to: 'home' }]);
    expect(stoodOn(changed, { before: '', now: 'home' })[0]).toEqual([{ mode: '', ms: 100 }]);
    expect(stoodOn(changed, { before: '', now: 'home' })[2]).toEqual([{ mode: 'home', ms: 100 }]);
  });

  test('after more calls than are looked at, it is not known until it is set again', () => {
    const many = read([{ at: 10, to: 'away' }], [], [{ at: 220, to: 'disarmed' }]).with(0, {
      ...days[0]!,
      changes: [{ at: 10, to: 'away' }],
      lookedTo: 30,
    });
    expect(stoodOn(many, { before: 'disarmed', now: 'disarmed' })).toEqual([
      [
        { mode: 'disarmed', ms: 10 },
        { mode: 'away', ms: 20 },
        { mode: '', ms: 70 },
      ],
      [{ mode: '', ms: 100 }],
      [
        { mode: '', ms: 20 },
        { mode: 'disarmed', ms: 80 },
      ],
    ]);
  });

  test('what overlaps is silent once', () => {
    const day = days[1]!;
    const spans = [
      { from: 50, to: 120 },
      { from: 110, to: 130 },
      { from: 190, to: 300 },
      { from: 0, to: 20 },
    ];
    expect(coveredOn(day, spans)).toBe(40);
  });
});

import { expect, test } from 'vitest';
import { dayIn, daysAfter, endOfDayIn, momentIn, shownIn } from '../../../facade/console/page/parts/days.ts';

test.each([
  ['UTC', '2026-11-25', '2026-11-25T23:59:59.000Z'],
  ['Europe/Vienna', '2026-11-25', '2026-11-25T22:59:59.000Z'],
  ['America/Los_Angeles', '2026-11-25', '2026-11-26T07:59:59.000Z'],
  ['Pacific/Kiritimati', '2026-11-25', '2026-11-25T09:59:59.000Z'],
  // Both nights of a clock change.
  ['Europe/Vienna', '2026-03-29', '2026-03-29T21:59:59.000Z'],
  ['Europe/Vienna', '2026-10-25', '2026-10-25T22:59:59.000Z'],
  // The clocks go back at midnight: that day's last second comes twice.
  ['America/Havana', '2026-10-31', '2026-11-01T03:59:59.000Z'],
])('in %s, %s ends at %s', (zone, day, end) => {
  expect(endOfDayIn(day, zone).toISOString()).toBe(end);
  expect(dayIn(new Date(end), zone)).toBe(day);
});

test.each([
  ['Europe/Vienna', '2026-11-28T08:00', '2026-11-28T07:00:00.000Z'],
  ['America/Los_Angeles', '2026-11-28T00:00', '2026-11-28T08:00:00.000Z'],
  ['Europe/Vienna', '2026-03-29T03:00', '2026-03-29T01:00:00.000Z'],
  ['Europe/Vienna', '2026-10-25T00:00', '2026-10-24T22:00:00.000Z'],
])('in %s, clocks show %s at %s', (zone, shown, at) => {
  expect(momentIn(shown, zone).toISOString()).toBe(at);
  expect(shownIn(new Date(at), zone)).toBe(shown);
});

test('days follow one another over months, years and changes of the clocks', () => {
  expect(daysAfter('2026-12-30', 3)).toBe('2027-01-02');
  expect(daysAfter('2026-10-24', 2)).toBe('2026-10-26');
  expect(daysAfter('2026-03-01', -1)).toBe('2026-02-28');
});

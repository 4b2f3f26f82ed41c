import { expect, test } from 'vitest';
import { dayIn, endOfDayIn } from '../../../facade/console/page/keys/last-day.ts';

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

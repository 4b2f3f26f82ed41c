import { expect, test } from 'vitest';
import { daysOf, daysText, NO_DAY, runsOf, WEEKDAYS, weekdayOf } from '../../../facade/console/page/duties/weekdays.ts';
import { WEEKDAYS as DAYS_OF_DUTIES, daysFrom } from '../../../services/domain/duty.ts';

/** All sets of days of the week but the empty one. */
const SETS = Array.from({ length: 127 }, (_, set) => WEEKDAYS.filter((_, day) => ((set + 1) >> day) & 1));

test('the page and the services read the same days in every text that the page writes', () => {
  expect(WEEKDAYS).toEqual(DAYS_OF_DUTIES);
  for (const days of SETS) {
    const text = daysText(days);
    expect(
      daysFrom(text)?.map(day => WEEKDAYS[day]),
      text,
    ).toEqual(days);
    expect(daysOf(text), text).toEqual(days);
  }
  expect(daysFrom(daysText([])), NO_DAY).toBeNull();
});

test.each([
  'fri-mon',
  'sat, sun',
  'mon-wed,fri',
  'sun-sun',
  '',
])('reads what others wrote as the services do: %j', text => {
  expect(daysOf(text)).toEqual(daysFrom(text)?.map(day => WEEKDAYS[day]));
});

test('says days in a row by the first and the last', () => {
  expect(runsOf(['sun', 'mon', 'tue', 'fri'])).toEqual([
    ['mon', 'tue'],
    ['fri', 'fri'],
    ['sun', 'sun'],
  ]);
});

test.each([
  ['2026-11-27', 'fri'],
  ['2027-02-28', 'sun'],
  ['2028-02-29', 'tue'],
])('%s is a %s', (day, weekday) => {
  expect(weekdayOf(day)).toBe(weekday);
});

import { describe, expect, test } from 'vitest';
import { type TestSwitch, testEnd } from '../../services/domain/test-end.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const LIVE: TestSwitch = { test: false, until: null };
const NOT_LIVE_YET: TestSwitch = { test: true, until: null };
const until = (at: number): TestSwitch => ({ test: true, until: at });

describe('when a test ends', () => {
  test.each<[string, TestSwitch | null, TestSwitch, ReturnType<typeof testEnd>]>([
    ['what is new and live has no test', null, LIVE, null],
    ['what is new stays in test until its owner lets it go live', null, NOT_LIVE_YET, null],
    ['what is new may be given an end', null, until(NOW + HOUR), NOW + HOUR],
    ['what was live and is put in test stays so for a day', LIVE, NOT_LIVE_YET, NOW + DAY],
    ['or until the end that is chosen', LIVE, until(NOW + HOUR), NOW + HOUR],
    ['a week at most', LIVE, until(NOW + 7 * DAY), NOW + 7 * DAY],
    ['by a clock that is a little ahead', LIVE, until(NOW + 7 * DAY + 60_000), NOW + 7 * DAY + 60_000],
    ['more is too far', LIVE, until(NOW + 8 * DAY), 'too_far'],
    ['now has passed', LIVE, until(NOW), 'passed'],
    ['what is not live yet stays so', NOT_LIVE_YET, NOT_LIVE_YET, null],
    ['what is not live yet may be given an end', NOT_LIVE_YET, until(NOW + HOUR), NOW + HOUR],
    ['an end stays where another change says nothing of it', until(NOW + HOUR), NOT_LIVE_YET, NOW + HOUR],
    ['an end may be moved', until(NOW + HOUR), until(NOW + DAY), NOW + DAY],
    ['one that has just passed is left to whoever ends it', until(NOW - 1), until(NOW - 1), NOW - 1],
    ['going live ends it', until(NOW + HOUR), { test: false, until: NOW + HOUR }, null],
  ])('%s', (_what, before, after, end) => {
    expect(testEnd(before, after, NOW)).toBe(end);
  });
});

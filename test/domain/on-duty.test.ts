import { describe, expect, test } from 'vitest';
import { onDuty } from '../../services/domain/on-duty.ts';
import { DAY_MS, duty, except, HOUR_MS, hours, turns, untilAt, whoAt } from './duty-rig.ts';

const SHOP = duty({
  hours: [
    hours({ days: 'mon-fri', from: '08:00', to: '18:00', who: ['anna'] }),
    hours({ days: 'sat-sun', who: turns('noah', 'mia', 'lea') }),
  ],
  except: [except({ from: '2026-12-24', to: '2026-12-27', who: ['mia'], note: 'Christmas' })],
});

describe('hours', () => {
  test.each([
    ['2026-12-01T08:00+01:00', 'anna'],
    ['2026-12-01T17:59:59.999+01:00', 'anna'],
    ['2026-12-01T18:00+01:00', 'owner'],
    ['2026-12-01T07:59+01:00', 'owner'],
    // Saturday, in the first turn and before it.
    ['2026-11-28T08:00+01:00', 'noah'],
    ['2026-11-28T07:59+01:00', 'lea'],
    ['2026-11-29T23:59+01:00', 'noah'],
    ['2026-12-05T07:59+01:00', 'noah'],
    ['2026-12-05T08:00+01:00', 'mia'],
    ['2026-12-12T12:00+01:00', 'lea'],
    ['2026-12-19T12:00+01:00', 'noah'],
    // Christmas, to the end of its last day.
    ['2026-12-23T23:59+01:00', 'owner'],
    ['2026-12-24T00:00+01:00', 'mia'],
    ['2026-12-27T23:59+01:00', 'mia'],
    ['2026-12-28T00:00+01:00', 'owner'],
  ])('at %s it is %s', (at, who) => {
    expect(whoAt(SHOP, at)).toBe(who);
  });

  test('it says until when the answer holds', () => {
    expect(untilAt(SHOP, '2026-12-01T12:00+01:00')).toBe('2026-12-01T17:00:00.000Z');
    expect(untilAt(SHOP, '2026-12-04T20:00+01:00')).toBe('2026-12-04T23:00:00.000Z');
    expect(untilAt(SHOP, '2026-12-05T09:00+01:00')).toBe('2026-12-06T23:00:00.000Z');
    expect(untilAt(SHOP, '2026-12-23T20:00+01:00')).toBe('2026-12-23T23:00:00.000Z');
    expect(untilAt(SHOP, '2026-12-25T20:00+01:00')).toBe('2026-12-27T23:00:00.000Z');
    expect(untilAt(duty(), '2026-12-25T20:00+01:00')).toBeNull();
    expect(untilAt(duty({ except: [except({ to: '2026-12-24' })] }), '2026-12-25T20:00+01:00')).toBeNull();
  });

  test('it says why', () => {
    const because = (at: string) => onDuty(SHOP, Date.parse(at)).because;
    expect(because('2026-12-01T12:00+01:00')).toEqual({ rule: 'hours', at: 0 });
    expect(because('2026-12-05T12:00+01:00')).toEqual({ rule: 'turns', at: 1 });
    expect(because('2026-12-01T20:00+01:00')).toEqual({ rule: 'otherwise' });
    expect(because('2026-12-24T20:00+01:00')).toEqual({ rule: 'except', at: 0, note: 'Christmas' });
  });

  test('across midnight they belong to the day on which they began', () => {
    const night = duty({ hours: [hours({ days: 'fri', from: '22:00', to: '06:00', who: ['noah'] })] });
    expect(whoAt(night, '2026-12-04T21:59+01:00')).toBe('owner');
    expect(whoAt(night, '2026-12-04T22:00+01:00')).toBe('noah');
    expect(whoAt(night, '2026-12-05T05:59+01:00')).toBe('noah');
    expect(whoAt(night, '2026-12-05T06:00+01:00')).toBe('owner');
    expect(whoAt(night, '2026-12-04T05:00+01:00')).toBe('owner');
    expect(untilAt(night, '2026-12-04T23:00+01:00')).toBe('2026-12-05T05:00:00.000Z');
  });

  test('across the end of the week too', () => {
    const night = duty({ hours: [hours({ days: 'sun', from: '22:00', to: '06:00', who: ['noah'] })] });
    expect(whoAt(night, '2026-12-07T05:59+01:00')).toBe('noah');
    expect(untilAt(night, '2026-12-06T23:00+01:00')).toBe('2026-12-07T05:00:00.000Z');
    expect(whoAt(night, '2026-12-07T06:00+01:00')).toBe('owner');
  });

  test('of two that overlap the first holds', () => {
    const both = duty({
      hours: [
        hours({ from: '12:00', to: '14:00', who: ['noah'] }),
        hours({ from: '08:00', to: '18:00', who: ['mia'] }),
      ],
    });
    expect(['11:59', '12:00', '13:59', '14:00', '18:00'].map(time => whoAt(both, `2026-12-01T${time}+01:00`))).toEqual([
      'mia',
      'noah',
      'noah',
      'mia',
      'owner',
    ]);
  });

  test('from a time to the same time is a whole day', () => {
    const day = duty({ hours: [hours({ days: 'tue', from: '08:00', to: '08:00', who: ['noah'] })] });
    expect(whoAt(day, '2026-12-01T08:00+01:00')).toBe('noah');
    expect(whoAt(day, '2026-12-02T07:59+01:00')).toBe('noah');
    expect(whoAt(day, '2026-12-02T08:00+01:00')).toBe('owner');
  });

  test('days may go over the end of the week', () => {
    const days = duty({ hours: [hours({ days: 'sat-mon', who: ['noah'] })] });
    const who = [4, 5, 6, 7, 8].map(day => whoAt(days, `2026-12-0${day}T12:00+01:00`));
    expect(who).toEqual(['owner', 'noah', 'noah', 'noah', 'owner']);
  });

  test('they may narrow the channels', () => {
    const night = duty({ hours: [hours({ from: '22:00', to: '06:00', channels: ['call'] })] });
    expect(onDuty(night, Date.parse('2026-12-01T23:00+01:00')).channels).toEqual(['call']);
    expect(onDuty(night, Date.parse('2026-12-01T12:00+01:00')).channels).toBeNull();
  });

  test('several are on duty together', () => {
    expect(whoAt(duty({ otherwise: ['anna', 'noah'] }), '2026-12-01T12:00Z')).toBe('anna, noah');
  });
});

describe('exceptions', () => {
  test('the first that matches wins, and one in the past is of no matter', () => {
    const of = duty({
      except: [
        except({ from: '2026-12-24T18:00', to: '2026-12-24T22:00', who: ['noah'] }),
        except({ from: '2026-12-24', to: '2026-12-26', who: ['mia'] }),
        except({ from: '2020-01-01', to: '2020-12-31', who: ['lea'] }),
      ],
    });
    expect(whoAt(of, '2026-12-24T12:00+01:00')).toBe('mia');
    expect(untilAt(of, '2026-12-24T12:00+01:00')).toBe('2026-12-24T17:00:00.000Z');
    expect(whoAt(of, '2026-12-24T18:00+01:00')).toBe('noah');
    expect(untilAt(of, '2026-12-24T18:00+01:00')).toBe('2026-12-24T21:00:00.000Z');
    expect(whoAt(of, '2026-12-24T22:00+01:00')).toBe('mia');
    expect(whoAt(of, '2026-12-27T00:00+01:00')).toBe('owner');
    expect(untilAt(of, '2026-12-27T00:00+01:00')).toBeNull();
  });

  test('two who swap a night', () => {
    const of = duty({
      otherwise: { turns: ['noah', 'mia'], change: 'daily', every: 1, at: '08:00', since: '2026-12-01' },
      except: [
        except({ from: '2026-12-01T08:00', to: '2026-12-02T08:00', who: ['mia'] }),
        except({ from: '2026-12-02T08:00', to: '2026-12-03T08:00', who: ['noah'] }),
      ],
    });
    const who = [1, 2, 3, 4].map(day => whoAt(of, `2026-12-0${day}T20:00+01:00`));
    expect(who).toEqual(['mia', 'noah', 'noah', 'mia']);
  });
});

describe('turns', () => {
  test('weekly, every second week', () => {
    const of = duty({ otherwise: { ...turns('noah', 'mia'), every: 2 } });
    const who = [0, 1, 2, 3, 4].map(
      week => onDuty(of, Date.parse('2026-11-28T12:00+01:00') + week * 7 * DAY_MS).contacts[0],
    );
    expect(who).toEqual(['noah', 'noah', 'mia', 'mia', 'noah']);
    expect(untilAt(of, '2026-11-28T12:00+01:00')).toBe('2026-12-12T07:00:00.000Z');
  });

  test('a first day within a week belongs to the turn that had begun', () => {
    const of = duty({ otherwise: { ...turns('noah', 'mia'), since: '2026-12-02' } });
    expect(whoAt(of, '2026-11-28T08:00+01:00')).toBe('noah');
    expect(whoAt(of, '2026-12-04T08:00+01:00')).toBe('noah');
    expect(whoAt(of, '2026-12-05T08:00+01:00')).toBe('mia');
  });

  test('at midnight of Monday, alone in the week', () => {
    const of = duty({ otherwise: { ...turns('noah', 'mia'), at: 'mon 00:00', since: '2026-11-30' } });
    expect(whoAt(of, '2026-12-06T23:59+01:00')).toBe('noah');
    expect(untilAt(of, '2026-12-06T23:59+01:00')).toBe('2026-12-06T23:00:00.000Z');
    expect(whoAt(of, '2026-12-07T00:00+01:00')).toBe('mia');
  });

  test('of one person never change', () => {
    const of = duty({ otherwise: turns('noah') });
    expect(onDuty(of, Date.parse('2026-12-05T12:00Z'))).toEqual({
      contacts: ['noah'],
      channels: null,
      until: null,
      because: { rule: 'otherwise' },
    });
  });

  const daily = (...people: string[]) => ({
    turns: people,
    change: 'daily' as const,
    every: 1,
    at: '08:00',
    since: '2026-11-30',
  });

  test('daily ones on weekdays advance on weekdays alone', () => {
    const of = duty({ hours: [hours({ days: 'mon-fri', from: '08:00', to: '18:00', who: daily('a', 'b', 'c') })] });
    const who = Array.from({ length: 14 }, (_, day) => Date.parse('2026-11-30T12:00+01:00') + day * DAY_MS).map(
      at => onDuty(of, at).contacts[0],
    );
    expect(who).toEqual([
      ...['a', 'b', 'c', 'a', 'b', 'owner', 'owner'],
      ...['c', 'a', 'b', 'c', 'a', 'owner', 'owner'],
    ]);
  });

  test.each([2, 5, 7, 14])('of %i people everybody serves, whatever hours before theirs take days away', people => {
    const names = Array.from({ length: people }, (_, at) => `p${at}`);
    const shadowed = duty({
      hours: [hours({ days: 'sat-sun', who: ['anna'] }), hours({ who: daily(...names) })],
    });
    const served = duty({ hours: [hours({ days: 'mon-fri', who: ['anna'] })], otherwise: daily(...names) });
    for (const of of [shadowed, served]) {
      const start = Date.parse('2026-11-30T12:00+01:00');
      const on = Array.from({ length: 7 * people }, (_, day) => onDuty(of, start + day * DAY_MS).contacts[0]!);
      expect([...new Set(on)].filter(name => name !== 'anna').sort()).toEqual([...names].sort());
    }
  });

  test('a turn ends when the next day of theirs begins, though the night between is of others', () => {
    const of = duty({ hours: [hours({ days: 'mon-fri', from: '18:00', to: '08:00', who: daily('a', 'b') })] });
    expect(whoAt(of, '2026-11-30T20:00+01:00')).toBe('a');
    expect(whoAt(of, '2026-12-01T07:59+01:00')).toBe('a');
    expect(whoAt(of, '2026-12-01T18:00+01:00')).toBe('b');
    // Friday night, into Saturday, and on from Monday.
    expect(whoAt(of, '2026-12-04T20:00+01:00')).toBe('a');
    expect(whoAt(of, '2026-12-05T07:00+01:00')).toBe('a');
    expect(whoAt(of, '2026-12-07T20:00+01:00')).toBe('b');
  });
});

describe('where clocks change', () => {
  // The last 14 days of one time and the first of the other: in Vienna, in New York, and on Lord Howe by half an hour.
  test.each([
    ['Europe/Vienna', '2026-03-22', '2026-10-18'],
    ['America/New_York', '2026-03-01', '2026-10-25'],
    ['Australia/Lord_Howe', '2026-09-27', '2026-03-29'],
  ])('turns change once a day at eight o’clock in %s', (timeZone, spring, autumn) => {
    for (const since of [spring, autumn]) {
      const people = Array.from({ length: 14 }, (_, at) => `p${at}`);
      const of = duty({ timeZone, otherwise: { turns: people, change: 'daily', every: 1, at: '08:00', since } });
      const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
      let at = Date.parse(`${since}T20:00Z`);
      const seen: string[] = [];
      for (let day = 0; day < 14; day++) {
        const now = onDuty(of, at);
        seen.push(now.contacts[0]!);
        expect(clock.format(now.until!)).toMatch(/ 08:00$/);
        expect(onDuty(of, now.until! - 1).contacts).toEqual(now.contacts);
        at = now.until!;
      }
      // Each once, none twice, one after the other.
      const first = people.indexOf(seen[0]!);
      expect(seen).toEqual([...people.slice(first), ...people.slice(0, first)]);
    }
  });

  test('what begins in an hour that is skipped begins as it would', () => {
    const of = duty({ hours: [hours({ from: '02:30', to: '04:00', who: ['noah'] })] });
    expect(whoAt(of, '2026-03-29T01:59+01:00')).toBe('owner');
    expect(whoAt(of, '2026-03-29T03:00+02:00')).toBe('noah');
    expect(untilAt(of, '2026-03-29T01:00+01:00')).toBe('2026-03-29T01:00:00.000Z');
  });

  test('what begins in an hour that comes twice begins once, and lasts', () => {
    const of = duty({ hours: [hours({ from: '02:30', to: '04:00', who: ['noah'] })] });
    expect(whoAt(of, '2026-10-25T02:29+02:00')).toBe('owner');
    expect(untilAt(of, '2026-10-25T02:29+02:00')).toBe('2026-10-25T00:30:00.000Z');
    expect(whoAt(of, '2026-10-25T02:30+02:00')).toBe('noah');
    expect(whoAt(of, '2026-10-25T02:00+01:00')).toBe('noah');
    expect(untilAt(of, '2026-10-25T02:00+01:00')).toBe('2026-10-25T03:00:00.000Z');
  });

  test('a night of eight hours has nine, and seven', () => {
    const of = duty({ hours: [hours({ from: '22:00', to: '06:00', who: ['noah'] })] });
    const length = (at: string) => onDuty(of, Date.parse(at)).until! - Date.parse(at);
    expect(length('2026-10-24T22:00+02:00')).toBe(9 * HOUR_MS);
    expect(length('2026-03-28T22:00+01:00')).toBe(7 * HOUR_MS);
  });

  test('a day that a zone never had', () => {
    // Samoa went from the 29th to the 31st of December 2011.
    const of = duty({ timeZone: 'Pacific/Apia', hours: [hours({ days: 'fri', who: ['noah'] })] });
    expect(whoAt(of, '2011-12-30T09:59Z')).toBe('owner');
    expect(whoAt(of, '2011-12-30T10:00Z')).toBe('owner');
  });
});

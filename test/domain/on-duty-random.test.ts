import { expect, test } from 'vitest';
import { type Duty, dateFrom, daysFrom, namedOn, turnsOf, WEEKDAYS, type Who } from '../../services/domain/duty.ts';
import { shiftAt, shiftsOf } from '../../services/domain/duty-shifts.ts';
import { onDuty } from '../../services/domain/on-duty.ts';
import { DAY_MS, dice, duty, HOUR_MS, hours } from './duty-rig.ts';

const ZONES = [
  'Europe/Vienna',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Casablanca',
  'UTC',
];
const DUTIES = 100_000;
const YEAR_MS = 365 * DAY_MS;

/** Any duty that validation takes, and an instant at which it is asked. */
function anyDuty({ upTo, oneOf }: ReturnType<typeof dice>): { of: Duty; at: number } {
  const two = (number: number) => String(number).padStart(2, '0');
  const clock = (most: number) => oneOf([`${two(upTo(most))}:00`, `${two(upTo(most))}:${two(upTo(60))}`]);
  const date = () => new Date(Date.UTC(2026, 0, 1) + upTo(730) * DAY_MS).toISOString().slice(0, 10);
  const people = (most: number) => Array.from({ length: 1 + upTo(most) }, (_, at) => `p${at + upTo(3)}`);
  const who = (): Who => {
    if (upTo(2) === 0) return people(3);
    const change = oneOf(['daily', 'weekly'] as const);
    const at = change === 'daily' ? clock(24) : `${oneOf(WEEKDAYS)} ${clock(24)}`;
    return { turns: people(8), change, every: 1 + upTo(3), at, since: date() };
  };
  const days = () => oneOf(['', `${oneOf(WEEKDAYS)}-${oneOf(WEEKDAYS)}`, `${oneOf(WEEKDAYS)},${oneOf(WEEKDAYS)}`]);
  const of = duty({
    timeZone: oneOf(ZONES),
    hours: Array.from({ length: upTo(4) }, () => hours({ days: days(), from: clock(24), to: clock(24), who: who() })),
    otherwise: who(),
    except: Array.from({ length: upTo(3) }, () => {
      const [from, to] = [date(), date()].sort();
      return { from: from!, to: to!, who: people(2), note: '', channels: [] };
    }),
  });
  return { of, at: Date.UTC(2026, 0, 1) + upTo(2 * YEAR_MS) };
}

test(`${DUTIES} duties name somebody at every instant, and say when the answer may change`, () => {
  const roll = dice(1);
  for (let nth = 0; nth < DUTIES; nth++) {
    const { of, at } = anyDuty(roll);
    const now = onDuty(of, at);
    const until = now.until ?? at + YEAR_MS;
    // One expectation for all of it: a hundred thousand times ten are too many.
    const isSame = [until - 1, at + Math.floor((until - at) / 2)].every(then => {
      const later = onDuty(of, then);
      return later.until === now.until && String(later.contacts) === String(now.contacts);
    });
    const named = new Set(namedOn(of));
    const isNamed = now.contacts.length > 0 && now.contacts.every(contact => named.has(contact));
    // The formatter is slow, so it judges one in four.
    const expected = nth % 4 === 0 ? expectedBy(of, at) : null;
    const isOfClock = expected === null || expected.join() === now.contacts.join();
    if (isSame && isNamed && isOfClock && until > at) continue;
    expect({ nth, of, at: new Date(at), now, isSame, isNamed, isOfClock }).toBeUndefined();
  }
}, 120_000);

test('a shift began where walking there finds it, in few steps', () => {
  const roll = dice(3);
  for (let nth = 0; nth < 100; nth++) {
    const { of, at } = anyDuty(roll);
    let steps = 0;
    const counted = Object.defineProperty({ ...of }, 'timeZone', {
      get() {
        steps++;
        return of.timeZone;
      },
    });
    const { from, until, contacts } = shiftAt(counted, at);
    const walked = shiftsOf(of, Date.UTC(new Date(at).getUTCFullYear() - 2, 0, 1), at + 1, Number.POSITIVE_INFINITY).at(
      -1,
    )!;
    expect({ from, until, contacts }, JSON.stringify({ of, at })).toEqual({
      from: walked.from,
      until: walked.until,
      contacts: walked.contacts,
    });
    // Each question reads the zone at most three times.
    expect(steps).toBeLessThan(41 * 3);
  }
});

test('whoever takes turns comes on duty', () => {
  const roll = dice(2);
  for (let nth = 0; nth < 300; nth++) {
    const { of } = anyDuty(roll);
    const plain = { ...of, except: [], timeZone: 'UTC' };
    const seen = new Map<number, Set<string>>();
    let at = Date.UTC(2026, 0, 1);
    // Eight people, every third week; as many weeks as that, and one more.
    while (at < Date.UTC(2026, 0, 1) + 25 * 7 * DAY_MS) {
      const now = onDuty(plain, at);
      const rule = now.because.rule === 'otherwise' ? -1 : now.because.at;
      seen.set(rule, (seen.get(rule) ?? new Set()).add(now.contacts[0]!));
      at = now.until ?? Number.POSITIVE_INFINITY;
    }
    for (const [rule, people] of seen) {
      const turns = turnsOf(rule === -1 ? plain.otherwise : plain.hours[rule]!.who);
      if (turns !== null) expect(people, JSON.stringify(plain)).toEqual(new Set(turns.turns));
    }
  }
});

test('a hundred thousand questions take less than a second of a processor', () => {
  const of = duty({
    hours: [
      hours({ days: 'mon-fri', from: '08:00', to: '18:00' }),
      hours({ who: { turns: ['a', 'b', 'c'], change: 'daily', every: 1, at: '08:00', since: '2026-01-01' } }),
    ],
  });
  const ask = () => {
    const from = process.cpuUsage();
    for (let nth = 0; nth < 100_000; nth++) onDuty(of, Date.UTC(2026, 0, 1) + nth * HOUR_MS);
    return process.cpuUsage(from).user / 1_000;
  };
  // The fastest of three, and no time in which others had the processor: this machine may have other work.
  expect(Math.min(ask(), ask(), ask())).toBeLessThan(1_000);
});

/**
 * The same by the formatter of the platform, for hours and exceptions without turns, where clocks do not change within a day:
 * null where it does not know.
 */
function expectedBy({ timeZone, hours, otherwise, except }: Duty, at: number): readonly string[] | null {
  const format = formatOf(timeZone);
  if (new Set([at - DAY_MS, at, at + DAY_MS].map(then => format.format(then).slice(-5))).size > 1) return null;
  const [date, clock] = format.format(at).split(' ') as [string, string];
  const day = (dateFrom(date)! / DAY_MS + 3) % 7;
  const known = (who: Who) => (turnsOf(who) === null ? (who as readonly string[]) : null);
  const exception = except.find(({ from, to }) => from <= date && date <= to);
  if (exception !== undefined) return exception.who;
  for (const { days, from, to, who } of hours) {
    const isOn = (of: number) => daysFrom(days)!.includes((of + 7) % 7);
    const today = isOn(day) && from <= clock && (clock < to || to <= from);
    const fromYesterday = isOn(day - 1) && to <= from && clock < to;
    if (today || fromYesterday) return known(who);
  }
  return known(otherwise);
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const made =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  formats.set(timeZone, made);
  return made;
}

import { describe, expect, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { type DrilledPerson, drillChannels, drillDue, type LastDrill } from '../../services/domain/drill.ts';
import { person as contact, means, stranger } from './readiness-rig.ts';

/* DECISIONS.md "Drill": when somebody is asked to answer as to an alarm. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Wednesday, 11:00 in Vienna. */
const NOW = Date.UTC(2026, 0, 14, 10);

const person = (but: Partial<DrilledPerson> = {}): DrilledPerson => ({
  timeZone: 'Europe/Vienna',
  channels: ['call', 'text'],
  last: null,
  incident: 'none',
  lastIncidentAt: null,
  ...but,
});

const last = (but: Partial<LastDrill> = {}): LastDrill => ({
  incidentId: 'i',
  at: NOW - 30 * DAY,
  channel: 'call',
  round: 0,
  state: 'closed',
  answer: 'answered',
  ...but,
});

const said = (of: Partial<DrilledPerson>, now = NOW) => {
  const due = drillDue(person(of), now);
  return due.kind === 'due' ? `${due.channel} ${due.round}` : due.kind;
};

test.each<[string, Partial<DrilledPerson>, string]>([
  ['nobody was ever drilled', {}, 'call 0'],
  ['30 days after the last one, over the next channel', { last: last() }, 'text 0'],
  ['after the last channel the first comes again', { last: last({ channel: 'text' }) }, 'call 0'],
  ['a channel that is gone: from the first', { last: last({ channel: 'push' }) }, 'call 0'],
  ['a moment before 30 days', { last: last({ at: NOW - 30 * DAY + 1 }) }, 'none'],
  ['it waits for its answer', { last: last({ at: NOW - DAY + 1, answer: 'none', state: 'open' }) }, 'none'],
  ['not answered for a day: over another', { last: last({ at: NOW - DAY, answer: 'none' }) }, 'text 1'],
  ['answered in the meantime', { last: last({ at: NOW - DAY }) }, 'none'],
  ['the second one not answered either', { last: last({ at: NOW - DAY, answer: 'none', round: 1 }) }, 'missed'],
  ['one channel alone is used again', { channels: ['call'], last: last({ at: NOW - DAY, answer: 'none' }) }, 'call 1'],
  ['no channel', { channels: [] }, 'none'],
  ['an incident is open', { incident: 'open' }, 'none'],
  ['23:59 after an incident', { lastIncidentAt: NOW - DAY + 60_000 }, 'none'],
  ['24 hours after an incident', { lastIncidentAt: NOW - DAY }, 'call 0'],
])('%s', (_what, of, expected) => {
  expect(said(of)).toBe(expected);
});

describe('by the clock and the week of the person', () => {
  test.each<[string, string, string]>([
    ['2026-01-14T08:59:59Z', 'Europe/Vienna', 'none'],
    ['2026-01-14T09:00:00Z', 'Europe/Vienna', 'call 0'],
    ['2026-01-14T16:44:59Z', 'Europe/Vienna', 'call 0'],
    ['2026-01-14T16:45:00Z', 'Europe/Vienna', 'none'],
    ['2026-01-17T11:00:00Z', 'Europe/Vienna', 'none'],
    ['2026-01-18T11:00:00Z', 'Europe/Vienna', 'none'],
    ['2026-01-18T23:00:00Z', 'Pacific/Auckland', 'call 0'],
    ['2026-07-14T08:00:00Z', 'Europe/Vienna', 'call 0'],
    ['2026-01-14T10:00:00Z', 'nowhere', 'call 0'],
  ])('%s in %s', (at, timeZone, expected) => {
    expect(said({ timeZone }, Date.parse(at))).toBe(expected);
  });
});

test('only channels count that would reach the person and can be answered', () => {
  const all: ChannelKind[] = ['webhook', 'email', 'text', 'push'];
  expect(drillChannels(contact('Anna', all), means({ carriers: ['email', 'webhook', 'push'] }), NOW)).toEqual([
    'email',
    'push',
  ]);
  expect(drillChannels(stranger('Anna', ['email'], ['text']), means(), NOW)).toEqual(['text']);
});

/** Numbers from 0 up to 1, the same for the same seed. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Months of a made-up person, looked at every ten minutes: what was planned, and what they were told. */
function live(seed: number) {
  const next = numbers(seed);
  const zones = ['Europe/Vienna', 'America/Los_Angeles', 'Pacific/Auckland', 'UTC'];
  const timeZone = zones[Math.floor(next() * zones.length)]!;
  const channels = (['call', 'text', 'email'] as const).slice(0, 1 + Math.floor(next() * 3));
  const answers = next();
  const drills: (LastDrill & { duringIncident: boolean; sinceIncident: number })[] = [];
  const notices = new Set<string>();
  let incident: { at: number; ends: number } | null = null;
  let lastIncidentAt: number | null = null;
  for (let now = Date.UTC(2026, 2, 1); now < Date.UTC(2026, 5, 30); now += 10 * 60_000) {
    if (incident === null && next() < 0.0005) incident = { at: now, ends: now + next() * 40 * HOUR };
    if (incident !== null && now >= incident.ends) {
      lastIncidentAt = incident.ends;
      incident = null;
    }
    const before = drills.at(-1) ?? null;
    if (before?.state === 'open' && now >= before.at + DAY) before.state = 'closed';
    if (before?.state === 'open' && before.answer === 'none' && next() < answers / 30) before.answer = 'answered';
    const facts = {
      timeZone,
      channels,
      last: before,
      incident: incident === null ? 'none' : 'open',
      lastIncidentAt,
    } as const;
    const due = drillDue(facts, now);
    if (due.kind === 'missed') notices.add(due.incidentId);
    if (due.kind !== 'due') continue;
    const { channel, round } = due;
    const sinceIncident = lastIncidentAt === null ? Number.POSITIVE_INFINITY : now - lastIncidentAt;
    const opened = {
      incidentId: String(drills.length),
      at: now,
      channel,
      round,
      state: 'open',
      answer: 'none',
    } as const;
    drills.push({ ...opened, duringIncident: incident !== null, sinceIncident });
  }
  return { drills, notices, timeZone, channels };
}

test.each(Array.from({ length: 40 }, (_, seed) => seed))('months of drills, whatever happens (seed %i)', seed => {
  const { drills, notices, timeZone, channels } = live(seed);
  expect(drills.length).toBeGreaterThan(0);
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  for (const [nth, drill] of drills.entries()) {
    expect(drill.duringIncident).toBe(false);
    expect(drill.sinceIncident).toBeGreaterThanOrEqual(DAY);
    expect(clock.format(drill.at)).toMatch(/^(Mon|Tue|Wed|Thu|Fri),? 1[0-7]:/);
    const before = drills[nth - 1];
    if (before === undefined) continue;
    // Once more after an unanswered first, else a month later; and over another channel where there is one.
    const again = before.answer === 'none' && before.round === 0 && drill.at < before.at + 30 * DAY;
    expect(drill.at - before.at).toBeGreaterThanOrEqual(again ? DAY : 30 * DAY);
    expect(drill.round).toBe(again ? 1 : 0);
    if (channels.length > 1) expect(drill.channel).not.toBe(before.channel);
  }
  // Two misses, one notice; nobody is told of a miss that was made good.
  const missed = drills.filter(({ round, answer, state }) => round === 1 && answer === 'none' && state === 'closed');
  expect([...notices].sort()).toEqual(missed.map(({ incidentId }) => incidentId).sort());
});

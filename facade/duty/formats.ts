import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { FeedShift, GetFeedResponse } from '../../gen/tocsin/console/v1/duties_pb.ts';
import { clean } from '../../services/process/text.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';

/** What a feed is written as, by the end of its address. */
export type Format = 'ics' | 'txt' | 'json';

/** The path is a secret that no other site and no search engine may learn. Who is on duty changes at any time. */
const HEADERS = {
  ...JSON_HEADERS,
  'cache-control': 'private, max-age=60',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex, nofollow',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

const WRITERS: Readonly<Record<Format, { type: string; write(feed: GetFeedResponse): string }>> = {
  ics: { type: 'text/calendar; charset=utf-8', write: calendar },
  txt: { type: 'text/plain; charset=utf-8', write: names },
  json: { type: 'application/json; charset=utf-8', write: json },
};

/** Writes a feed: the calendar has the shifts, text the names of those on duty now, one a line, JSON both. */
export function feedAnswer(feed: GetFeedResponse, format: Format): Answer {
  const { type, write } = WRITERS[format];
  return { status: 200, headers: { ...HEADERS, 'content-type': type }, body: write(feed) };
}

/** The same for an address that never was one and for one that ended. */
export const NO_FEED: Answer = refusal(404, 'There is no such feed.');
export const TRY_AGAIN: Answer = refusal(503, 'This cannot be answered now: try again in a moment.', {
  'retry-after': '2',
});
export const OUR_FAULT: Answer = refusal(500, 'Something went wrong on our side.');

function refusal(status: number, message: string, more: Record<string, string> = {}): Answer {
  const headers = { ...HEADERS, ...more, 'cache-control': 'no-store' };
  return { status, headers, body: JSON.stringify({ message }) };
}

function names({ shifts }: GetFeedResponse): string {
  return (shifts[0]?.names ?? []).map(name => `${clean(name)}\n`).join('');
}

function json({ name, timeZone, shifts }: GetFeedResponse): string {
  const shown = shifts.map(({ from, until, names }) => ({
    from: iso(from),
    until: iso(until),
    names,
  }));
  return JSON.stringify({ duty: name, timeZone, now: shown[0] ?? null, shifts: shown });
}

function iso(at: FeedShift['from']): string | null {
  return at === undefined ? null : timestampDate(at).toISOString();
}

/** As RFC 5545 has it. What has no end ends in the calendar where that does: programs show what lasts for good as nothing. */
function calendar({ dutyId, name, timeZone, shifts, until }: GetFeedResponse): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tocsin//On duty//EN',
    'METHOD:PUBLISH',
    `NAME:${text(name)}`,
    `X-WR-CALNAME:${text(name)}`,
    `X-WR-TIMEZONE:${text(timeZone)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...shifts.flatMap(shift => event(dutyId, name, { ...shift, until: shift.until ?? until })),
    'END:VCALENDAR',
  ];
  return lines.map(line => `${folded(line)}\r\n`).join('');
}

function event(dutyId: string, name: string, { from, until, names }: FeedShift): string[] {
  const start = stamp(from);
  return [
    'BEGIN:VEVENT',
    `UID:${start}-${dutyId}@tocsin`,
    `DTSTAMP:${start}`,
    `DTSTART:${start}`,
    `DTEND:${stamp(until)}`,
    `SUMMARY:${text(`${names.join(', ')} (${name})`)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20261128T070000Z`. */
function stamp(at: FeedShift['from']): string {
  return timestampDate(at!).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').concat('Z');
}

function text(value: string): string {
  return clean(value).replaceAll(/[\\;,]/g, sign => `\\${sign}`);
}

/** Breaks a line after at most 75 bytes, between characters (RFC 5545 3.1). */
function folded(line: string): string {
  const parts: string[] = [];
  let part = '';
  for (const character of line) {
    if (Buffer.byteLength(part + character) > 74) {
      parts.push(part);
      part = '';
    }
    part += character;
  }
  return [...parts, part].join('\r\n ');
}

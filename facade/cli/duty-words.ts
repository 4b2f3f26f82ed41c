import type { DutyWho } from '../../gen/tocsin/console/v1/duties_pb.ts';
import { shown } from '../../services/process/text.ts';
import { CHANNELS, type ChannelKind } from '../../services/process/vocabulary.ts';
import { usageFault } from './exit.ts';

/*
 * How a duty is written on the command line: `mon-fri 08:00-18:00 anna,noah by call`, and people who take turns as
 * `noah>mia>lea weekly sat 08:00 since 2026-11-28`. Which contacts and channels exist, and whether times are any, is for the
 * services to check.
 */

/** People as the services accept them. */
export interface WhoFields {
  contactIds?: string[];
  turns?: { contactIds: string[]; change: string; every: number; at: string; since: string };
}

export interface HoursFields {
  days: string;
  from: string;
  to: string;
  who: WhoFields;
  channels: string[];
}

export interface ExceptFields {
  from: string;
  to: string;
  contactIds: string[];
  channels: string[];
  note: string;
}

export const WHO_FORM = 'Write for example "anna,noah", or "noah>mia weekly sat 08:00 since 2026-11-28".';
export const HOURS_FORM = 'Write for example --hours "mon-fri 08:00-18:00 anna by call".';
export const EXCEPT_FORM =
  'Write for example --except "2026-12-24..2026-12-27 mia Christmas", or "… mia by call Christmas".';

/** Parses one `--hours`: days (`any` for every day), from-to, who, and `by` channels. Throws a usage fault. */
export function parseHours(text: string): HoursFields {
  const [days = '', span = '', ...rest] = words(text);
  const [, from, to] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(span) ?? [];
  const by = rest.indexOf('by');
  const people = by < 0 ? rest : rest.slice(0, by);
  if (from === undefined || to === undefined || people.length === 0) {
    throw usageFault(`--hours names days, from when to when, and people, got ${shown(text)}. ${HOURS_FORM}`);
  }
  const channels = by < 0 ? [] : rest.slice(by + 1).flatMap(named);
  return { days: days === 'any' ? '' : days, from, to, who: parseWho(people.join(' '), '--hours'), channels };
}

/** Parses people: `anna,noah`, or those who take turns. Throws a usage fault. */
export function parseWho(text: string, flag: string): WhoFields {
  const [people = '', ...rest] = words(text);
  if (rest.length === 0 && !people.includes('>')) return { contactIds: named(people) };
  const [change = '', ...when] = rest;
  const since = when.indexOf('since');
  const every = when.indexOf('every');
  const at = when.slice(0, [since, every].filter(place => place >= 0).sort((a, b) => a - b)[0]);
  const turns = {
    contactIds: people.split('>').filter(one => one !== ''),
    change,
    every: every < 0 ? 0 : Number(when[every + 1]),
    at: at.join(' '),
    since: since < 0 ? '' : (when[since + 1] ?? ''),
  };
  if (since >= 0 && Number.isInteger(turns.every)) return { turns };
  throw usageFault(
    `${flag} names how often turns change, at what time and since when, got ${shown(text)}. ${WHO_FORM}`,
  );
}

/** Parses one `--except`: from..to, people, `by` channels as in `--hours`, and a note. Throws a usage fault. */
export function parseExcept(text: string): ExceptFields {
  const [span = '', people = '', ...rest] = words(text);
  const isBy =
    rest[0] === 'by' && rest.length > 1 && named(rest[1]!).every(word => CHANNELS.includes(word as ChannelKind));
  const [channels, note] = isBy ? [named(rest[1]!), rest.slice(2)] : [[], rest];
  const [from = '', to = from, ...more] = span.split('..');
  if (from !== '' && people !== '' && more.length === 0) {
    return { from, to, contactIds: named(people), channels, note: note.join(' ') };
  }
  throw usageFault(`--except names from when to when, and people, got ${shown(text)}. ${EXCEPT_FORM}`);
}

/** Writes people as `parseWho` reads them; `name` returns the name of a contact. */
export function whoWords(who: DutyWho | undefined, name: (id: string) => string): string {
  if (who?.turns === undefined) return (who?.contactIds ?? []).map(name).join(', ');
  const { contactIds, change, every, at, since } = who.turns;
  const often = every > 1 ? ` every ${every}` : '';
  return `${contactIds.map(name).join(' > ')}, ${change} ${at}${often} since ${since}`;
}

function words(text: string): string[] {
  return text.split(/\s+/).filter(word => word !== '');
}

/** Returns the words of a list with commas. */
export function named(text: string): string[] {
  return text.split(',').filter(one => one !== '');
}

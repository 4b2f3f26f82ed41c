import type { Tried } from '../domain/chances.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { HANDED_OVER_STEP } from '../domain/escalation.ts';
import { localDay } from '../domain/local-time.ts';
import { type Mailing, MOST_MAILS } from '../domain/mailing.ts';
import type { NoticeAbout, NoticeKind } from '../domain/notice.ts';
import { clean, dollars, NAME_LENGTH } from '../process/text.ts';
import { languageFor } from './language.ts';
import { named } from './names.ts';
import type { DutyChangeNotice, NoticeFacts, NoticeWords } from './owner/types.ts';
import type { Words } from './types.ts';

/** Who reads a notice: locale (BCP 47) and time zone (IANA). */
interface Reader {
  locale: string;
  timeZone: string;
}

/** How much of the names of several sources is shown, in characters. */
const NAMES_LENGTH = 300;

/** Returns the explanation of a notice alone: one sentence for a person. */
export function explainNotice(kind: NoticeKind, about: NoticeAbout, reader: Reader): string {
  return noticeWords(kind, about, 'goes', reader).explanation;
}

/** Returns what a notice says, in the language of its reader (languageFor); the `last` mail of its kind for now says so. */
export function noticeWords(kind: NoticeKind, about: NoticeAbout, place: Mailing, reader: Reader): NoticeWords {
  const { words } = languageFor(reader.locale);
  const said = words.owner.notices.of[kind](factsOf(about, words, reader.timeZone));
  return place === 'last' ? { ...said, todo: `${said.todo} ${words.owner.notices.lastMail(MOST_MAILS.most)}` } : said;
}

function factsOf(about: NoticeAbout, words: Words, timeZone: string): NoticeFacts {
  const { sourceName, openedAt, step, round, lateS, cents, capCents, ceilingCents, sources } = about;
  const { until, byS, calls, names, because, messages } = about;
  const { keys, supervised, armed, silentS, times, stillSilent, cause, follows } = about;
  return {
    source: named(String(sourceName ?? ''), words, NAME_LENGTH),
    about: sourceName === undefined ? 'account' : 'source',
    opened: localDay(String(openedAt ?? ''), timeZone),
    until: localDay(String(until ?? ''), timeZone),
    step: step === undefined || Number(step) >= HANDED_OVER_STEP ? null : Number(step) + 1,
    round: Number(round ?? 0) + 1,
    late: lateS === undefined ? '' : `${Math.round(Number(lateS))} s`,
    spent: dollars(Number(cents ?? 0)),
    cap: capCents === undefined ? '' : dollars(Number(capCents)),
    ceiling: dollars(Number(ceilingCents ?? 0)),
    sources: typeof sources === 'string' ? clean(sources, NAMES_LENGTH) : (sources ?? 0),
    calls: Number(calls ?? 0),
    clock: { by: span(Math.abs(Number(byS ?? 0))), direction: Number(byS ?? 0) < 0 ? 'back' : 'forward' },
    names: clean(String(names ?? ''), NAMES_LENGTH),
    because: because === undefined ? 'not_scheduled' : 'all_failed',
    tried: messages === undefined ? null : triedIn(about),
    duty: {
      ...changeIn(about, '', words, timeZone),
      changes: ['', '2', '3']
        .filter(nth => nth === '' || about[`duty${nth}`] !== undefined)
        .map(nth => changeIn(about, nth, words, timeZone)),
      more: Number(about.more ?? 0),
    },
    keys: Number(keys ?? 0),
    supervised: Number(supervised ?? 0),
    armed: clean(String(armed ?? ''), NAMES_LENGTH),
    silent: span(Number(silentS ?? 0)),
    times: Number(times ?? 1),
    stillSilent: Number(stillSilent ?? 0),
    cause: cause === 'line' ? 'line' : 'armed',
    follows: follows === 'alert' ? 'alert' : 'nothing',
  };
}

/** One of the changes that a notice is about: the first, or the one with this number after each name (domain/duty-notice.ts). */
function changeIn(about: NoticeAbout, nth: string, words: Words, timeZone: string): DutyChangeNotice {
  const text = (name: string) => String(about[`${name}${nth}`] ?? '');
  return {
    name: named(text('duty'), words, NAME_LENGTH),
    from: minuteOf(text('fromAt'), timeZone),
    until: minuteOf(text('untilAt'), timeZone),
    names: clean(text('names'), NAMES_LENGTH),
    note: clean(text('note'), NAME_LENGTH),
    part: text('part') === 'goes' ? 'goes' : 'comes',
  };
}

/** `2026-11-28 08:00 (Europe/Vienna)`; empty: not known. */
function minuteOf(iso: string, timeZone: string): string {
  const local = localDay(iso, timeZone);
  return local === null ? '' : `${local.day} ${local.time} ${local.zone}`;
}

/** `20 s`, `5 min`, `1 h`, `30 d`: the largest unit that leaves at least two of it, or one that fits exactly. */
function span(seconds: number): string {
  const [size, unit] = UNITS.find(([size]) => seconds >= 2 * size || (seconds >= size && seconds % size === 0)) ?? [
    1,
    's',
  ];
  return `${Math.round(seconds / size)} ${unit}`;
}

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
] as const;
function triedIn({ messages, taken, failed, channels }: NoticeAbout): Tried {
  const used = String(channels ?? '')
    .split(',')
    .filter(Boolean) as ChannelKind[];
  return { messages: Number(messages), taken: Number(taken ?? 0), failed: Number(failed ?? 0), channels: used };
}

import type { Alert, IncidentAlert } from '../domain/alert.ts';
import { shortTime } from '../domain/local-time.ts';
import { type Answers, OUTSIDE } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, placeOf, titleOf, trippedOf } from '../words/names.ts';
import { explainNotice } from '../words/notice.ts';
import { answersOf } from './answers.ts';
import { isGsm7, partsOf, withPlainSigns } from './gsm7.ts';

export { partsOf } from './gsm7.ts';

/** The parts that an SMS may have before its names are cut; in UCS-2 two would leave room for names of six letters. */
const MOST_PARTS = { gsm7: 2, ucs2: 3 };

/** How long names, the address and the labels of what tripped it may be, and what is left out of the text. */
interface Lengths {
  name: number;
  address: number;
  label: number;
  without?: readonly ('mode' | 'time')[];
}

/** From uncut to the shortest that is still useful. */
const LENGTHS: readonly Lengths[] = [
  { name: NAME_LENGTH, address: 200, label: 40 },
  { name: NAME_LENGTH, address: 200, label: 20 },
  { name: NAME_LENGTH, address: 80, label: 20 },
  { name: 40, address: 50, label: 20 },
  { name: 30, address: 30, label: 20 },
  { name: 24, address: 0, label: 20 },
  { name: 12, address: 0, label: 20 },
  { name: 6, address: 0, label: 6 },
];

/** How what stands on the page as well makes room for what tripped it, before that takes a further part. */
const ROOM_FOR_LABEL: readonly Lengths[] = [
  ...LENGTHS.filter(({ label }) => label >= 20),
  { name: 24, address: 0, label: 20, without: ['mode'] },
  { name: 24, address: 0, label: 20, without: ['mode', 'time'] },
  { name: 12, address: 0, label: 12, without: ['mode', 'time'] },
];

/**
 * Writes a message as an SMS: what it is comes first, live or test, names, what tripped it, place, when it opened, and on separate
 * lines the link and how to reply, if that reaches us (`answers`; by default of a carrier outside). Two parts if possible, three in
 * UCS-2: names are cut for that, link and code never. What tripped it takes no further part where the rest can make room for it. The
 * same delivery reads the same at every attempt.
 */
export function writeSms(alert: Alert, answers: Answers = answersOf(alert, OUTSIDE)): string {
  const language = languageFor(alert.locale);
  const written = (of: Alert) => (most: Lengths) => withPlainSigns(linesOf(of, language, most, answers).join('\n'));
  if (!('trippedBy' in alert) || alert.trippedBy.length === 0) return firstThatFits(LENGTHS.map(written(alert)));
  const parts = partsOf(firstThatFits(LENGTHS.map(written({ ...alert, trippedBy: [] }))));
  const within = ROOM_FOR_LABEL.map(written(alert)).find(text => partsOf(text) <= parts);
  return within ?? firstThatFits(LENGTHS.map(written(alert)));
}

/** Returns the first that has no more than the parts a text may have; the last one if none has. */
function firstThatFits(texts: readonly string[]): string {
  return texts.find(text => partsOf(text) <= MOST_PARTS[isGsm7(text) ? 'gsm7' : 'ucs2']) ?? texts.at(-1)!;
}

function linesOf(alert: Alert, { words, locale }: Language, most: Lengths, answers: Answers): string[] {
  const { sms } = words;
  switch (alert.purpose) {
    case 'drill':
      return [sms.drill];
    case 'verification':
      return [sms.verification(alert.code, named(alert.accountName, words, most.name))];
    case 'notice':
      return [clean(explainNotice(alert.notice, alert.about, alert), 600)];
    default:
      if (alert.environment === 'drill') return [words.sms.drilling, ...answerLines(alert, { words }, answers)];
      return [...incidentLines(alert, { words, locale }, most), ...answerLines(alert, { words }, answers)];
  }
}

function incidentLines(alert: IncidentAlert, { words, locale }: Omit<Language, 'voice'>, most: Lengths): string[] {
  const { sms } = words;
  const { without = [] } = most;
  const fired = firedOf(alert, words, most.name, most.label);
  const isModeLeftOut = without.includes('mode') && fired.kind === 'alarm';
  const title = titleOf(isModeLeftOut ? { ...fired, what: null } : fired, words, alert.environment);
  const place = placeOf(alert, words, most);
  const time = (at: number) => shortTime(at, alert.firstTriedAt, locale, alert.timeZone);
  switch (alert.purpose) {
    case 'acknowledged': {
      const by = named(alert.acknowledgedBy, words, most.name);
      return [words.acknowledgedTitle(by, title), place, sms.since(time(alert.openedAt))];
    }
    case 'still_happening': {
      const triggers = sms.triggers(alert.triggerCount, time(alert.lastTriggerAt));
      const [, ...joined] = trippedOf(alert, most.label);
      return [words.stillHappeningTitle(title), ...(joined.length === 0 ? [] : [sms.joined(joined)]), triggers, place];
    }
    case 'alert':
      return [
        alert.asked === 'again' ? words.askedAgainTitle(title) : title,
        ...moreBefore(alert, sms.moreBefore),
        place,
        ...(without.includes('time') ? [] : [time(alert.openedAt)]),
      ];
  }
}

/** Returns the number of earlier incidents of the same alarm that were not announced; nothing if all were. */
export function moreBefore({ moreBefore: count }: IncidentAlert, say: (count: number) => string): string[] {
  return count === 0 ? [] : [say(count)];
}

/**
 * Without a way back there is no page to look at, and nobody receives a reply; a page that opens on Tocsin's own
 * machine alone opens on no phone.
 */
function answerLines(alert: IncidentAlert, { words }: Pick<Language, 'words'>, answers: Answers): string[] {
  if (alert.wayBack === null) return [];
  if (answers === 'lost') return reachedFrom(alert.wayBack.carrierUrl) === 'network' ? [alert.wayBack.pageUrl] : [];
  const mayTake = alert.purpose !== 'acknowledged' && alert.acknowledgedBy === '' && alert.replyCode !== '';
  return [alert.wayBack.pageUrl, ...(mayTake ? [words.sms.reply(alert.replyCode)] : [])];
}

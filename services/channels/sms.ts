import type { Alert, IncidentAlert } from '../domain/alert.ts';
import { shortTime } from '../domain/local-time.ts';
import { type Answers, OUTSIDE } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, placeOf, titleOf } from '../words/names.ts';
import { explainNotice } from '../words/notice.ts';
import { answersOf } from './answers.ts';
import { isGsm7, partsOf, withPlainSigns } from './gsm7.ts';

export { partsOf } from './gsm7.ts';

/** The parts that an SMS may have before its names are cut; in UCS-2 two would leave room for names of six letters. */
const MOST_PARTS = { gsm7: 2, ucs2: 3 };

/** How long names and the address may be, from uncut to the shortest that is still useful. */
const LENGTHS = [
  { name: NAME_LENGTH, address: 200 },
  { name: NAME_LENGTH, address: 80 },
  { name: 40, address: 50 },
  { name: 30, address: 30 },
  { name: 24, address: 0 },
  { name: 12, address: 0 },
  { name: 6, address: 0 },
];

/**
 * Writes a message as an SMS: what it is comes first, live or test, names, place, when it opened, and on separate lines
 * the link and how to reply, if that reaches us (`answers`; by default of a carrier outside). Two parts if possible, three in UCS-2: names are cut for that, link and code never. The
 * same delivery reads the same at every attempt.
 */
export function writeSms(alert: Alert, answers: Answers = answersOf(alert, OUTSIDE)): string {
  const language = languageFor(alert.locale);
  const shorter = LENGTHS.map(most => withPlainSigns(linesOf(alert, language, most, answers).join('\n')));
  return (
    shorter.find(text => partsOf(text) <= (isGsm7(text) ? MOST_PARTS.gsm7 : MOST_PARTS.ucs2)) ?? shorter.at(-1) ?? ''
  );
}

type Lengths = (typeof LENGTHS)[number];

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
      return [...incidentLines(alert, { words, locale }, most), ...answerLines(alert, { words }, answers)];
  }
}

function incidentLines(alert: IncidentAlert, { words, locale }: Omit<Language, 'voice'>, most: Lengths): string[] {
  const { sms } = words;
  const title = titleOf(firedOf(alert, words, most.name), words, alert.environment);
  const place = placeOf(alert, words, most);
  const time = (at: number) => shortTime(at, alert.firstTriedAt, locale, alert.timeZone);
  switch (alert.purpose) {
    case 'acknowledged': {
      const by = named(alert.acknowledgedBy, words, most.name);
      return [words.acknowledgedTitle(by, title), place, sms.since(time(alert.openedAt))];
    }
    case 'still_happening': {
      const triggers = sms.triggers(alert.triggerCount, time(alert.lastTriggerAt));
      return [words.stillHappeningTitle(title), triggers, place];
    }
    case 'alert':
      return [title, ...moreBefore(alert, sms.moreBefore), place, time(alert.openedAt)];
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

import type { Alert, IncidentAlert } from '../domain/alert.ts';
import { shortTime } from '../domain/local-time.ts';
import { explainNotice } from '../domain/notice.ts';
import { clean, NAME_LENGTH } from '../process/text.ts';
import { isGsm7, partsOf, withPlainSigns } from './gsm7.ts';
import { type Language, languageFor } from './language.ts';
import { firedOf, named, placeOf } from './names.ts';

export { partsOf } from './gsm7.ts';

/** As how many parts a text may go out before its names are cut; in UCS-2 two would leave names of six letters. */
const MOST_PARTS = { gsm7: 2, ucs2: 3 };

/** How long names and the address may be, from nothing cut to the shortest that still says something. */
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
 * Writes a message as a text: what it is first, live or test, names, place, when it opened, and on lines of their own the
 * link and how to reply. Two parts where that is possible, three in UCS-2: names are cut for it, link and code never. The same delivery
 * reads the same at every attempt.
 */
export function writeBrief(alert: Alert): string {
  const language = languageFor(alert.locale);
  const shorter = LENGTHS.map(most => withPlainSigns(linesOf(alert, language, most).join('\n')));
  return (
    shorter.find(text => partsOf(text) <= (isGsm7(text) ? MOST_PARTS.gsm7 : MOST_PARTS.ucs2)) ?? shorter.at(-1) ?? ''
  );
}

type Lengths = (typeof LENGTHS)[number];

function linesOf(alert: Alert, { phrases, locale }: Language, most: Lengths): string[] {
  const { brief } = phrases;
  switch (alert.purpose) {
    case 'drill':
      return [brief.drill];
    case 'verification':
      return [brief.verification(alert.code, named(alert.accountName, phrases, most.name))];
    case 'notice':
      return [clean(explainNotice(alert.notice, alert.about, alert), 600)];
    default:
      return [...incidentLines(alert, { phrases, locale }, most), ...answerLines(alert, { phrases })];
  }
}

function incidentLines(alert: IncidentAlert, { phrases, locale }: Omit<Language, 'voice'>, most: Lengths): string[] {
  const { brief } = phrases;
  const { environment } = alert;
  const fired = firedOf(alert, phrases, most.name);
  const place = placeOf(alert, phrases, most);
  const time = (at: number) => shortTime(at, alert.firstTriedAt, locale, alert.timeZone);
  switch (alert.purpose) {
    case 'taken': {
      const by = named(alert.takenBy, phrases, most.name);
      return [brief.taken(by, fired, environment), place, brief.since(time(alert.openedAt))];
    }
    case 'still_happening': {
      const triggers = brief.triggers(alert.triggerCount, time(alert.lastTriggerAt));
      return [brief.stillHappening(fired, environment), triggers, place];
    }
    case 'alert':
      return [brief.alert(fired, environment), ...moreBefore(alert, brief.moreBefore), place, time(alert.openedAt)];
  }
}

/** What was not said of the same alarm shortly before; nothing where all was. */
export function moreBefore({ moreBefore: count }: IncidentAlert, say: (count: number) => string): string[] {
  return count === 0 ? [] : [say(count)];
}

/** Without a way back there is nowhere to look and nobody hears a reply. */
function answerLines(alert: IncidentAlert, { phrases }: Pick<Language, 'phrases'>): string[] {
  if (alert.wayBack === null) return [];
  const mayTake = alert.purpose !== 'taken' && alert.takenBy === '' && alert.replyCode !== '';
  return [alert.wayBack.pageUrl, ...(mayTake ? [phrases.brief.reply(alert.replyCode)] : [])];
}

import type { Alert, IncidentAlert } from '../domain/alert.ts';
import { shortTime } from '../domain/local-time.ts';
import { explainNotice } from '../domain/notice.ts';
import { clean } from '../process/text.ts';
import { moreBefore } from './brief.ts';
import type { CallSaid, TextSaid } from './channel.ts';
import { withPlainSigns } from './gsm7.ts';
import { type Language, languageFor } from './language.ts';
import { firedOf, named, placeOf } from './names.ts';
import type { Phrases, SpokenPhrases } from './phrases.ts';
import { speakable } from './speakable.ts';

/** What is said on a call. Plain text, safe in any markup once that is escaped. */
export interface Spoken {
  /** Language and region of the words (BCP 47), for the voice. */
  language: string;
  /** In order, each a whole sentence. */
  sentences: string[];
  /** Which keys can be pressed. Empty: none, because nothing can be answered or nobody would hear of it. */
  menu: string;
  /** What comes before it is said again after another key. */
  notUnderstood: string;
  /** The last words. */
  goodbye: string;
}

/** How long a name and an address may take to say, in characters. */
const MOST = { name: 60, address: 120 };

/** Writes a message as it is said on a call, in the language of the person's locale, else in English. */
export function writeSpoken(alert: Alert): Spoken {
  const language = languageFor(alert.locale);
  const { spoken } = language.phrases;
  const answerable = 'wayBack' in alert && alert.wayBack !== null;
  const taken = alert.purpose === 'taken' || ('takenBy' in alert && alert.takenBy !== '');
  return {
    language: language.voice,
    sentences: [spoken.greeting(speakableName(alert.contactName, language.phrases)), ...sentencesOf(alert, language)],
    menu: answerable ? (taken ? spoken.menuHearAgain : spoken.menu) : '',
    notUnderstood: spoken.notUnderstood,
    goodbye: answerable && !taken ? spoken.goodbyeWithLink : spoken.goodbye,
  };
}

/** One sentence in answer to a key. `by`: who has it; the sentence is in the language of `locale`, else English. */
export function sayOnCall(said: CallSaid, { locale, by }: { locale: string; by: string }) {
  const { phrases, voice } = languageFor(locale);
  const { spoken } = phrases;
  const sentences: Record<CallSaid, string> = {
    acknowledged: spoken.acknowledged,
    already_acknowledged: spoken.alreadyAcknowledged(speakableName(by, phrases)),
    already_closed: spoken.alreadyClosed,
    over: spoken.over,
    try_link: spoken.tryLink,
  };
  return { language: voice, sentence: sentences[said] };
}

/** A text in answer to one, in the letters of GSM 03.38 where its names are. `by`: who has it; `code`: what was written. */
export function writeBack(said: TextSaid, on: { locale: string; by: string; code: string }): string {
  const { phrases } = languageFor(on.locale);
  const { brief } = phrases;
  const texts: Record<TextSaid, string> = {
    acknowledged: brief.acknowledged,
    already_acknowledged: brief.alreadyAcknowledged(named(on.by, phrases, MOST.name)),
    already_closed: brief.alreadyClosed,
    unknown_code: brief.unknownCode(clean(on.code, 12)),
    not_understood: brief.notUnderstood,
    try_again: brief.tryAgain,
  };
  return withPlainSigns(texts[said]);
}

function sentencesOf(alert: Alert, language: Language): string[] {
  const { phrases } = language;
  const { spoken } = phrases;
  switch (alert.purpose) {
    case 'drill':
      return [spoken.drilled];
    case 'verification': {
      const code = [...speakable(alert.code)].filter(sign => sign !== ' ').join(', ');
      const account = speakableName(alert.accountName, phrases);
      return [
        spoken.verificationAsked(account),
        spoken.verificationCode(code),
        spoken.verificationAgain(code),
        spoken.verificationTodo,
      ];
    }
    case 'notice':
      return [clean(explainNotice(alert.notice, alert.about, alert), 400)];
    default:
      return [spoken.environment[alert.environment], ...incidentSentences(alert, language)];
  }
}

function incidentSentences(alert: IncidentAlert, { phrases, locale }: Language): string[] {
  const { spoken } = phrases;
  const fired = firedOf(alert, phrases, MOST.name);
  const what = fired.what === null ? null : orNameless(speakable(fired.what), phrases);
  const time = (at: number) => shortTime(at, alert.firstTriedAt, locale, alert.timeZone).replace(/\s/g, ' ');
  const sentences = [
    spoken.fired({ ...fired, source: orNameless(speakable(fired.source), phrases), what }),
    ...(alert.sourceKind === 'panic' && alert.responseKind !== null ? [wantedOf(alert, what, spoken)] : []),
    spoken.place(orNameless(speakable(placeOf(alert, phrases, MOST)), phrases)),
    spoken.time(time(alert.openedAt)),
  ];
  const by = alert.takenBy === '' ? [] : [spoken.takenBy(speakableName(alert.takenBy, phrases))];
  switch (alert.purpose) {
    case 'taken':
      return [...by, ...sentences];
    case 'still_happening': {
      const triggers = spoken.triggers(alert.triggerCount, time(alert.lastTriggerAt));
      return [spoken.stillHappening, ...sentences, triggers, ...(by.length === 0 ? [spoken.takenByNobody] : by)];
    }
    case 'alert':
      return [...sentences, ...moreBefore(alert, spoken.moreBefore)];
  }
}

function wantedOf({ responseKind, responseText }: IncidentAlert, what: string | null, spoken: SpokenPhrases): string {
  const isTold = responseKind === 'other' && responseText !== undefined && what !== null;
  return isTold ? spoken.wantedOther(what) : spoken.wanted[responseKind ?? 'other'];
}

function speakableName(name: string, phrases: Phrases): string {
  return orNameless(speakable(clean(name, MOST.name)), phrases);
}

function orNameless(said: string, phrases: Phrases): string {
  return said || speakable(phrases.nameless);
}

import type { Alert, IncidentAlert, WayBack } from '../domain/alert.ts';
import { shortTime } from '../domain/local-time.ts';
import { type Answers, OUTSIDE } from '../domain/way-back.ts';
import { reachedFrom } from '../process/public-address.ts';
import { clean } from '../process/text.ts';
import { type Language, languageFor } from '../words/language.ts';
import { firedOf, named, placeOf, trippedOf } from '../words/names.ts';
import { explainNotice } from '../words/notice.ts';
import type { VoiceWords, Words } from '../words/types.ts';
import { answersOf, wayBackOf } from './answers.ts';
import type { CallSaid, TextSaid } from './channel.ts';
import { withPlainSigns } from './gsm7.ts';
import { moreBefore } from './sms.ts';

/** What is said on a call. Plain text, safe in any markup once escaped. */
export interface VoiceMessage {
  /** Language and region of the words (BCP 47), for the voice. */
  language: string;
  /** In order, each a whole sentence. */
  sentences: string[];
  /** The keys that can be pressed. Empty if nothing can be answered or nobody would receive it. */
  menu: string;
  /** What is said before the message is repeated after an unknown key. */
  notUnderstood: string;
  /** The last words. */
  goodbye: string;
}

/** The longest name, address and label to be spoken, in characters. */
const MOST = { name: 60, address: 120, label: 60 };

/**
 * Writes a message as it is said on a call, in the language of the person's locale, otherwise in English. `answers`:
 * whether keys reach us; by default of a carrier outside.
 */
export function writeVoiceMessage(alert: Alert, answers: Answers = answersOf(alert, OUTSIDE)): VoiceMessage {
  const language = languageFor(alert.locale);
  const { voice } = language.words;
  const answerable = answers === 'come_back';
  const taken = alert.purpose === 'acknowledged' || ('acknowledgedBy' in alert && alert.acknowledgedBy !== '');
  return {
    language: language.voice,
    sentences: inOrder(
      alert,
      voice.greeting(speakableName(alert.contactName, language.words)),
      sentencesOf(alert, language),
    ),
    menu: answerable ? (taken ? voice.menuHearAgain : voice.menu) : '',
    notUnderstood: voice.notUnderstood,
    goodbye: taken ? voice.goodbye : goodbyeFor(wayBackOf(alert), answers, voice),
  };
}

/** That it is a drill comes before all else. */
function inOrder(alert: Alert, greeting: string, [first, ...others]: string[]): string[] {
  const isDrill = 'environment' in alert && alert.environment === 'drill' && first !== undefined;
  return isDrill ? [first, greeting, ...others] : [greeting, ...(first === undefined ? [] : [first]), ...others];
}

/** The last words name the other way to respond, if there is one. */
function goodbyeFor(wayBack: WayBack | null, answers: Answers, voice: VoiceWords): string {
  if (wayBack === null) return voice.goodbye;
  if (answers === 'come_back') return voice.goodbyeWithLink;
  return reachedFrom(wayBack.carrierUrl) === 'network' ? voice.goodbyeInNetwork : voice.goodbyeUnanswered;
}

/**
 * Returns one sentence in answer to a key. `by`: who acknowledged; the sentence is in the language of `locale`,
 * otherwise English.
 */
export function sayOnCall(said: CallSaid, { locale, by }: { locale: string; by: string }) {
  const { words, voice: language } = languageFor(locale);
  const { voice } = words;
  const sentences: Record<CallSaid, string> = {
    acknowledged: voice.youAcknowledged,
    drill_answered: voice.drillAnswered,
    already_acknowledged: voice.alreadyAcknowledged(speakableName(by, words)),
    already_closed: voice.alreadyClosed,
    over: voice.over,
    try_link: voice.tryLink,
  };
  return { language, sentence: sentences[said] };
}

/**
 * Writes an SMS in answer to another, in GSM 03.38 if its names allow it. `by`: who acknowledged; `code`: what was
 * written.
 */
export function writeBack(said: TextSaid, on: { locale: string; by: string; code: string }): string {
  const { words } = languageFor(on.locale);
  const { sms } = words;
  const texts: Record<TextSaid, string> = {
    acknowledged: sms.youAcknowledged,
    drill_answered: sms.drillAnswered,
    already_acknowledged: sms.alreadyAcknowledged(named(on.by, words, MOST.name)),
    already_closed: sms.alreadyClosed,
    unknown_code: sms.unknownCode(clean(on.code, 12)),
    not_understood: sms.notUnderstood,
    try_again: sms.tryAgain,
  };
  return withPlainSigns(texts[said]);
}

function sentencesOf(alert: Alert, language: Language): string[] {
  const { words } = language;
  const { voice } = words;
  switch (alert.purpose) {
    case 'drill':
      return [voice.drilled];
    case 'verification': {
      const code = [...speakable(alert.code)].filter(sign => sign !== ' ').join(', ');
      const account = speakableName(alert.accountName, words);
      return [voice.verificationAsked(account), voice.verificationCode(code), voice.verificationTodo];
    }
    case 'notice':
      return [clean(explainNotice(alert.notice, alert.about, alert), 400)];
    default:
      if (alert.environment === 'drill') return [voice.environment.drill, voice.drillTodo];
      return [voice.environment[alert.environment], ...incidentSentences(alert, language)];
  }
}

function incidentSentences(alert: IncidentAlert, { words, locale }: Language): string[] {
  const { voice } = words;
  const fired = firedOf(alert, words, MOST.name);
  const what = fired.what === null ? null : orNameless(speakable(fired.what), words);
  const time = (at: number) => shortTime(at, alert.firstTriedAt, locale, alert.timeZone).replace(/\s/g, ' ');
  const sentences = [
    voice.fired({ ...fired, source: orNameless(speakable(fired.source), words), what }),
    ...(alert.sourceKind === 'panic_button' && alert.responseKind !== null ? [wantedOf(alert, what, voice)] : []),
    ...trippedBy(alert, voice, time),
    voice.place(orNameless(speakable(placeOf(alert, words, MOST)), words)),
    voice.time(time(alert.openedAt)),
  ];
  const by = alert.acknowledgedBy === '' ? [] : [voice.acknowledgedBy(speakableName(alert.acknowledgedBy, words))];
  switch (alert.purpose) {
    case 'acknowledged':
      return [...by, ...sentences];
    case 'still_happening': {
      const triggers = voice.triggers(alert.triggerCount, time(alert.lastTriggerAt));
      return [voice.stillHappening, ...sentences, triggers, ...(by.length === 0 ? [words.notAcknowledged] : by)];
    }
    case 'alert':
      return [
        ...(alert.asked === 'again' ? [voice.askedAgain] : []),
        ...sentences,
        ...moreBefore(alert, voice.moreBefore),
      ];
  }
}

/** What tripped it; nothing where no label can be spoken. What joined is told only where that is the news. */
function trippedBy(alert: IncidentAlert, voice: VoiceWords, time: (at: number) => string): string[] {
  const labels = trippedOf(alert, MOST.label).map(speakable);
  const [first, ...joined] = labels.filter(label => label !== '');
  if (first === undefined) return [];
  if (alert.silentSince !== null) return [voice.silentSince(first, time(alert.silentSince))];
  return [voice.trippedBy(first, alert.purpose === 'still_happening' ? joined : [])];
}

function wantedOf({ responseKind, responseText }: IncidentAlert, what: string | null, voice: VoiceWords): string {
  const isTold = responseKind === 'other' && responseText !== undefined && what !== null;
  return isTold ? voice.wantedOther(what) : voice.wanted[responseKind ?? 'other'];
}

function speakableName(name: string, words: Words): string {
  return orNameless(speakable(clean(name, MOST.name)), words);
}

function orNameless(said: string, words: Words): string {
  return said || speakable(words.nameless);
}

/**
 * Returns a clean text that a voice reads well: letters, digits and the few characters that make it pause or are part
 * of a word. Long numbers are read digit by digit: nobody finds a house by "one thousand and ten".
 */
function speakable(text: string): string {
  return text
    .replace(/[^\p{L}\p{M}\p{N}\s.,'’&+-]/gu, ' ')
    .replace(/\p{Nd}{4,}/gu, digits => [...digits].join(' '))
    .replace(/\s+/g, ' ')
    .replace(/\s(?=[.,])/g, '')
    .replace(/[.,\s]+$/, '')
    .trim();
}

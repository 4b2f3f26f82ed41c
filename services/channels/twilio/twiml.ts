import type { Alert, IncidentAlert } from '../../domain/alert.ts';
import type { CallPreface } from '../channel.ts';
import { writeVoiceMessage } from '../voice.ts';
import { callbackUrl } from './way-back.ts';

/** The most that a call may carry itself, in characters (Calls resource, `Twiml`). */
const MOST_INLINE = 4000;

/** Regions that only some makers of voices know, and the nearest one that all of them do: else the carrier may say nothing. */
const NEAREST: Readonly<Record<string, string>> = {
  'de-AT': 'de-DE',
  'en-IE': 'en-GB',
  'en-NZ': 'en-AU',
  'en-ZA': 'en-GB',
};

/** How long a key is waited for after the last word, in seconds. */
const KEY_WAIT_S = 8;

/**
 * The message of an alert on a call whose keys come back to us: said twice, each time with a wait for a key, then a
 * goodbye. No answer to a missing key is asked for: an answering machine never presses one, and would be spoken to without end.
 */
export function speakAlert(alert: IncidentAlert, preface: CallPreface): string {
  const { language, sentences, menu, notUnderstood, goodbye } = writeVoiceMessage(alert);
  const speak = speaker(language, alert.voice);
  if (menu === '' || alert.wayBack === null) return speakTwice(speak, sentences, goodbye);
  const action = callbackUrl(alert.wayBack, 'key');
  const gather = (said: readonly string[]) =>
    `<Gather action="${escapeXml(action)}" method="POST" numDigits="1" timeout="${KEY_WAIT_S}">${speak(said)}</Gather>`;
  const said = [...sentences, menu];
  const first = preface === 'not_understood' ? [notUnderstood, ...said] : said;
  return document(`${PAUSE}${gather(first)}${gather(said)}${speak([goodbye])}${HANG_UP}`);
}

/** The message of an alert for a call that cannot come back to us: said twice, where it is too long for that once. */
export function speakInline(alert: Alert): string {
  const { language, sentences, goodbye } = writeVoiceMessage(alert);
  const speak = speaker(language, alert.voice);
  const shorter = sentences.map((_, left) => speakOnce(speak, sentences.slice(0, sentences.length - left), goodbye));
  const fits = [speakTwice(speak, sentences, goodbye), ...shorter].find(said => said.length <= MOST_INLINE);
  return fits ?? document(`${speak([goodbye])}${HANG_UP}`);
}

/** One sentence, then the call ends. */
export function speakSentence({ language, voice, sentence }: { language: string; voice: string; sentence: string }) {
  return document(`${speaker(language, voice)([sentence])}${HANG_UP}`);
}

/** One text in answer to one. */
export function writeTextBack(text: string): string {
  return document(`<Message>${escapeXml(text)}</Message>`);
}

/** Ends a call, writes nothing back, and means nothing to a status: right wherever the carrier asks. */
export const NOTHING_TO_DO = document('');

type Speak = (sentences: readonly string[]) => string;

/** People lift the phone to the ear before they listen. */
const PAUSE = '<Pause length="1"/>';
const HANG_UP = '<Hangup/>';

function speakTwice(speak: Speak, sentences: readonly string[], goodbye: string): string {
  return document(`${PAUSE}${speak(sentences)}${PAUSE}${speak(sentences)}${speak([goodbye])}${HANG_UP}`);
}

function speakOnce(speak: Speak, sentences: readonly string[], goodbye: string): string {
  return document(`${PAUSE}${speak(sentences)}${speak([goodbye])}${HANG_UP}`);
}

/**
 * A voice with a maker's name before it (`Polly.Vicki`) has its language, and one beside it that does not fit would make
 * the carrier say nothing. The others (`woman`) need one. A name that is none is left out: the message is spoken in any case.
 */
function speaker(language: string, voice: string): Speak {
  const named = /^[A-Za-z0-9._-]{1,60}$/.test(voice) ? ` voice="${voice}"` : '';
  const spoken = named.includes('.') ? '' : ` language="${escapeXml(NEAREST[language] ?? language)}"`;
  return sentences => `<Say${spoken}${named}>${escapeXml(sentences.join(' '))}</Say>`;
}

function document(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content}</Response>`;
}

/** Makes a text stand for itself in XML 1.0, which has no place at all for some characters. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

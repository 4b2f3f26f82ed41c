import type { Alert, IncidentAlert } from '../domain/alert.ts';
import type { CallPreface } from './channel.ts';
import { writeVoiceMessage } from './voice.ts';

/** How long a phone rings, in seconds: longer than a person takes to wake up, shorter than most carriers allow. */
export const RING_S = 35;

/** The longest call, in seconds: enough to hear the message several times, without being expensive. */
export const LONGEST_CALL_S = 300;

/** The most TwiML that a call request may contain, in characters (Calls resource, `Twiml`). */
const MOST_INLINE = 4000;

/**
 * Regions that only some voice makers support, and the nearest one that all do: otherwise the carrier may say nothing.
 */
const NEAREST: Readonly<Record<string, string>> = {
  'de-AT': 'de-DE',
  'en-IE': 'en-GB',
  'en-NZ': 'en-AU',
  'en-ZA': 'en-GB',
};

/** How long to wait for a key after the last word, in seconds. */
const KEY_WAIT_S = 8;

/**
 * The message of an alert for a call whose keys come back to us: said twice, each time followed by a wait for a key,
 * then a goodbye. A missing key is not reported: an answering machine never presses one and would be spoken to without
 * end. `keyUrl`: where a key is told.
 */
export function speakAlert(alert: IncidentAlert, preface: CallPreface, keyUrl: string | null): string {
  const { language, sentences, menu, notUnderstood, goodbye } = writeVoiceMessage(alert, 'come_back');
  const speak = speaker(language, alert.voice);
  if (menu === '' || keyUrl === null) return speakTwice(speak, sentences, goodbye);
  const gather = (said: readonly string[]) =>
    `<Gather action="${escapeXml(keyUrl)}" method="POST" numDigits="1" timeout="${KEY_WAIT_S}">${speak(said)}</Gather>`;
  const said = [...sentences, menu];
  const first = preface === 'not_understood' ? [notUnderstood, ...said] : said;
  return document(`${PAUSE}${gather(first)}${gather(said)}${speak([goodbye])}${HANG_UP}`);
}

/** The message of an alert for a call that cannot come back to us: said twice, or once if it is too long for that. */
export function speakInline(alert: Alert): string {
  const { language, sentences, goodbye } = writeVoiceMessage(alert, 'lost');
  const speak = speaker(language, alert.voice);
  const shorter = sentences.map((_, left) => speakOnce(speak, sentences.slice(0, sentences.length - left), goodbye));
  const fits = [speakTwice(speak, sentences, goodbye), ...shorter].find(said => said.length <= MOST_INLINE);
  return fits ?? document(`${speak([goodbye])}${HANG_UP}`);
}

/** Says one sentence, then ends the call. */
export function speakSentence({ language, voice, sentence }: { language: string; voice: string; sentence: string }) {
  return document(`${speaker(language, voice)([sentence])}${HANG_UP}`);
}

/** Answers one text with another. */
export function writeTextBack(text: string): string {
  return document(`<Message>${escapeXml(text)}</Message>`);
}

/** Ends a call, writes nothing back, and means nothing to a status: valid wherever the carrier asks. */
export const NOTHING_TO_DO = document('');

type Speak = (sentences: readonly string[]) => string;

/** People lift the phone to their ear before they listen. */
const PAUSE = '<Pause length="1"/>';
const HANG_UP = '<Hangup/>';

function speakTwice(speak: Speak, sentences: readonly string[], goodbye: string): string {
  return document(`${PAUSE}${speak(sentences)}${PAUSE}${speak(sentences)}${speak([goodbye])}${HANG_UP}`);
}

function speakOnce(speak: Speak, sentences: readonly string[], goodbye: string): string {
  return document(`${PAUSE}${speak(sentences)}${speak([goodbye])}${HANG_UP}`);
}

/**
 * A voice with a maker's name before it (`Polly.Vicki`) implies its language; naming a language that does not match
 * would make the carrier say nothing. Other voices (`woman`) need one. An invalid name is left out, so that the message
 * is spoken in any case.
 */
function speaker(language: string, voice: string): Speak {
  const named = /^[A-Za-z0-9._-]{1,60}$/.test(voice) ? ` voice="${voice}"` : '';
  const spoken = named.includes('.') ? '' : ` language="${escapeXml(NEAREST[language] ?? language)}"`;
  return sentences => `<Say${spoken}${named}>${escapeXml(sentences.join(' '))}</Say>`;
}

function document(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Response>${content}</Response>`;
}

/** Escapes a text for XML 1.0, which does not allow some characters at all. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '')
    .replace(/[&<>"']/g, sign => `&#${sign.charCodeAt(0)};`);
}

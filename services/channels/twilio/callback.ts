import type { WayBack } from '../../domain/alert.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { callbackUrl } from '../callback-url.ts';
import type { CarrierCallback, CarrierNews } from '../channel.ts';
import { type Fields, hasTooManyFields, keyIn, one, readForm } from '../form.ts';
import { CALL_STATUSES, type Standing, standingOf } from '../phone-standing.ts';
import { NOTHING_TO_DO, speakAlert, speakSentence, writeTextBack } from '../twiml.ts';
import { sayOnCall, writeBack } from '../voice.ts';
import type { TwilioSettings } from './api.ts';
import { codeFault } from './faults.ts';
import { isSigned } from './signature.ts';
import { MESSAGE_STATUSES } from './standing.ts';
import { withoutWhatsApp } from './whatsapp.ts';

/** An HMAC-SHA1 in base64. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/;

/** Reads and answers Twilio's own requests: forms that it signs, and TwiML. */
export function createTwilioCallback({ authToken }: Pick<TwilioSettings, 'authToken'>): CarrierCallback {
  return {
    read({ topic, url, headers, body }) {
      const signature = headers['x-twilio-signature'] ?? '';
      // Sorting and signing what a stranger sent costs: it has to look like Twilio's first.
      if (!SIGNATURE.test(signature) || hasTooManyFields(body)) return { kind: 'forged' };
      const fields = readForm(body);
      if (!isSigned({ authToken, url, fields, signature })) return { kind: 'forged' };
      return (
        READERS.get(topic)?.(fields) ?? unreadable(`no such topic: it is none of ${[...READERS.keys()].join(', ')}`)
      );
    },
    answer(answer) {
      switch (answer.kind) {
        case 'noted':
          return twiml(NOTHING_TO_DO);
        case 'speak_alert':
          return twiml(speakAlert(answer.alert, answer.preface, keyUrl(answer.alert.wayBack)));
        case 'speak':
          return twiml(speakSentence({ ...sayOnCall(answer.said, answer), voice: answer.voice }));
        case 'write':
          return twiml(writeTextBack(writeBack(answer.said, answer)));
      }
    },
  };
}

const READERS: ReadonlyMap<string, (fields: Fields) => CarrierNews> = new Map([
  ['status', readStatus],
  ['voice', () => ({ kind: 'answered' })],
  ['key', readKey],
  ['text', readText],
]);

/** The status of a text (`MessageSid`) or a call (`CallSid`). */
function readStatus(fields: Fields): CarrierNews {
  const code = Number(one(fields, 'ErrorCode') || 0);
  if (!Number.isSafeInteger(code)) return unreadable('ErrorCode is no number');
  if (fields.has('MessageSid'))
    return newsOf(one(fields, 'MessageSid'), one(fields, 'MessageStatus'), MESSAGE_STATUSES, code);
  return newsOf(one(fields, 'CallSid'), one(fields, 'CallStatus'), CALL_STATUSES, code);
}

function newsOf(
  sid: string | null,
  status: string | null,
  statuses: ReadonlyMap<string, Standing>,
  code: number,
): CarrierNews {
  if (sid === null || !/^(SM|MM|CA)[0-9a-fA-F]{32}$/.test(sid))
    return unreadable('no MessageSid or CallSid, or several');
  const standing = status === null ? null : standingOf(statuses, status, code, codeFault);
  if (standing === null) return unreadable('no status that is known');
  if (standing.kind === 'under_way') return { kind: 'nothing' };
  if (standing.kind === 'arrived') return { kind: 'arrived', providerRef: sid };
  const { lasts, reason } = standing.fault;
  return { kind: 'fault', providerRef: sid, lasts, reason };
}

function readKey(fields: Fields): CarrierNews {
  const key = keyIn(fields);
  return key === null ? unreadable('Digits are no keys') : { kind: 'key', key };
}

/** Short codes and names also write, but were never alerted. Twilio itself answers STOP, START and HELP. Over WhatsApp the number is the same person's. */
function readText(fields: Fields): CarrierNews {
  const written = one(fields, 'From');
  const from = written === null ? null : withoutWhatsApp(written);
  const text = fields.has('Body') ? one(fields, 'Body') : '';
  if (from === null || text === null) return unreadable('no From, or several, or several texts');
  if (!PHONE_NUMBER.test(from) || fields.has('OptOutType')) return { kind: 'nothing' };
  return { kind: 'reply', from, text };
}

function keyUrl(wayBack: WayBack | null): string | null {
  return wayBack === null ? null : callbackUrl('twilio', wayBack, 'key');
}

function unreadable(problem: string): CarrierNews {
  return { kind: 'unreadable', problem };
}

function twiml(body: string): { status: number; contentType: string; body: string } {
  return { status: 200, contentType: 'text/xml; charset=utf-8', body };
}

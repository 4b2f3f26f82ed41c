import { z } from 'zod';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { callbackUrl } from '../callback-url.ts';
import type { CarrierCallback, CarrierNews, CarrierRequest } from '../channel.ts';
import { hasTooManyFields, keyIn, one, readForm } from '../form.ts';
import { parseAs } from '../http-words.ts';
import { CALL_STATUSES, type Standing, standingOf } from '../phone-standing.ts';
import { NOTHING_TO_DO, speakAlert, speakSentence } from '../twiml.ts';
import { sayOnCall, writeBack } from '../voice.ts';
import { createApi, type TelnyxSettings } from './api.ts';
import { codeFault } from './faults.ts';
import { isOurs, isSigned, readPublicKey, withProof } from './signature.ts';
import { TEXT_STATUSES } from './standing.ts';
import { voiceAt } from './voice.ts';

/** How long the carrier may take for a text in answer to another, in milliseconds. */
const WRITE_BACK_MS = 10_000;

/**
 * Reads and answers Telnyx's own requests: events in JSON about texts, forms about calls, which TeXML answers. Both are
 * signed with the time and without the address, which therefore carries a proof of ours; only the address for replies,
 * the same for all, stands in the account and has none.
 */
export function createTelnyxCallback(settings: TelnyxSettings): CarrierCallback {
  const { apiKey, from } = settings;
  const publicKey = readPublicKey(settings.publicKey);
  const api = createApi(settings);
  return {
    read(request) {
      const { topic, url, headers, body } = request;
      if (!isSigned({ publicKey, headers, body })) return { kind: 'forged' };
      if (topic !== 'text' && !isOurs(apiKey, url)) return { kind: 'forged' };
      const read = READERS.get(topic);
      return read?.(request) ?? unreadable(`no such topic: it is none of ${[...READERS.keys()].join(', ')}`);
    },
    answer(answer) {
      switch (answer.kind) {
        // What is written back goes out by itself.
        case 'noted':
        case 'write':
          return texml(NOTHING_TO_DO);
        case 'speak_alert': {
          const { alert, preface } = answer;
          const keyUrl = alert.wayBack === null ? null : withProof(apiKey, callbackUrl('telnyx', alert.wayBack, 'key'));
          return texml(speakAlert({ ...alert, voice: voiceAt(alert.voice) }, preface, keyUrl));
        }
        case 'speak':
          return texml(speakSentence({ ...sayOnCall(answer.said, answer), voice: voiceAt(answer.voice) }));
      }
    },
    async writeBack(to, answer) {
      const text = writeBack(answer.said, answer);
      const created = await api.create('text', { to, from, type: 'SMS', text }, WRITE_BACK_MS);
      return created.kind === 'fault' ? created.fault.reason : null;
    },
  };
}

const READERS: ReadonlyMap<string, (request: CarrierRequest) => CarrierNews> = new Map([
  ['status', ({ body }) => (body.trimStart().startsWith('{') ? readTextStatus(body) : readCallStatus(body))],
  ['voice', () => ({ kind: 'answered' })],
  ['key', readKey],
  ['text', readText],
]);

const ref = z.string().regex(/^[!-~]{1,200}$/);
const code = z.coerce.number().int().min(0).max(99_999);
const textStatus = z.object({
  data: z.object({
    payload: z.object({
      id: ref,
      to: z.array(z.object({ status: z.string() })).length(1),
      // Why it failed may be said in any way: that it did counts.
      errors: z
        .array(z.object({ code: code.catch(0) }).catch({ code: 0 }))
        .nullish()
        .catch(null),
    }),
  }),
});

function readTextStatus(body: string): CarrierNews {
  const read = parseAs(textStatus, body)?.data.payload ?? null;
  if (read === null) return unreadable('it is no event about one text to one number');
  return newsOf(read.id, standingOf(TEXT_STATUSES, read.to[0]!.status, read.errors?.[0]?.code ?? 0, codeFault));
}

function readCallStatus(body: string): CarrierNews {
  if (hasTooManyFields(body)) return unreadable('it has too many fields');
  const fields = readForm(body);
  const sid = ref.safeParse(one(fields, 'CallSid')).data;
  if (sid === undefined) return unreadable('no CallSid, or several');
  const failed = code.safeParse(one(fields, 'ErrorCode') || 0).data ?? 0;
  return newsOf(sid, standingOf(CALL_STATUSES, one(fields, 'CallStatus') ?? '', failed, codeFault));
}

function newsOf(providerRef: string, standing: Standing | null): CarrierNews {
  if (standing === null) return unreadable('no status that is known');
  if (standing.kind === 'under_way') return { kind: 'nothing' };
  if (standing.kind === 'arrived') return { kind: 'arrived', providerRef };
  const { lasts, reason } = standing.fault;
  return { kind: 'fault', providerRef, lasts, reason };
}

function readKey({ body }: CarrierRequest): CarrierNews {
  const key = hasTooManyFields(body) ? null : keyIn(readForm(body));
  return key === null ? unreadable('Digits are no keys') : { kind: 'key', key };
}

const event = z.object({ data: z.object({ event_type: z.string(), payload: z.unknown() }) });
const received = z.object({ from: z.object({ phone_number: z.string() }), text: z.string().nullish() });

/** What became of texts without an address of their own is told here too. Short codes and names write, but were never alerted. */
function readText({ body }: CarrierRequest): CarrierNews {
  const read = parseAs(event, body)?.data ?? null;
  if (read === null) return unreadable('it is no event');
  if (read.event_type !== 'message.received') return { kind: 'nothing' };
  const { data: text } = received.safeParse(read.payload);
  if (text === undefined) return unreadable('no number that wrote, or no text');
  if (!PHONE_NUMBER.test(text.from.phone_number)) return { kind: 'nothing' };
  return { kind: 'reply', from: text.from.phone_number, text: text.text ?? '' };
}

function unreadable(problem: string): CarrierNews {
  return { kind: 'unreadable', problem };
}

function texml(body: string): { status: number; contentType: string; body: string } {
  return { status: 200, contentType: 'text/xml; charset=utf-8', body };
}

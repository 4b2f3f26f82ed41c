import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { TelnyxResource } from './telnyx.ts';
import { parseTwiml, type Twiml } from './twiml.ts';

/** A request of the carrier's own: signed under another key, for another body, or ten minutes ago. */
export type TelnyxSigns = 'right' | 'wrong' | 'missing' | 'of_another_body' | 'long_ago' | 'long_after';

interface Signed {
  signs?: TelnyxSigns;
}

/** What was answered to a request of the carrier's own. */
export interface TelnyxAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** What the carrier asks of the product, and the phone behind it, which a test moves. */
export interface TelnyxCallbacks {
  /** A text or call comes to stand so: tells the address that it was given; null: it has none for this. */
  tell(ref: string, status: string, on?: Signed & { errorCode?: string; url?: string }): Promise<TelnyxAnswer | null>;
  /** The phone is answered: what is said, from the call itself or from its Url. */
  answerCall(ref: string, on?: Signed): Promise<Twiml>;
  /** A key is pressed while the first Gather of what was said last waits. */
  press(ref: string, digits: string, on?: Signed): Promise<Twiml>;
  /** Somebody writes to the number. What they get back is a text like any other. */
  replyTo(from: string, body: string, inboundUrl: string, on?: Signed): Promise<TelnyxAnswer>;
  /** A signed request with any body at all. */
  post(url: string, body: string, on?: Signed): Promise<TelnyxAnswer>;
}

const AGO_S: Partial<Record<TelnyxSigns, number>> = { long_ago: 600, long_after: -600 };

export function createTelnyxCallbacks(account: {
  privateKey: KeyObject;
  from: string;
  find(ref: string): TelnyxResource;
}): TelnyxCallbacks {
  const { privateKey, from, find } = account;
  const spoken = new Map<string, Twiml>();

  async function post(url: string, body: string, { signs = 'right' }: Signed = {}): Promise<TelnyxAnswer> {
    const at = String(Math.floor(Date.now() / 1000) - (AGO_S[signs] ?? 0));
    const key = signs === 'wrong' ? generateKeyPairSync('ed25519').privateKey : privateKey;
    const signed = `${at}|${body}${signs === 'of_another_body' ? ' ' : ''}`;
    const signature = sign(null, Buffer.from(signed), key).toString('base64');
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded',
        'user-agent': 'telnyx-webhooks',
        ...(signs !== 'missing' && { 'telnyx-timestamp': at, 'telnyx-signature-ed25519': signature }),
      },
      body,
      redirect: 'manual',
    });
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, body: await response.text() };
  }

  function formOf(ref: string, fields: Record<string, string>): string {
    const { To } = find(ref).fields;
    return new URLSearchParams({
      ...{ AccountSid: 'f5586561-8ff0-4291-a51b-c7dfe4139ff9', CallSid: ref, CallSidLegacy: ref },
      ...{ From: from, To: String(To), ...fields },
    }).toString();
  }

  async function ask(ref: string, url: string, fields: Record<string, string>, on: Signed): Promise<Twiml> {
    const answer = await post(url, formOf(ref, { CallStatus: 'in-progress', ...fields }), on);
    if (answer.status !== 200 || !/^text\/xml\b/.test(answer.contentType))
      throw new Error(`The call ends: ${answer.status} ${answer.contentType}`);
    const said = parseTwiml(answer.body);
    spoken.set(ref, said);
    return said;
  }

  return {
    post,
    async tell(ref, status, { errorCode, url, ...on } = {}) {
      const { fields } = find(ref);
      const isCall = 'To' in fields;
      const told = url ?? ((isCall ? fields.StatusCallback : fields.webhook_url) as string | undefined);
      if (told === undefined) return null;
      if (isCall) {
        const failed = errorCode === undefined ? {} : { ErrorCode: errorCode };
        const source = { CallbackSource: 'call-progress-events', SequenceNumber: '3' };
        return post(told, formOf(ref, { CallStatus: status, ...source, ...failed }), on);
      }
      const payload = {
        ...{ record_type: 'message', direction: 'outbound', id: ref, type: 'SMS', text: fields.text },
        ...{ from: { phone_number: from }, to: [{ phone_number: fields.to, status }], webhook_url: told },
        errors: errorCode === undefined ? [] : [{ code: errorCode, title: 'No' }],
      };
      return post(told, eventOf(status === 'sent' ? 'message.sent' : 'message.finalized', payload), on);
    },
    async answerCall(ref, on = {}) {
      const { Url, Texml } = find(ref).fields;
      if (typeof Url === 'string') return ask(ref, Url, {}, on);
      return parseTwiml(String(Texml));
    },
    async press(ref, digits, on = {}) {
      const action = spoken.get(ref)?.gathers[0]?.attributes.action;
      if (action === undefined) throw new Error('Nothing waits for a key.');
      return ask(ref, action, { Digits: digits }, on);
    },
    replyTo(phone, body, inboundUrl, on = {}) {
      const payload = {
        ...{ record_type: 'message', direction: 'inbound', id: '84cca175-9755-4859-b67f-4730d7f58aa3', type: 'SMS' },
        ...{ from: { phone_number: phone }, to: [{ phone_number: from, status: 'webhook_delivered' }], text: body },
      };
      return post(inboundUrl, eventOf('message.received', payload), on);
    },
  };
}

function eventOf(type: string, payload: object): string {
  const data = { record_type: 'event', event_type: type, occurred_at: new Date().toISOString(), payload };
  return JSON.stringify({ data: { ...data, id: 'b301ed3f-1490-491f-995f-6e64e69674d4' }, meta: { attempt: 1 } });
}

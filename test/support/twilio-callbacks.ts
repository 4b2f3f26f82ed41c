import { createHmac, randomBytes } from 'node:crypto';
import type { TwilioResource } from './twilio-resource.ts';
import { parseTwiml, type Twiml } from './twiml.ts';

/** A request of the carrier's own: `wrong` is signed under another token, `of_another_url` as if it went elsewhere. */
export type TwilioSigns = 'right' | 'wrong' | 'missing' | 'of_another_url';

/** What was answered to a request of the carrier's own. */
export interface CallbackAnswer {
  status: number;
  contentType: string;
  body: string;
}

/** What the carrier asks of the product, and the phone behind it, which a test moves. */
export interface TwilioCallbacks {
  /** A text or call comes to stand so: tells its StatusCallback, and gives its answer; null: it has none for this. */
  tell(sid: string, status: string, on?: { errorCode?: number; signs?: TwilioSigns }): Promise<CallbackAnswer | null>;
  /** The phone is answered: what is said, from the call itself or from its Url. */
  answerCall(sid: string, on?: { signs?: TwilioSigns }): Promise<Twiml>;
  /** A key is pressed while the first Gather of what was said last waits. Empty, none in time: throws where the Gather tells nobody. */
  press(sid: string, digits: string, on?: { signs?: TwilioSigns }): Promise<Twiml>;
  /**
   * Somebody writes to the number, or from `whatsapp:` and theirs to the WhatsApp sender: the text that they get back; null: none. `more`: further
   * fields of the form.
   */
  replyTo(
    from: string,
    body: string,
    inboundUrl: string,
    on?: { signs?: TwilioSigns; more?: Record<string, string> },
  ): Promise<string | null>;
  /** A signed request with any fields or body at all. */
  post(url: string, body: URLSearchParams | string, on?: { signs?: TwilioSigns }): Promise<CallbackAnswer>;
}

/** The account at the carrier, and its texts and calls. */
interface TwilioAccount {
  accountSid: string;
  authToken: string;
  /** Its number, and the one of its WhatsApp sender. */
  from: string;
  whatsAppFrom: string;
  /** Throws where there is none. */
  find(sid: string): TwilioResource;
  become(sid: string, status: string, errorCode?: number): TwilioResource;
}

export function createTwilioCallbacks(account: TwilioAccount): TwilioCallbacks {
  const { accountSid, authToken, from, whatsAppFrom, find, become } = account;
  const spoken = new Map<string, { url: string; twiml: Twiml }>();

  async function post(url: string, body: URLSearchParams | string, on: { signs?: TwilioSigns } = {}) {
    const { signs = 'right' } = on;
    const signed = signs === 'of_another_url' ? `${url}x` : url;
    const signature = sign(
      signs === 'wrong' ? 'another token' : authToken,
      signed,
      new URLSearchParams(body.toString()),
    );
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=UTF-8',
        'user-agent': 'TwilioProxy/1.1',
        ...(signs === 'missing' ? {} : { 'x-twilio-signature': signature }),
      },
      body: body.toString(),
      redirect: 'manual',
    });
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, body: await response.text() };
  }

  function about(call: TwilioResource): Record<string, string> {
    const { To = '', From = '' } = call.fields;
    return { AccountSid: accountSid, ApiVersion: '2010-04-01', To, From, Direction: 'outbound-api' };
  }

  /** Asks for a document as the carrier does; a page that is none is what people hear as an application error. */
  async function ask(sid: string, url: string, fields: Record<string, string>, on: { signs?: TwilioSigns }) {
    const call = find(sid);
    const form = new URLSearchParams({ CallSid: sid, CallStatus: call.status, ...about(call), ...fields });
    const answer = await post(url, form, on);
    if (answer.status !== 200 || !/^(text|application)\/xml\b/.test(answer.contentType)) {
      throw new Error(`An application error has occurred: ${answer.status} ${answer.contentType}`);
    }
    const twiml = parseTwiml(answer.body);
    spoken.set(sid, { url, twiml });
    return twiml;
  }

  return {
    async tell(sid, status, { errorCode, ...on } = {}) {
      const told = become(sid, status, errorCode);
      const { StatusCallback, StatusCallbackEvent = 'completed' } = told.fields;
      const isCall = sid.startsWith('CA');
      const event = ENDS.includes(status) ? 'completed' : status === 'in-progress' ? 'answered' : status;
      if (StatusCallback === undefined || (isCall && StatusCallbackEvent !== event)) return null;
      const standing = isCall
        ? { CallSid: sid, CallStatus: status, CallbackSource: 'call-progress-events', SequenceNumber: '0' }
        : { MessageSid: sid, SmsSid: sid, MessageStatus: status, SmsStatus: status, ...ofChannel(told.fields.To) };
      const fields = {
        ...about(told),
        ...standing,
        ...(errorCode === undefined ? {} : { ErrorCode: String(errorCode) }),
      };
      return post(StatusCallback, new URLSearchParams(fields), on);
    },
    async answerCall(sid, on = {}) {
      const call = find(sid);
      call.status = 'in-progress';
      const { Url, Twiml: inline = '' } = call.fields;
      if (Url !== undefined) return ask(sid, Url, {}, on);
      const twiml = parseTwiml(inline);
      spoken.set(sid, { url: '', twiml });
      return twiml;
    },
    async press(sid, digits, on = {}) {
      const last = spoken.get(sid);
      const gather = last?.twiml.gathers[0];
      if (last === undefined || gather === undefined) throw new Error('Nothing waits for a key.');
      if (digits === '' && gather.attributes.actionOnEmptyResult !== 'true')
        throw new Error('The call goes on by itself.');
      const action = new URL(gather.attributes.action ?? last.url, last.url).href;
      return ask(sid, action, { Digits: digits, FinishedOnKey: '', msg: 'Gather End' }, on);
    },
    async replyTo(phone, body, inboundUrl, { more = {}, ...on } = {}) {
      const sid = `SM${randomBytes(16).toString('hex')}`;
      const fields = { MessageSid: sid, SmsSid: sid, SmsMessageSid: sid, AccountSid: accountSid, NumSegments: '1' };
      const form = new URLSearchParams({
        ...fields,
        From: phone,
        To: phone.startsWith('whatsapp:') ? `whatsapp:${whatsAppFrom}` : from,
        Body: body,
        NumMedia: '0',
        ApiVersion: '2010-04-01',
        ...(phone.startsWith('whatsapp:') && { ProfileName: 'Somebody', WaId: phone.slice('whatsapp:+'.length) }),
        ...more,
      });
      const answer = await post(inboundUrl, form, on);
      if (answer.status < 200 || answer.status > 299) throw new Error(`The reply was answered ${answer.status}.`);
      return answer.body === '' ? null : (parseTwiml(answer.body).written[0] ?? null);
    },
    post,
  };
}

/** What is told besides of a message that is no text. */
function ofChannel(to = ''): Record<string, string> {
  return to.startsWith('whatsapp:')
    ? { ChannelPrefix: 'whatsapp', ChannelToAddress: to.slice('whatsapp:'.length) }
    : {};
}

/** Of calls: the statuses of which the event `completed` tells. */
const ENDS: readonly string[] = ['completed', 'busy', 'no-answer', 'failed', 'canceled'];

/** Written anew, so that the product's own reading of it is held against something. */
function sign(token: string, url: string, form: URLSearchParams): string {
  const pairs = [...new Map([...form].map(pair => [JSON.stringify(pair), pair])).values()];
  pairs.sort(([a, x], [b, y]) => (a === b ? (x < y ? -1 : 1) : a < b ? -1 : 1));
  return createHmac('sha1', token)
    .update(url + pairs.flat().join(''), 'utf8')
    .digest('base64');
}

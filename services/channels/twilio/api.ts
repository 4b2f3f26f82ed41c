import { z } from 'zod';
import { get, type HttpAnswer, HttpFault, post } from '../http.ts';
import { answerOf, isTaken, parseAs } from '../http-words.ts';
import { type Fault, noAnswer, UNREADABLE } from '../phone-faults.ts';
import { refusalOf } from './faults.ts';

/** An account at Twilio, which texts, calls and WhatsApp share. */
export interface TwilioAccount {
  /** TWILIO_ACCOUNT_SID: `AC` and 32 hexadecimal digits. */
  accountSid: string;
  /** TWILIO_AUTH_TOKEN. */
  authToken: string;
  /** TWILIO_API_URL, without trailing slash. */
  apiUrl: string;
}

export interface TwilioSettings extends TwilioAccount {
  /** TWILIO_FROM, or TWILIO_WHATSAPP_FROM: a number in E.164. */
  from: string;
}

/** The two resources of the API that we create and list. */
export type Resource = 'Messages' | 'Calls';

/** A text or a call as the API lists it. */
export interface Listed {
  sid: string;
  status: string;
  /** 0 for none. */
  errorCode: number;
  /** The text; empty for calls. */
  body: string;
  /** When the carrier accepted it, milliseconds since 1970 by its own clock, in whole seconds. */
  createdAt: number;
}

/** The result of creating. `taken`: whether a text or call may exist nevertheless. `code` is the carrier's, if any. */
export type Created =
  | { kind: 'created'; sid: string }
  | { kind: 'fault'; fault: Fault; taken: 'no' | 'maybe'; code: number | null };

/** Those to one number, newest first, or why they could not be listed. */
export type Found = { kind: 'found'; listed: Listed[] } | { kind: 'fault'; fault: Fault };

/** The parts of Twilio's REST API that we use (https://www.twilio.com/docs/usage/api). Never throws. */
export interface Api {
  create(resource: Resource, form: URLSearchParams, timeoutMs: number): Promise<Created>;
  listTo(resource: Resource, number: string, timeoutMs: number): Promise<Found>;
  /** Requests only the account; null if the login is valid. */
  logIn(timeoutMs: number): Promise<Fault | null>;
}

/** Small enough for what is read of an answer (http.ts), and more than anybody is sent in a minute. */
const PAGE_SIZE = 20;

export function createApi({ accountSid, authToken, apiUrl }: TwilioAccount): Api {
  const account = `${apiUrl}/2010-04-01/Accounts/${accountSid}`;
  const headers = {
    authorization: `Basic ${Buffer.from(`${accountSid}:${authToken}`).toString('base64')}`,
    accept: 'application/json',
    'user-agent': 'tocsin',
  };
  return {
    async create(resource, form, timeoutMs) {
      const sent = await answerOf(
        post(`${account}/${resource}.json`, {
          headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          body: form.toString(),
          timeoutMs,
        }),
      );
      return sent instanceof HttpFault
        ? { kind: 'fault', fault: noAnswer(sent, timeoutMs), taken: sent.sent, code: null }
        : createdBy(sent);
    },
    /*
     * By number alone: a text has a sending date, and a call a start time, only once it has left the queue, so
     * filtering by these would hide exactly the one we look for.
     */
    async listTo(resource, number, timeoutMs) {
      const query = new URLSearchParams({ To: number, PageSize: String(PAGE_SIZE) });
      const sent = await answerOf(get(`${account}/${resource}.json?${query}`, { headers, timeoutMs }));
      return sent instanceof HttpFault ? { kind: 'fault', fault: noAnswer(sent, timeoutMs) } : foundIn(sent);
    },
    async logIn(timeoutMs) {
      const sent = await answerOf(get(`${account}.json`, { headers, timeoutMs }));
      if (sent instanceof HttpFault) return noAnswer(sent, timeoutMs);
      return isTaken(sent) ? null : refusalOf(sent).fault;
    },
  };
}

const sid = z.string().regex(/^(SM|MM|CA)[0-9a-fA-F]{32}$/);

const created = z.object({ sid });

/** A server that failed may have created what was requested before it did. */
function createdBy(answer: HttpAnswer): Created {
  if (!isTaken(answer)) {
    return { kind: 'fault', ...refusalOf(answer), taken: answer.status >= 400 && answer.status < 500 ? 'no' : 'maybe' };
  }
  const read = parseAs(created, answer.text);
  if (read === null) return { kind: 'fault', fault: UNREADABLE, taken: 'maybe', code: null };
  return { kind: 'created', sid: read.sid };
}

const listed = z.object({
  sid,
  status: z.string(),
  error_code: z.number().int().nullish(),
  body: z.string().nullish(),
  date_created: z.string(),
});

const page = z.union([
  z.object({ messages: z.array(listed) }).transform(({ messages }) => messages),
  z.object({ calls: z.array(listed) }).transform(({ calls }) => calls),
]);

function foundIn(answer: HttpAnswer): Found {
  if (!isTaken(answer)) return { kind: 'fault', fault: refusalOf(answer).fault };
  const read = parseAs(page, answer.text);
  if (read === null) return { kind: 'fault', fault: UNREADABLE };
  return {
    kind: 'found',
    listed: read.map(each => ({
      sid: each.sid,
      status: each.status,
      errorCode: each.error_code ?? 0,
      body: each.body ?? '',
      createdAt: Date.parse(each.date_created),
    })),
  };
}

import { z } from 'zod';
import { get, type HttpAnswer, HttpFault, post } from '../http.ts';
import { answerOf, isTaken, parseAs } from '../http-words.ts';
import { type Fault, noAnswer, UNREADABLE } from '../phone-faults.ts';
import { APPLICATION, LOW, refusalOf } from './faults.ts';

export interface TelnyxSettings {
  /** TELNYX_API_KEY. */
  apiKey: string;
  /** TELNYX_PUBLIC_KEY: the Ed25519 key of the account under which Telnyx signs, in base64. */
  publicKey: string;
  /** TELNYX_FROM: a number in E.164. */
  from: string;
  /** TELNYX_TEXML_APP: the id of the TeXML application that calls are made by. */
  texmlApp: string;
  /** TELNYX_API_URL, without trailing slash. */
  apiUrl: string;
}

/** The two things that we create. */
export type Resource = 'text' | 'call';

/**
 * The result of creating; `ref` is empty where the carrier names none. `taken`: whether a text or call may exist
 * nevertheless. `code` is the carrier's, if any.
 */
export type Created =
  | { kind: 'created'; ref: string }
  | { kind: 'fault'; fault: Fault; taken: 'no' | 'maybe'; code: number | null };

/** The parts of Telnyx's API that we use (https://developers.telnyx.com/api-reference). Never throws. */
export interface Api {
  create(resource: Resource, fields: Readonly<Record<string, unknown>>, timeoutMs: number): Promise<Created>;
  /** Requests what the account has left and, for calls, the application; null if both are well. */
  logIn(resource: Resource, timeoutMs: number): Promise<Fault | null>;
}

export function createApi({ apiKey, texmlApp, apiUrl }: TelnyxSettings): Api {
  const headers = { authorization: `Bearer ${apiKey}`, accept: 'application/json', 'user-agent': 'tocsin' };
  const paths: Record<Resource, string> = { text: '/v2/messages', call: `/v2/texml/calls/${texmlApp}` };

  async function look(path: string, timeoutMs: number, missing: Fault | null): Promise<HttpAnswer | Fault> {
    const sent = await answerOf(get(`${apiUrl}${path}`, { headers, timeoutMs }));
    if (sent instanceof HttpFault) return noAnswer(sent, timeoutMs);
    if (sent.status === 404 && missing !== null) return missing;
    return isTaken(sent) ? sent : refusalOf(sent).fault;
  }

  return {
    async create(resource, fields, timeoutMs) {
      const sent = await answerOf(
        post(`${apiUrl}${paths[resource]}`, {
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(fields),
          timeoutMs,
        }),
      );
      return sent instanceof HttpFault
        ? { kind: 'fault', fault: noAnswer(sent, timeoutMs), taken: sent.sent, code: null }
        : createdBy(sent);
    },
    async logIn(resource, timeoutMs) {
      const [left, application] = await Promise.all([
        look('/v2/balance', timeoutMs, null),
        resource === 'call' ? look(`/v2/texml_applications/${texmlApp}`, timeoutMs, APPLICATION) : null,
      ]);
      if ('who' in left) return left;
      if (application !== null && 'who' in application) return application;
      const credit = parseAs(balance, left.text)?.data.available_credit ?? null;
      return credit !== null && Number(credit) <= 0 ? LOW : null;
    },
  };
}

const balance = z.object({ data: z.object({ available_credit: z.string().regex(/^-?\d{1,12}(\.\d{1,12})?$/) }) });

const ref = z.string().regex(/^[!-~]{1,200}$/);

/** A text has its id in an envelope; a call is named at the top, and was not named at all by earlier versions of the API. */
const created = z.union([
  z.object({ data: z.object({ id: ref }) }).transform(({ data }) => data.id),
  z.object({ call_sid: ref }).transform(({ call_sid }) => call_sid),
  z.object({ data: z.object({ call_sid: ref }) }).transform(({ data }) => data.call_sid),
  z.object({ status: z.string(), to: z.string() }).transform(() => ''),
  z.object({ data: z.object({ status: z.string(), to: z.string() }) }).transform(() => ''),
]);

/** A server that failed may have created what was requested before it did. */
function createdBy(answer: HttpAnswer): Created {
  if (!isTaken(answer)) {
    return { kind: 'fault', ...refusalOf(answer), taken: answer.status >= 400 && answer.status < 500 ? 'no' : 'maybe' };
  }
  const read = parseAs(created, answer.text);
  if (read === null) return { kind: 'fault', fault: UNREADABLE, taken: 'maybe', code: null };
  return { kind: 'created', ref: read };
}

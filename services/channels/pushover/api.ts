import { z } from 'zod';
import { get, type HttpAnswer, post } from '../http.ts';

export interface PushoverSettings {
  /** PUSHOVER_TOKEN: the token of the operator's application. */
  token: string;
  /** PUSHOVER_API_URL, without trailing slash. */
  apiUrl: string;
}

/** What Pushover answers, as far as it counts here. `status` is 1 if it did what was asked; else the fields at fault are named. */
const ANSWER = z.object({
  status: z.number(),
  request: z.string().max(100).optional(),
  receipt: z.string().max(100).optional(),
  user: z.string().optional(),
  token: z.string().optional(),
  errors: z.array(z.string()).optional(),
});

export type PushoverAnswer = z.infer<typeof ANSWER>;

/**
 * Pushover's API (https://pushover.net/api). Its token stands in the address of what is read: no address of it is ever logged. Functions throw
 * HttpFault where there is no answer.
 */
export function createPushoverApi({ token, apiUrl }: PushoverSettings) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'tocsin' };
  const write = (path: string, fields: Readonly<Record<string, string>>, timeoutMs: number) =>
    post(`${apiUrl}/1/${path}`, { headers, timeoutMs, body: new URLSearchParams({ token, ...fields }).toString() });
  const read = (path: string, timeoutMs: number) =>
    get(`${apiUrl}/1/${path}?token=${token}`, { headers: { 'user-agent': headers['user-agent'] }, timeoutMs });

  return {
    send: (fields: Readonly<Record<string, string>>, timeoutMs: number) => write('messages.json', fields, timeoutMs),
    receipt: (receipt: string, timeoutMs: number) => read(`receipts/${encodeURIComponent(receipt)}.json`, timeoutMs),
    cancelByTag: (tag: string, timeoutMs: number) =>
      write(`receipts/cancel_by_tag/${encodeURIComponent(tag)}.json`, {}, timeoutMs),
    limits: (timeoutMs: number) => read('apps/limits.json', timeoutMs),
  };
}

export type PushoverApi = ReturnType<typeof createPushoverApi>;

/** Returns what an answer says; null if it is none of Pushover's. */
export function readAnswer({ text }: HttpAnswer): PushoverAnswer | null {
  try {
    return ANSWER.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

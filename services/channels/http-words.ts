import type { z } from 'zod';
import type { AttemptOutcome } from '../domain/delivery.ts';
import { clean, withoutLinks } from '../process/text.ts';
import { type HttpAnswer, HttpFault, type HttpFaultKind } from './http.ts';
import { REFUSED } from './outbound.ts';
import { certificateWords } from './tls-words.ts';

/** What is said about a request without an answer, after the name of the server. */
const NO_ANSWER: Record<Exclude<HttpFaultKind, 'not_allowed' | 'certificate'>, string> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  reset: 'broke off',
  too_large: 'answered something that cannot be read',
};

/**
 * Returns the outcome of a request without an answer. `who`: such as `the push server`. `whose` server: of this
 * deployment, by which all messages of a channel go, or one that a contact's address names.
 */
export function noAnswer(
  who: string,
  { kind, message, sent }: HttpFault,
  whose: 'of_the_deployment' | 'of_the_contact',
): AttemptOutcome {
  if (kind === 'not_allowed') return { kind: 'permanent_fault', reason: `${REFUSED}: ${message}` };
  const away = whose === 'of_the_deployment' ? ({ carrier: 'away' } as const) : {};
  const what = kind === 'certificate' ? certificateWords(message) : NO_ANSWER[kind];
  return { kind: 'temporary_fault', reason: `${who} ${what}`, ...away, ...(sent === 'no' && { taken: sent }) };
}

/** Tells whether the same request may have another result soon. */
export function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Tells whether the request was accepted. */
export function isTaken({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** Returns the answer to a request, or why there is none. */
export async function answerOf(answer: Promise<HttpAnswer>): Promise<HttpAnswer | HttpFault> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof HttpFault) return error;
    throw error;
  }
}

/** Reads JSON of a known shape; null if it is none, or has another. */
export function parseAs<Read>(schema: z.ZodType<Read>, text: string): Read | null {
  try {
    return schema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Returns a text field of a JSON answer, cleaned, at most so many characters; empty if there is none, or it is not
 * JSON.
 */
export function fieldOf(answer: HttpAnswer, field: string, most: number): string {
  try {
    const value: unknown = JSON.parse(answer.text);
    if (typeof value !== 'object' || value === null || !(field in value)) return '';
    const text = (value as Record<string, unknown>)[field];
    return typeof text === 'string' ? clean(withoutLinks(text), most) : '';
  } catch {
    return '';
  }
}

/** Removes phone numbers from another party's text, because reasons are stored and shown where numbers must not be. */
export function withoutNumbers(said: string): string {
  return said.replace(/\+?\d(?:[\s().-]?\d){6,}/g, '[number]');
}

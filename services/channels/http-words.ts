import type { AttemptOutcome } from '../domain/delivery.ts';
import { clean } from '../process/text.ts';
import type { HttpAnswer, HttpFault, HttpFaultKind } from './http.ts';
import { REFUSED } from './outbound.ts';

/** What is said of a request that came to no answer, after the name of who was asked. */
const NO_ANSWER: Record<Exclude<HttpFaultKind, 'not_allowed'>, string> = {
  timeout: 'did not answer in time',
  unreachable: 'could not be reached',
  reset: 'broke off',
  too_large: 'answered something that cannot be read',
};

/** The outcome of a request that came to no answer. `who` such as `the push server`. */
export function noAnswer(who: string, { kind, message }: HttpFault): AttemptOutcome {
  if (kind === 'not_allowed') return { kind: 'permanent_fault', reason: `${REFUSED}: ${message}` };
  return { kind: 'temporary_fault', reason: `${who} ${NO_ANSWER[kind]}` };
}

/** Whether the same request may come to something else soon. */
export function mayPass(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Whether the request was taken. */
export function isTaken({ status }: HttpAnswer): boolean {
  return status >= 200 && status < 300;
}

/** A text field of an answer in JSON, cleaned, at most so many characters; empty: there is none, or it is no JSON. */
export function fieldOf(answer: HttpAnswer, field: string, most: number): string {
  try {
    const value: unknown = JSON.parse(answer.text);
    if (typeof value !== 'object' || value === null || !(field in value)) return '';
    const text = (value as Record<string, unknown>)[field];
    return typeof text === 'string' ? clean(text, most) : '';
  } catch {
    return '';
  }
}

/** A text of the other side without phone numbers: a reason is kept and shown where those are not. */
export function withoutNumbers(said: string): string {
  return said.replace(/\+?\d(?:[\s().-]?\d){6,}/g, '[number]');
}

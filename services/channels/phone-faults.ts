import type { Logger } from 'pino';
import type { AttemptOutcome } from '../domain/delivery.ts';
import type { HttpAnswer, HttpFault, HttpFaultKind } from './http.ts';
import { mayPass } from './http-words.ts';
import { certificateWords } from './tls-words.ts';

/**
 * Why a text or a call failed at a telephone provider. `who` has to act: `nobody` (it is tried again, or over another
 * channel), `contact` (the number), `deployment` (settings or the account at the carrier: every message fails),
 * `carrier` (it did not answer at all), `elsewhere` (this account does not reach the number, another carrier may).
 */
export interface Fault {
  lasts: 'temporary' | 'permanent';
  /** In words, without people's numbers and without texts. */
  reason: string;
  who: 'nobody' | 'contact' | 'deployment' | 'carrier' | 'elsewhere';
}

/** The carrier has too much to do, or failed itself. */
export const BUSY: Fault = { lasts: 'temporary', reason: 'the carrier is busy', who: 'nobody' };

/** Its answer is none of the API. */
export const UNREADABLE: Fault = {
  lasts: 'temporary',
  reason: 'the carrier answered something that cannot be read',
  who: 'nobody',
};

const NO_ANSWER: Record<Exclude<HttpFaultKind, 'certificate' | 'timeout'>, string> = {
  unreachable: 'the carrier could not be reached',
  reset: 'the carrier closed the connection without an answer',
  too_large: UNREADABLE.reason,
  not_allowed: 'the carrier could not be reached',
};

/** A request without an answer within so many milliseconds. */
export function noAnswer({ kind, message }: HttpFault, timeoutMs: number): Fault {
  if (kind === 'certificate')
    return { lasts: 'temporary', reason: `the carrier ${certificateWords(message)}`, who: 'deployment' };
  const late = `the carrier did not answer within ${Math.ceil(timeoutMs / 1000)} s`;
  return { lasts: 'temporary', reason: kind === 'timeout' ? late : NO_ANSWER[kind], who: 'carrier' };
}

/** Returns the outcome of a message that the carrier did not take; `taken`: whether it may have it nevertheless. */
function outcomeOf(
  { lasts, reason, who }: Fault,
  taken: 'no' | 'maybe',
): Extract<AttemptOutcome, { kind: 'temporary_fault' | 'permanent_fault' }> {
  const isAway = who === 'deployment' || who === 'carrier';
  if (lasts === 'temporary')
    return { kind: 'temporary_fault', reason, ...(isAway && { carrier: 'away' }), ...(taken === 'no' && { taken }) };
  return {
    kind: 'permanent_fault',
    reason,
    ...(isAway ? { carrier: 'away' } : who === 'elsewhere' && { carrier: 'cannot' }),
  };
}

/** A message to an address to which no carrier has a way. */
export const NO_NUMBER: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'the contact has an address that is no phone number',
};

/**
 * Logs that the carrier did not take a message, and returns the outcome. A fault of the deployment affects every message, so it is logged
 * as an error.
 */
export function refused(
  fault: Fault,
  on: { log: Logger; channel: 'text' | 'call'; deliveryId: string; taken?: 'no' | 'maybe' },
): AttemptOutcome {
  const { log, channel, deliveryId, taken = 'maybe' } = on;
  const outcome = outcomeOf(fault, taken);
  const level = fault.who === 'deployment' ? 'error' : 'warn';
  const said = { delivery: deliveryId, channel, outcome: outcome.kind, reason: fault.reason };
  log[level](said, 'the carrier did not take a message');
  return outcome;
}

/** Settings or the account at the carrier are wrong: every message fails. */
export function deployment(reason: string): Fault {
  return { lasts: 'permanent', reason, who: 'deployment' };
}

/** The number is wrong. */
export function contact(reason: string): Fault {
  return { lasts: 'permanent', reason, who: 'contact' };
}

/** This account does not reach the number. */
export function elsewhere(reason: string): Fault {
  return { lasts: 'permanent', reason, who: 'elsewhere' };
}

/** What the refusals of one provider mean. */
export interface Refusals {
  /** Returns the fault for one of its error codes: `carrier refused: 30034` if it is not listed. */
  codeFault(code: number): Fault;
  /** Returns the fault for an unsuccessful answer, with the provider's code if it has one; its text is shown to nobody. */
  refusalOf(answer: HttpAnswer): { fault: Fault; code: number | null };
}

/** `byCode`: what is listed; `byStatus`: what a status means without a code; `codeIn`: finds the code in an answer. */
export function refusalsBy(on: {
  byCode: ReadonlyMap<number, Fault>;
  byStatus: Readonly<Record<number, Fault>>;
  codeIn(text: string): number | null;
}): Refusals {
  const codeFault = (code: number) => on.byCode.get(code) ?? elsewhere(`carrier refused: ${code}`);
  function refusal(status: number, code: number | null): Fault {
    const known = code === null ? undefined : on.byCode.get(code);
    if (known !== undefined) return known;
    if (mayPass(status)) return BUSY;
    const byStatus = on.byStatus[status];
    if (byStatus !== undefined) return byStatus;
    // A redirect: the API itself never redirects, so this is somebody else's page.
    if (status < 400) return UNREADABLE;
    return codeFault(code ?? status);
  }
  return {
    codeFault,
    refusalOf({ status, text }) {
      const code = on.codeIn(text);
      return { fault: refusal(status, code), code };
    },
  };
}

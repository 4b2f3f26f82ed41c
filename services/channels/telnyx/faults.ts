import { z } from 'zod';
import { parseAs } from '../http-words.ts';
import { BUSY, contact, deployment, elsewhere, type Fault, refusalsBy } from '../phone-faults.ts';

const LOGIN = deployment('the carrier refused the login: check TELNYX_API_KEY');
const INACTIVE = deployment('the account at the carrier is not active');
const SENDER = deployment('the carrier does not let TELNYX_FROM be used for this');
const REGISTRATION = elsewhere('the carrier needs TELNYX_FROM registered for this country');
const UNVERIFIED = deployment('the account at the carrier is not verified');
const NO_WAY = elsewhere('the carrier has no way from TELNYX_FROM to this number');
const NUMBER = contact('invalid number');
const COUNTRY = elsewhere('country not allowed');
const BLOCKED = elsewhere('filtered by the carrier');
const LATE: Fault = { lasts: 'permanent', reason: 'not delivered while it was of use', who: 'nobody' };
const LONG: Fault = { lasts: 'permanent', reason: 'the text is too long for the carrier', who: 'nobody' };

/** The account has nothing left. */
export const LOW = deployment('the account at the carrier has no credit left');

/** There is no such TeXML application. */
export const APPLICATION = deployment('the carrier knows no TeXML application TELNYX_TEXML_APP');

/**
 * Telnyx's error codes that tell a person something to act on, for requests and for what became of a message
 * (https://developers.telnyx.com/docs/messaging/messages/error-codes,
 * https://developers.telnyx.com/development/api-fundamentals/api-errors).
 */
export const CODES: ReadonlyMap<number, Fault> = new Map([
  [10001, contact('the number cannot be reached')],
  [10002, NUMBER],
  [10003, deployment('the carrier does not accept PUBLIC_URL: it must be an address that others can reach')],
  [10007, BUSY],
  [10008, BUSY],
  [10009, LOGIN],
  [10010, deployment('the carrier does not let TELNYX_API_KEY do this')],
  [10011, BUSY],
  [10016, NUMBER],
  [10039, elsewhere('a trial account reaches numbers only that were verified at the carrier')],
  [20002, LOGIN],
  [20012, INACTIVE],
  [20013, INACTIVE],
  [20014, UNVERIFIED],
  [20015, INACTIVE],
  [20016, UNVERIFIED],
  [20017, UNVERIFIED],
  [20100, LOW],
  [40001, contact('landline or unreachable carrier')],
  [40002, BLOCKED],
  [40003, SENDER],
  [40004, elsewhere('blocked')],
  [40005, LATE],
  [40006, { lasts: 'temporary', reason: 'unknown error', who: 'nobody' }],
  [40008, contact('not delivered')],
  [40009, elsewhere('the carrier does not accept this text')],
  [40010, REGISTRATION],
  [40011, BUSY],
  [40012, NUMBER],
  [40013, SENDER],
  [40014, LATE],
  [40015, BLOCKED],
  [40016, BUSY],
  [40017, BLOCKED],
  [40018, BUSY],
  [40019, REGISTRATION],
  [40020, BLOCKED],
  [40100, SENDER],
  [40300, elsewhere('the number has opted out (STOP)')],
  [40301, NO_WAY],
  [40302, LONG],
  [40305, SENDER],
  [40309, COUNTRY],
  [40310, NUMBER],
  [40312, deployment('the messaging profile of TELNYX_FROM is disabled at the carrier')],
  [40314, INACTIVE],
  [40315, SENDER],
  [40318, BUSY],
  [40319, NO_WAY],
  [40320, SENDER],
  [40322, BLOCKED],
  [40329, REGISTRATION],
  [40330, REGISTRATION],
  [40331, COUNTRY],
  [40333, deployment('the messaging profile of TELNYX_FROM has reached its spend limit')],
]);

/** Requests refused because of the addresses for callbacks. */
export const CALLBACK_REFUSED: readonly number[] = [10003];

const answered = z.object({
  errors: z.array(z.object({ code: z.coerce.number().int().min(10_000).max(99_999) })).min(1),
});

export const { codeFault, refusalOf } = refusalsBy({
  byCode: CODES,
  byStatus: { 401: LOGIN, 402: LOW },
  codeIn: text => parseAs(answered, text)?.errors[0]?.code ?? null,
});

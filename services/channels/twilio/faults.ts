import { z } from 'zod';
import { parseAs } from '../http-words.ts';
import { BUSY, contact, deployment, elsewhere, type Fault, refusalsBy } from '../phone-faults.ts';

const LOGIN = deployment('the carrier refused the login: check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
const INACTIVE = deployment('the account at the carrier is not active');
const SENDER = deployment('the carrier does not let TWILIO_FROM be used for this');
const CALLBACK = deployment('the carrier does not accept PUBLIC_URL: it must be an address that others can reach');
const NUMBER = contact('invalid number');
const COUNTRY = elsewhere('country not allowed');
const WHATSAPP_SENDER = deployment('the carrier does not let TWILIO_WHATSAPP_FROM be used for this');
const TEMPLATE = deployment('WhatsApp does not take the template: check TWILIO_WHATSAPP_TEMPLATES');
const VARIABLE = deployment('the template of WhatsApp does not take one variable: check TWILIO_WHATSAPP_TEMPLATES');
const NO_WHATSAPP = elsewhere('this number has no WhatsApp');
const CONTENT = elsewhere('WhatsApp does not accept this message');
const WHATSAPP_BLOCKED = elsewhere('they have blocked the sender at WhatsApp');

/**
 * Twilio's error codes that tell a person something to act on, for requests and for message statuses
 * (https://www.twilio.com/docs/api/errors). A phone that is off is permanent: its carrier tried for as long as it does,
 * and another channel may be faster.
 */
export const CODES: ReadonlyMap<number, Fault> = new Map([
  [10001, INACTIVE],
  [13223, NUMBER],
  [13224, NUMBER],
  [13225, elsewhere('the carrier does not call this number')],
  [13226, NUMBER],
  [13227, COUNTRY],
  [20003, LOGIN],
  [20005, INACTIVE],
  [20429, BUSY],
  [21205, CALLBACK],
  [21210, SENDER],
  [21211, NUMBER],
  [21212, SENDER],
  [21214, contact('the number cannot be reached')],
  [21215, COUNTRY],
  [21216, elsewhere('the carrier does not call this number')],
  [21217, NUMBER],
  [21219, elsewhere('a trial account reaches numbers only that were verified at the carrier')],
  [21408, COUNTRY],
  [21606, SENDER],
  [21608, elsewhere('a trial account reaches numbers only that were verified at the carrier')],
  [21609, CALLBACK],
  [21610, elsewhere('the number has opted out (STOP)')],
  [21611, BUSY],
  [21612, elsewhere('the carrier has no way from TWILIO_FROM to this number')],
  [21614, NUMBER],
  [21617, { lasts: 'permanent', reason: 'the text is too long for the carrier', who: 'nobody' }],
  [21655, TEMPLATE],
  [21656, VARIABLE],
  [21659, SENDER],
  [21660, SENDER],
  [21661, SENDER],
  [30001, BUSY],
  [30002, INACTIVE],
  [30003, contact('unreachable handset')],
  [30004, contact('blocked')],
  [30005, contact('unknown number')],
  [30006, contact('landline or unreachable carrier')],
  [30007, { lasts: 'permanent', reason: 'filtered by the carrier', who: 'nobody' }],
  [30008, { lasts: 'temporary', reason: 'unknown error', who: 'nobody' }],
  [30017, BUSY],
  [30036, { lasts: 'permanent', reason: 'not delivered while it was of use', who: 'nobody' }],
  // Of WhatsApp: a number that it does not reach may take a text.
  [63001, deployment('WhatsApp does not let the account at the carrier in')],
  [63002, WHATSAPP_SENDER],
  [63003, NO_WHATSAPP],
  [63005, CONTENT],
  [63007, WHATSAPP_SENDER],
  [63008, WHATSAPP_SENDER],
  [63010, BUSY],
  [63012, BUSY],
  [63013, CONTENT],
  [63014, WHATSAPP_BLOCKED],
  [63015, elsewhere('the sandbox of WhatsApp reaches numbers only that have joined it')],
  [63016, deployment('WhatsApp takes nothing but templates: check TWILIO_WHATSAPP_TEMPLATES')],
  [63018, BUSY],
  [63021, CONTENT],
  [63024, NO_WHATSAPP],
  [63027, TEMPLATE],
  [63028, VARIABLE],
  [63032, elsewhere('WhatsApp does not deliver to this number for now')],
  [63033, WHATSAPP_BLOCKED],
  [63038, deployment('the account at the carrier has sent all that it may in a day')],
  [63040, TEMPLATE],
  [63041, TEMPLATE],
  [63042, TEMPLATE],
  [63049, elsewhere('Meta chose not to deliver it: let the template be of the category Utility')],
  [63051, deployment('the WhatsApp Business account of the sender is locked')],
  [92007, VARIABLE],
]);

/** Requests refused because of the addresses for status callbacks. */
export const CALLBACK_REFUSED: readonly number[] = [21205, 21609];

const answered = z.object({ code: z.number().int().min(10_000).max(99_999) });

export const { codeFault, refusalOf } = refusalsBy({
  byCode: CODES,
  byStatus: { 401: LOGIN },
  codeIn: text => parseAs(answered, text)?.code ?? null,
});

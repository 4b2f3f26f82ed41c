import type { Alert } from '../../domain/alert.ts';
import type { Answers } from '../../domain/way-back.ts';
import { languageFor } from '../../words/language.ts';
import { callbackUrl } from '../callback-url.ts';
import { writeSms } from '../sms.ts';
import { MESSAGE_STATUSES } from './standing.ts';
import { isSince, linkTokenOf, type Written } from './written.ts';

/** The approved templates of one language, by their ContentSid: each takes one variable, `{{1}}`. */
export interface Template {
  /** Whatever a text would say, on one line. */
  message: string;
  /** The code of a verification: Meta takes codes in templates of the category Authentication alone. */
  code: string;
}

/** By language, `en` or `de`; at least one. */
export type Templates = ReadonlyMap<string, Template>;

/** What addresses of WhatsApp begin with at Twilio. */
const PREFIX = 'whatsapp:';

/** Returns a number as Twilio takes it for WhatsApp. */
export function toWhatsApp(number: string): string {
  return `${PREFIX}${number}`;
}

/** Returns the number of somebody who wrote, over WhatsApp or by text. */
export function withoutWhatsApp(from: string): string {
  return from.startsWith(PREFIX) ? from.slice(PREFIX.length) : from;
}

/** Returns a fault of the account, in words, with the setting that is the sender's here. */
export function ofWhatsApp(reason: string): string {
  return reason.replace('TWILIO_FROM', 'TWILIO_WHATSAPP_FROM');
}

/**
 * The text of an alert for WhatsApp, which takes templates alone from whoever was not written to within a day. It is listed with the text that
 * its variable was put into, so that an earlier attempt is recognised as that of a text.
 */
export function writeWhatsApp(typed: Alert, answers: Answers, templates: Templates): Written {
  const [language, template] = templateFor(typed.locale, templates);
  // One language a message: what stands around the variable is fixed.
  const alert = languageFor(typed.locale).words.language === language ? typed : { ...typed, locale: language };
  const isCode = alert.purpose === 'verification';
  const write = (said: Answers) => (isCode ? alert.code : onOneLine(writeSms(alert, said)));
  const said = write(answers);
  const token = linkTokenOf(alert);
  return {
    resource: 'Messages',
    units: 1,
    statuses: MESSAGE_STATUSES,
    fields: callbacks => ({
      ContentSid: isCode ? template.code : template.message,
      ContentVariables: JSON.stringify({ 1: callbacks === null ? write('lost') : said }),
      ...(callbacks === null ? {} : { StatusCallback: callbackUrl('whatsapp', callbacks, 'status') }),
    }),
    maybeEarlier: listed =>
      token !== null && said.includes(token)
        ? listed.body.includes(token)
        : listed.body.includes(said) && isSince(listed, alert),
  };
}

/** Theirs, else English, else the first. */
function templateFor(locale: string, templates: Templates): [language: string, Template] {
  const { language } = languageFor(locale).words;
  const known = [language, 'en'].find(one => templates.has(one)) ?? [...templates.keys()][0]!;
  return [known, templates.get(known)!];
}

/** A variable with a line break, a tab or many blanks is refused (Twilio 21656). */
function onOneLine(text: string): string {
  return text
    .split('\n')
    .map(line => line.replace(/\s+/g, ' ').trim())
    .filter(line => line !== '')
    .join(' | ');
}

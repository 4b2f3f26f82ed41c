import { z } from 'zod';
import { type Environment, type Kind, readSetting } from '../../process/settings.ts';
import { LANGUAGES } from '../../words/languages.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { CarrierCallback } from '../channel.ts';
import type { TwilioSettings } from './api.ts';
import { createTwilioCallback } from './callback.ts';
import { readAccount, twilioNumber } from './carrier.ts';
import { createTwilioChannel } from './send.ts';
import { ofWhatsApp, type Template, type Templates } from './whatsapp.ts';

export interface WhatsAppSettings extends TwilioSettings {
  /** TWILIO_WHATSAPP_TEMPLATES. */
  templates: Templates;
}

/** Texts over WhatsApp, through the account at Twilio that texts and calls have. */
export const whatsApp = {
  name: 'whatsapp',
  title: { en: 'WhatsApp', de: 'WhatsApp' },
  about: {
    en: 'Texts over WhatsApp, where CARRIERS_TEXT names whatsapp. You need a WhatsApp sender at Twilio and templates that Meta has approved.',
    de: 'SMS über WhatsApp, wenn CARRIERS_TEXT whatsapp nennt. Sie brauchen einen WhatsApp-Absender bei Twilio und Vorlagen, die Meta genehmigt hat.',
  },
  settings: [
    {
      name: 'TWILIO_WHATSAPP_FROM',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Number of the sender', de: 'Nummer des Absenders' },
      hint: {
        en: 'Your WhatsApp sender at Twilio, such as +12025550100. The account is that of Twilio.',
        de: 'Ihr WhatsApp-Absender bei Twilio, etwa +12025550100. Das Konto ist das von Twilio.',
      },
    },
    {
      name: 'TWILIO_WHATSAPP_TEMPLATES',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Templates', de: 'Vorlagen' },
      hint: {
        en: 'For each language the ContentSid for messages and the one for codes: en:HX…:HX…,de:HX…:HX…',
        de: 'Für jede Sprache die ContentSid für Nachrichten und die für Codes: en:HX…:HX…,de:HX…:HX…',
      },
    },
  ],
  carries: ['text'],
  hint: 'TWILIO_WHATSAPP_FROM',
  inOrderOnly: true,
  read: readWhatsApp,
  open: (_kind, { templates, ...settings }, { log }) => createTwilioChannel({ kind: 'text', settings, log, templates }),
  callback: createWhatsAppCallback,
} satisfies Carrier<'whatsapp', WhatsAppSettings>;

function createWhatsAppCallback(settings: WhatsAppSettings): CarrierCallback {
  const door = createTwilioCallback(settings);
  return {
    ...door,
    read(request) {
      const news = door.read(request);
      return news.kind === 'fault' ? { ...news, reason: ofWhatsApp(news.reason) } : news;
    },
  };
}

function readWhatsApp(env: Environment): WhatsAppSettings | null {
  const from = readSetting(env, 'TWILIO_WHATSAPP_FROM', twilioNumber, null);
  const templates = readSetting(env, 'TWILIO_WHATSAPP_TEMPLATES', templatesKind, null);
  if (from === null && templates === null) return null;
  const { accountSid, authToken, apiUrl } = readAccount(env);
  if (from === null || templates === null || accountSid === null || authToken === null) {
    return allOrNone({
      TWILIO_ACCOUNT_SID: accountSid,
      TWILIO_AUTH_TOKEN: authToken,
      TWILIO_WHATSAPP_FROM: from,
      TWILIO_WHATSAPP_TEMPLATES: templates === null ? null : 'set',
    });
  }
  return { accountSid, authToken, apiUrl, from, templates };
}

const TEMPLATE = /^([a-z]{2}):(HX[0-9a-fA-F]{32}):(HX[0-9a-fA-F]{32})$/;

const templatesKind: Kind<Templates> = {
  takes: `for each of ${LANGUAGES.map(({ language }) => language).join(', ')} that there are templates of: the language, the ContentSid of that for messages and the one of that for codes, as in en:HX…:HX…,de:HX…:HX…`,
  schema: z.string().transform((text, context) => {
    const read = text.split(',').map(one => templateIn(one.trim()));
    const known = read.filter(one => one !== null);
    const templates = new Map(known);
    if (known.length === read.length && templates.size === read.length) return templates;
    context.addIssue({ code: 'custom' });
    return z.NEVER;
  }),
  shown: 'value',
};

function templateIn(text: string): [language: string, Template] | null {
  const [, language = '', message = '', code = ''] = TEMPLATE.exec(text) ?? [];
  return LANGUAGES.some(one => one.language === language) ? [language, { message, code }] : null;
}

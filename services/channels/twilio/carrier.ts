import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { TwilioAccount, TwilioSettings } from './api.ts';
import { createTwilioCallback } from './callback.ts';
import { createTwilioChannel } from './send.ts';

/** Texts and calls through Twilio. */
export const twilio = {
  name: 'twilio',
  title: { en: 'Twilio', de: 'Twilio' },
  about: {
    en: 'Texts and calls. You need an account there, and a number of it that can do both.',
    de: 'SMS und Anrufe. Sie brauchen dort ein Konto und eine Nummer, die beides kann.',
  },
  settings: [
    {
      name: 'TWILIO_ACCOUNT_SID',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Account SID', de: 'Account-SID' },
      hint: {
        en: 'On the first page of the Twilio Console: AC and 32 digits and letters.',
        de: 'Auf der ersten Seite der Twilio Console: AC und 32 Ziffern und Buchstaben.',
      },
    },
    {
      name: 'TWILIO_AUTH_TOKEN',
      asked: 'needed',
      holds: 'secret',
      label: { en: 'Auth Token', de: 'Auth-Token' },
      hint: { en: 'Beside the Account SID.', de: 'Neben der Account-SID.' },
    },
    {
      name: 'TWILIO_FROM',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Number', de: 'Nummer' },
      hint: { en: 'Your number there, such as +12025550100.', de: 'Ihre Nummer dort, etwa +12025550100.' },
    },
    {
      name: 'TWILIO_API_URL',
      asked: 'rare',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the API', de: 'Adresse der API' },
      hint: { en: 'Only where a proxy stands in between.', de: 'Nur wenn ein Proxy dazwischen steht.' },
    },
  ],
  carries: ['text', 'call'],
  hint: 'TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM',
  read: readTwilio,
  open: (kind, settings, { log }) =>
    kind === 'text' || kind === 'call' ? createTwilioChannel({ kind, settings, log }) : null,
  callback: createTwilioCallback,
} satisfies Carrier<'twilio', TwilioSettings>;

function readTwilio(env: Environment): TwilioSettings | null {
  const { accountSid, authToken, apiUrl } = readAccount(env);
  const from = readSetting(env, 'TWILIO_FROM', twilioNumber, null);
  // The account is there for WhatsApp alone.
  if (from === null && readSetting(env, 'TWILIO_WHATSAPP_FROM', twilioNumber, null) !== null) return null;
  const parts = { TWILIO_ACCOUNT_SID: accountSid, TWILIO_AUTH_TOKEN: authToken, TWILIO_FROM: from };
  if (accountSid === null || authToken === null || from === null) return allOrNone(parts);
  return { accountSid, authToken, from, apiUrl };
}

/** Reads the account; null: a part of it that is not set. Throws ConfigError. */
export function readAccount(env: Environment): { [Part in keyof TwilioAccount]: TwilioAccount[Part] | null } & {
  apiUrl: string;
} {
  return {
    accountSid: readSetting(env, 'TWILIO_ACCOUNT_SID', accountSidKind, null),
    authToken: readSetting(env, 'TWILIO_AUTH_TOKEN', authTokenKind, null),
    apiUrl: readSetting(env, 'TWILIO_API_URL', webUrl, 'https://api.twilio.com'),
  };
}

const accountSidKind: Kind<string> = {
  takes: 'the Account SID: AC and 32 hexadecimal digits',
  schema: z.string().regex(/^AC[0-9a-fA-F]{32}$/),
  shown: 'value',
};

const authTokenKind: Kind<string> = {
  takes: 'the Auth Token: letters and digits without blanks',
  schema: z.string().regex(/^[!-~]{16,128}$/),
  shown: 'length',
};

/** A number of the operator's at Twilio. */
export const twilioNumber: Kind<string> = {
  takes: 'a phone number of yours in E.164, such as +12025550100',
  schema: z.string().regex(PHONE_NUMBER),
  shown: 'value',
};

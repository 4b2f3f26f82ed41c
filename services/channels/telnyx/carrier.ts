import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { PHONE_NUMBER } from '../../process/vocabulary.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { TelnyxSettings } from './api.ts';
import { createTelnyxCallback } from './callback.ts';
import { createTelnyxChannel } from './send.ts';

/** Texts and calls through Telnyx. */
export const telnyx = {
  name: 'telnyx',
  title: { en: 'Telnyx', de: 'Telnyx' },
  about: {
    en: 'Texts and calls. You need an account there, a number of it, and a TeXML application that it is assigned to.',
    de: 'SMS und Anrufe. Sie brauchen dort ein Konto, eine Nummer und eine TeXML-Anwendung, der sie zugeordnet ist.',
  },
  settings: [
    {
      name: 'TELNYX_API_KEY',
      asked: 'needed',
      holds: 'secret',
      label: { en: 'API key', de: 'API-Schlüssel' },
      hint: { en: 'In the Telnyx portal under API Keys.', de: 'Im Telnyx-Portal unter API Keys.' },
    },
    {
      name: 'TELNYX_PUBLIC_KEY',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Public key', de: 'Öffentlicher Schlüssel' },
      hint: {
        en: 'In the Telnyx portal under Keys & Credentials, Public Key.',
        de: 'Im Telnyx-Portal unter Keys & Credentials, Public Key.',
      },
    },
    {
      name: 'TELNYX_FROM',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Number', de: 'Nummer' },
      hint: { en: 'Your number there, such as +12025550100.', de: 'Ihre Nummer dort, etwa +12025550100.' },
    },
    {
      name: 'TELNYX_TEXML_APP',
      asked: 'needed',
      holds: 'text',
      label: { en: 'TeXML application', de: 'TeXML-Anwendung' },
      hint: { en: 'Its id, which is a number.', de: 'Ihre Id, eine Zahl.' },
    },
    {
      name: 'TELNYX_API_URL',
      asked: 'rare',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the API', de: 'Adresse der API' },
      hint: { en: 'Only where a proxy stands in between.', de: 'Nur wenn ein Proxy dazwischen steht.' },
    },
  ],
  carries: ['text', 'call'],
  hint: 'TELNYX_API_KEY, TELNYX_PUBLIC_KEY, TELNYX_FROM and TELNYX_TEXML_APP',
  read: readTelnyx,
  open: (kind, settings, { log }) =>
    kind === 'text' || kind === 'call' ? createTelnyxChannel({ kind, settings, log }) : null,
  callback: createTelnyxCallback,
} satisfies Carrier<'telnyx', TelnyxSettings>;

function readTelnyx(env: Environment): TelnyxSettings | null {
  const apiUrl = readSetting(env, 'TELNYX_API_URL', webUrl, 'https://api.telnyx.com');
  const apiKey = readSetting(env, 'TELNYX_API_KEY', apiKeyKind, null);
  const publicKey = readSetting(env, 'TELNYX_PUBLIC_KEY', publicKeyKind, null);
  const from = readSetting(env, 'TELNYX_FROM', telnyxFrom, null);
  const texmlApp = readSetting(env, 'TELNYX_TEXML_APP', texmlAppKind, null);
  if (apiKey === null || publicKey === null || from === null || texmlApp === null) {
    return allOrNone({
      TELNYX_API_KEY: apiKey,
      TELNYX_PUBLIC_KEY: publicKey,
      TELNYX_FROM: from,
      TELNYX_TEXML_APP: texmlApp,
    });
  }
  return { apiKey, publicKey, from, texmlApp, apiUrl };
}

const apiKeyKind: Kind<string> = {
  takes: 'the API key: letters, digits and _ without blanks',
  schema: z.string().regex(/^[!-~]{16,200}$/),
  shown: 'length',
};

const publicKeyKind: Kind<string> = {
  takes: 'the public key of the account: 32 bytes in base64',
  schema: z.string().regex(/^[A-Za-z0-9+/]{43}=$/),
  shown: 'value',
};

const telnyxFrom: Kind<string> = {
  takes: 'a phone number of yours in E.164, such as +12025550100',
  schema: z.string().regex(PHONE_NUMBER),
  shown: 'value',
};

const texmlAppKind: Kind<string> = {
  takes: 'the id of a TeXML application: digits',
  schema: z.string().regex(/^\d{1,30}$/),
  shown: 'value',
};

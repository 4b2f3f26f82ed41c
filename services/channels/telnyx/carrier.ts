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

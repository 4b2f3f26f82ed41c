import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { PUSHOVER_PREFIX } from '../../process/vocabulary.ts';
import type { Carrier } from '../carrier.ts';
import type { PushoverSettings } from './api.ts';
import { createPushoverReceipts } from './receipts.ts';
import { createPushoverChannel } from './send.ts';

/** Push messages through Pushover, which rings until somebody answers in its app. */
export const pushover = {
  name: 'pushover',
  title: { en: 'Pushover', de: 'Pushover' },
  about: {
    en: 'Push messages that ring until somebody answers in the app. You need an application of yours at pushover.net.',
    de: 'Push-Nachrichten, die klingeln, bis jemand in der App antwortet. Sie brauchen eine eigene Anwendung bei pushover.net.',
  },
  settings: [
    {
      name: 'PUSHOVER_TOKEN',
      asked: 'needed',
      holds: 'secret',
      label: { en: 'API token of the application', de: 'API-Token der Anwendung' },
      hint: {
        en: 'Shown at pushover.net once you have created an application: 30 letters and digits.',
        de: 'Steht bei pushover.net, sobald Sie eine Anwendung angelegt haben: 30 Buchstaben und Ziffern.',
      },
    },
    {
      name: 'PUSHOVER_API_URL',
      asked: 'rare',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the API', de: 'Adresse der API' },
      hint: { en: 'Only where a proxy stands in between.', de: 'Nur wenn ein Proxy dazwischen steht.' },
    },
  ],
  carries: ['push'],
  hint: 'PUSHOVER_TOKEN',
  prefix: PUSHOVER_PREFIX,
  read: readPushover,
  open: (_kind, settings, { log }) => createPushoverChannel({ settings, log }),
  answersThere: (settings, { log }) => createPushoverReceipts(settings, log),
} satisfies Carrier<'pushover', PushoverSettings>;

function readPushover(env: Environment): PushoverSettings | null {
  const apiUrl = readSetting(env, 'PUSHOVER_API_URL', webUrl, 'https://api.pushover.net');
  const token = readSetting(env, 'PUSHOVER_TOKEN', pushoverToken, null);
  return token === null ? null : { token, apiUrl };
}

const pushoverToken: Kind<string> = {
  takes: 'the API token of your application at Pushover: 30 letters and digits',
  schema: z.string().regex(/^[A-Za-z0-9]{30}$/),
  shown: 'length',
};

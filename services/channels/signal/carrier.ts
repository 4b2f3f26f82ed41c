import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { PHONE_NUMBER, SIGNAL_PREFIX } from '../../process/vocabulary.ts';
import { allOrNone, type Carrier } from '../carrier.ts';
import type { SignalSettings } from './api.ts';
import { createSignalBot } from './bot.ts';
import { createSignalChannel } from './send.ts';

/** Chat messages through Signal, answered by a reply with the code. */
export const signal = {
  name: 'signal',
  title: { en: 'Signal', de: 'Signal' },
  about: {
    en: 'Messages over Signal, end to end encrypted, acknowledged by a reply. You need a server of yours (signal-cli-rest-api) and a number that is registered there. Never let it be the only way.',
    de: 'Nachrichten über Signal, Ende zu Ende verschlüsselt, übernommen durch eine Antwort. Sie brauchen einen eigenen Server (signal-cli-rest-api) und eine Nummer, die dort angemeldet ist. Lassen Sie es nie der einzige Weg sein.',
  },
  settings: [
    {
      name: 'SIGNAL_URL',
      asked: 'needed',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the server', de: 'Adresse des Servers' },
      hint: {
        en: 'Such as http://signal:8080. It runs in the mode native or normal.',
        de: 'Etwa http://signal:8080. Er läuft im Modus native oder normal.',
      },
    },
    {
      name: 'SIGNAL_NUMBER',
      asked: 'needed',
      holds: 'text',
      label: { en: 'Number', de: 'Nummer' },
      hint: {
        en: 'The one that is registered there, such as +12025550100.',
        de: 'Die dort angemeldet ist, etwa +12025550100.',
      },
    },
  ],
  carries: ['chat'],
  hint: 'SIGNAL_URL and SIGNAL_NUMBER',
  prefix: SIGNAL_PREFIX,
  read: readSignal,
  open: (_kind, settings, { log }) => createSignalChannel({ settings, log }),
  bot: (settings, { log }) => createSignalBot(settings, log),
} satisfies Carrier<'signal', SignalSettings>;

function readSignal(env: Environment): SignalSettings | null {
  const url = readSetting(env, 'SIGNAL_URL', webUrl, null);
  const number = readSetting(env, 'SIGNAL_NUMBER', signalNumber, null);
  if (url === null || number === null) return allOrNone({ SIGNAL_URL: url, SIGNAL_NUMBER: number });
  return { url, number };
}

const signalNumber: Kind<string> = {
  takes: 'the number that is registered at SIGNAL_URL, in E.164, such as +12025550100',
  schema: z.string().regex(PHONE_NUMBER),
  shown: 'value',
};

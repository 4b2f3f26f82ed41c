import { z } from 'zod';
import { type Environment, type Kind, readSetting, webUrl } from '../../process/settings.ts';
import { TELEGRAM_PREFIX } from '../../process/vocabulary.ts';
import type { Carrier } from '../carrier.ts';
import type { TelegramSettings } from './api.ts';
import { createTelegramBot } from './bot.ts';
import { createTelegramChannel } from './send.ts';

/** Chat messages through a bot at Telegram, answered by a button in the chat. */
export const telegram = {
  name: 'telegram',
  title: { en: 'Telegram', de: 'Telegram' },
  about: {
    en: 'Messages in a chat with a bot of yours, acknowledged by a button there. You need a bot: write /newbot to @BotFather.',
    de: 'Nachrichten im Chat mit einem eigenen Bot, dort mit einem Knopf übernommen. Sie brauchen einen Bot: Schreiben Sie @BotFather „/newbot“.',
  },
  settings: [
    {
      name: 'TELEGRAM_TOKEN',
      asked: 'needed',
      holds: 'secret',
      label: { en: 'Token of the bot', de: 'Token des Bots' },
      hint: {
        en: 'As BotFather gave it: digits, a colon, and letters and digits.',
        de: 'Wie BotFather ihn genannt hat: Ziffern, ein Doppelpunkt, Buchstaben und Ziffern.',
      },
    },
    {
      name: 'TELEGRAM_API_URL',
      asked: 'rare',
      holds: 'text',
      leads: 'elsewhere',
      label: { en: 'Address of the API', de: 'Adresse der API' },
      hint: { en: 'Only where a proxy stands in between.', de: 'Nur wenn ein Proxy dazwischen steht.' },
    },
  ],
  carries: ['chat'],
  hint: 'TELEGRAM_TOKEN',
  prefix: TELEGRAM_PREFIX,
  read: readTelegram,
  open: (_kind, settings, { log }) => createTelegramChannel({ settings, log }),
  bot: (settings, { log }) => createTelegramBot(settings, log),
  answersThere: (settings, { log }) => {
    const bot = createTelegramBot(settings, log);
    return {
      // Nobody is asked: this is how soon a message is written anew once more, and for how long.
      everyS: 2,
      forS: 7 * 24 * 60 * 60,
      asks: 'over_only',
      ask: async () => 'not_yet',
      async quiet(_deliveryId, there) {
        const message = await there();
        return message === null ? 'done' : bot.rewrite(message);
      },
    };
  },
} satisfies Carrier<'telegram', TelegramSettings>;

function readTelegram(env: Environment): TelegramSettings | null {
  const apiUrl = readSetting(env, 'TELEGRAM_API_URL', webUrl, 'https://api.telegram.org');
  const token = readSetting(env, 'TELEGRAM_TOKEN', telegramToken, null);
  return token === null ? null : { token, apiUrl };
}

const telegramToken: Kind<string> = {
  takes: 'the token of your bot, as BotFather gave it: digits, a colon, and letters, digits, hyphens and underscores',
  schema: z.string().regex(/^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$/),
  shown: 'length',
};

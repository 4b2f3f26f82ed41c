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

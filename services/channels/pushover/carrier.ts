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

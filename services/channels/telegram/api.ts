import { z } from 'zod';
import { clean, withoutLinks } from '../../process/text.ts';
import { type HttpAnswer, type HttpRequest, post } from '../http.ts';

export interface TelegramSettings {
  /** TELEGRAM_TOKEN: the token of the operator's bot. */
  token: string;
  /** TELEGRAM_API_URL, without trailing slash. */
  apiUrl: string;
}

const ANSWER = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  description: z.string().optional(),
  parameters: z
    .object({ retry_after: z.number().optional(), migrate_to_chat_id: z.number().optional() })
    .optional()
    .catch(undefined),
});

/** What Telegram answers. `said`: its own words, cleaned, without our token. */
export interface TelegramAnswer {
  /** That of HTTP. */
  status: number;
  is: 'ok' | 'refused' | 'unreadable';
  result: unknown;
  said: string;
  retryAfterS: number | null;
  /** Whether a group became another one. */
  moved: 'yes' | 'no';
}

/**
 * Telegram's API for bots (https://core.telegram.org/bots/api). The token stands in the path of every address: no address of it is ever logged or
 * part of an error, nor is what a server says of it. Functions throw HttpFault where there is no answer.
 */
export function createTelegramApi({ token, apiUrl }: TelegramSettings) {
  const headers = { 'content-type': 'application/json', 'user-agent': 'tocsin' };

  return async (
    method: string,
    parameters: Readonly<Record<string, unknown>>,
    how: Pick<HttpRequest, 'timeoutMs' | 'signal' | 'mostBytes'>,
  ): Promise<TelegramAnswer> => {
    const body = JSON.stringify(parameters);
    return read(await post(`${apiUrl}/bot${token}/${method}`, { ...how, headers, body }), token);
  };
}

export type TelegramApi = ReturnType<typeof createTelegramApi>;

function read({ status, text }: HttpAnswer, token: string): TelegramAnswer {
  const known = parsed(text);
  const said = (known?.description ?? '').replaceAll(token, '…');
  return {
    status,
    is: known === null ? 'unreadable' : known.ok ? 'ok' : 'refused',
    result: known?.result,
    said: clean(withoutLinks(said), 200),
    retryAfterS: known?.parameters?.retry_after ?? null,
    moved: known?.parameters?.migrate_to_chat_id === undefined ? 'no' : 'yes',
  };
}

function parsed(text: string): z.infer<typeof ANSWER> | null {
  try {
    return ANSWER.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

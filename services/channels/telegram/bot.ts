import type { Logger } from 'pino';
import { z } from 'zod';
import type { Bot, Heard, MessageThere } from '../channel.ts';
import { HttpFault } from '../http.ts';
import { noAnswer } from '../http-words.ts';
import { createTelegramApi, type TelegramAnswer, type TelegramSettings } from './api.ts';
import { chatIdOf, cutText } from './chat.ts';
import { paceOf } from './pace.ts';
import { readUpdates, WANTED } from './updates.ts';
import { LOGIN, refusalOf, refusesButton, refusesToken } from './words.ts';

/**
 * How long Telegram keeps a question for updates where nothing is said, in seconds, and by how much its answer may be late, in milliseconds. Short,
 * so that a process that holds the place and hangs is soon known.
 */
const WAITS_S = 4;
const LATE_MS = 3_000;

/** How many updates are asked for at once, which is the most that Telegram gives, and the longest answer to that, in bytes: a message may quote another one. */
const UPDATES_MOST = 100;
const BYTES_MOST = 16 * 1024 * 1024;

/** How long any other answer of Telegram is waited for, in milliseconds. */
const PATIENCE_MS = 5_000;

/** The longest answer to a press, in UTF-16 units. */
const LONGEST_TOAST = 200;

/** After how many seconds it is asked again: where another one reads, and where Telegram does not answer. */
const AGAIN_S = { another_reads: 5, nobody_knows: 1 } as const;

/** Messages that are written anew take turns with those of accounts. */
const REWRITING = 'written anew';

const ANOTHER_READS =
  'another program reads what is said to the bot of TELEGRAM_TOKEN, so that nobody can acknowledge in its chat: give Tocsin a bot of its own';
const HAS_WEBHOOK =
  'the bot of TELEGRAM_TOKEN has a webhook, so that nobody can acknowledge in its chat: delete it (deleteWebhook), or give Tocsin a bot of its own';

const ME = z.object({ username: z.string().regex(/^\w{1,64}$/) });

/**
 * The bot at Telegram. It is asked for updates, since that needs no public address; Telegram keeps them until the next question names a higher
 * number (https://core.telegram.org/bots/api#getupdates).
 */
export function createTelegramBot(settings: TelegramSettings, log: Logger): Bot {
  const api = createTelegramApi(settings);
  const pace = paceOf(settings);
  let offset: number | null = null;
  let heard: number | null = null;
  let name: string | null = null;

  /** Answers to what was said: nothing depends on them. */
  async function tell(method: string, parameters: Record<string, unknown>): Promise<TelegramAnswer | null> {
    try {
      return await api(method, parameters, { timeoutMs: PATIENCE_MS });
    } catch (error) {
      if (error instanceof HttpFault) return null;
      throw error;
    }
  }

  function faultOf(answer: TelegramAnswer): Heard {
    const { status, said, retryAfterS } = answer;
    if (status === 409) {
      const problem = /webhook/i.test(said) ? HAS_WEBHOOK : ANOTHER_READS;
      return { kind: 'fault', problem, afterS: AGAIN_S.another_reads, who: 'another_reads' };
    }
    const outcome = refusesToken(answer) ? { reason: LOGIN } : refusalOf(answer, 1);
    const problem = 'reason' in outcome ? outcome.reason : LOGIN;
    const afterS = Math.min(Math.max(retryAfterS ?? 0, AGAIN_S.nobody_knows), 60);
    return { kind: 'fault', problem, afterS, who: 'nobody_knows' };
  }

  return {
    async hear(signal) {
      const parameters = {
        timeout: WAITS_S,
        limit: UPDATES_MOST,
        allowed_updates: WANTED,
        ...(offset !== null && { offset }),
      };
      let answer: TelegramAnswer;
      try {
        const timeoutMs = WAITS_S * 1_000 + LATE_MS;
        answer = await api('getUpdates', parameters, { timeoutMs, signal, mostBytes: BYTES_MOST });
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('Telegram', error, 'of_the_deployment');
        const problem = 'reason' in outcome ? outcome.reason : '';
        return { kind: 'fault', problem, afterS: AGAIN_S.nobody_knows, who: 'nobody_knows' };
      }
      if (answer.is !== 'ok') return faultOf(answer);
      const { last, said } = readUpdates(answer.result);
      heard = last;
      return { kind: 'heard', said };
    },
    kept(open) {
      if (heard !== null) offset = open ?? heard + 1;
    },
    async answer(press, text, how) {
      const toast = text.length <= LONGEST_TOAST ? text : `${text.slice(0, LONGEST_TOAST - 1)}…`;
      await tell('answerCallbackQuery', { callback_query_id: press, text: toast, show_alert: how === 'loud' });
    },
    async write(address, text) {
      await tell('sendMessage', { chat_id: chatIdOf(address), text });
    },
    async rewrite(message) {
      const chatId = chatIdOf(message.address);
      if ((await pace.turn(REWRITING, chatId)).kind !== 'goes') return 'no_answer';
      const write = async (parameters: Record<string, unknown>) => {
        const answer = await tell('editMessageText', { chat_id: chatId, ...parameters });
        if (answer !== null) pace.heard(chatId, answer);
        return answer;
      };
      return rewriteBy(write, message, log);
    },
    async startUrl(code) {
      if (name === null) {
        const answer = await tell('getMe', {});
        if (answer === null) return { kind: 'fault', problem: 'Telegram did not answer in time' };
        if (refusesToken(answer)) return { kind: 'fault', problem: LOGIN };
        const me = ME.safeParse(answer.result);
        if (!me.success) return { kind: 'fault', problem: 'Telegram answered something that cannot be read' };
        name = me.data.username;
      }
      return { kind: 'url', url: `https://t.me/${name}?start=${code}` };
    },
  };
}

/** Writes a message anew; the button that leads to the page stays. What Telegram does not do with it once, it never does. */
async function rewriteBy(
  edit: (parameters: Record<string, unknown>) => Promise<TelegramAnswer | null>,
  { providerRef, text, page }: MessageThere,
  log: Logger,
): Promise<'done' | 'no_answer'> {
  const write = (buttons: readonly { text: string; url: string }[]) =>
    edit({
      message_id: Number(providerRef),
      text: cutText(text),
      link_preview_options: { is_disabled: true },
      reply_markup: { inline_keyboard: buttons.map(button => [button]) },
    });
  let answer = await write(page === null ? [] : [{ text: page.label, url: page.url }]);
  // It takes no button that leads into a network: the link stands in the text as well.
  if (page !== null && answer !== null && refusesButton(answer)) answer = await write([]);
  if (answer === null || refusesToken(answer) || answer.status === 429 || answer.status >= 500) return 'no_answer';
  if (answer.is !== 'ok') log.debug({ status: answer.status }, 'a message at Telegram was not written anew');
  return 'done';
}

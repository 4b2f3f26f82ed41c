import type { Logger } from 'pino';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { languageFor } from '../../words/language.ts';
import type { Channel } from '../channel.ts';
import { HttpFault } from '../http.ts';
import { noAnswer } from '../http-words.ts';
import { pageOf, writeMessage } from '../message.ts';
import { onceOnly } from '../once-only.ts';
import { createTelegramApi, type TelegramAnswer, type TelegramSettings } from './api.ts';
import { chatIdOf, cutText, PRESSED } from './chat.ts';
import { paceOf } from './pace.ts';
import { LOGIN, refusalOf, refusesButton, refusesToken, toWait } from './words.ts';

/** What did not get its turn. */
const PUT_OFF: AttemptOutcome = { kind: 'put_off', reason: 'too many messages to Telegram are under way', afterS: 1 };

/**
 * Sends chat messages through a bot at Telegram. An address is `telegram:` and the id of a person, who has pressed Start in the chat of the bot.
 * Telegram recognises no message of ours again: one that may have been taken goes once more only if it is a live alert.
 */
export function createTelegramChannel(deps: { settings: TelegramSettings; log: Logger; timeoutMs?: number }): Channel {
  const { settings, log, timeoutMs = ATTEMPT_TIMEOUT_S.chat * 1000 } = deps;
  const api = createTelegramApi(settings);
  const pace = paceOf(settings);

  async function attempt(address: string, alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    const { text, keyboard, plain } = messageOf(alert);
    const chatId = chatIdOf(address);
    const began = performance.now();
    const turn = await pace.turn(alert.accountId, chatId);
    if (turn.kind === 'busy') return PUT_OFF;
    if (turn.kind === 'asked_to_wait') return toWait(turn.afterS, alert.attempt);
    const send = (markup: Keyboard | null) =>
      api(
        'sendMessage',
        {
          chat_id: chatId,
          text,
          link_preview_options: { is_disabled: true },
          ...(markup !== null && { reply_markup: { inline_keyboard: markup } }),
        },
        { timeoutMs: Math.max(1, limitMs - (performance.now() - began)) },
      );
    try {
      let answer = await send(keyboard);
      // It takes no button that leads into a network: the link stands in the text as well.
      if (keyboard !== plain && refusesButton(answer)) answer = await send(plain);
      pace.heard(chatId, answer);
      return outcomeOf(answer, alert.attempt, plain);
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      return noAnswer('Telegram', error, 'of_the_deployment');
    }
  }

  return {
    kind: 'chat',
    atOnce: AT_ONCE.chat,
    async send(address, alert, within) {
      const limitMs = Math.min(timeoutMs, within?.limitMs ?? timeoutMs);
      const outcome = onceOnly(await attempt(address, alert, limitMs), alert);
      if (outcome.kind !== 'sent') {
        log.warn({ delivery: alert.deliveryId, outcome: outcome.kind }, 'Telegram did not take a message');
      }
      return outcome;
    },
    async ask(limitMs) {
      try {
        const answer = await api('getMe', {}, { timeoutMs: limitMs });
        if (answer.is === 'ok') return null;
        const outcome = refusesToken(answer) ? { reason: LOGIN } : refusalOf(answer, 1);
        return 'reason' in outcome ? outcome.reason : null;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('Telegram', error, 'of_the_deployment');
        return 'reason' in outcome ? outcome.reason : null;
      }
    },
    async close() {},
  };
}

type Keyboard = readonly (readonly ({ text: string; callback_data: string } | { text: string; url: string })[])[];

/** Returns what is written, and its buttons: with the link and without. */
function messageOf(alert: Alert): { text: string; keyboard: Keyboard | null; plain: Keyboard | null } {
  const { subject, text } = writeMessage(alert);
  const language = languageFor(alert.locale);
  const token = 'token' in alert && canBePressed(alert) ? alert.token : undefined;
  const page = pageOf(alert, language);
  const { acknowledge, mail } = language.words;
  const press = token === undefined ? [] : [[{ text: acknowledge, callback_data: `${PRESSED}${token}` }]];
  // Beside the one that acknowledges, this one is for looking.
  const label = alert.purpose === 'verification' ? page?.label : mail.see;
  const link = page === null ? [] : [[{ text: label ?? mail.see, url: page.url }]];
  const plain = press.length === 0 ? null : press;
  return {
    text: cutText(`${subject}\n\n${text.trimEnd()}`),
    keyboard: link.length === 0 ? plain : [...press, ...link],
    plain,
  };
}

/** Nobody is asked to acknowledge what somebody has. */
function canBePressed(alert: Alert & { token?: string }): boolean {
  return 'acknowledgedBy' in alert && alert.purpose !== 'acknowledged' && alert.acknowledgedBy === '';
}

/** Its id alone says that it took a message; no answer of it says that one arrived. */
function outcomeOf(answer: TelegramAnswer, attempt: number, keyboard: Keyboard | null): AttemptOutcome {
  const { is, result } = answer;
  const id = typeof result === 'object' && result !== null && 'message_id' in result ? result.message_id : null;
  if (is !== 'ok' || typeof id !== 'number') return refusalOf(answer, attempt);
  return { kind: 'sent', providerRef: String(id), ...(keyboard !== null && { answered: 'at_carrier' }) };
}

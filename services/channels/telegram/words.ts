import type { AttemptOutcome } from '../../domain/delivery.ts';
import { mayPass } from '../http-words.ts';
import type { TelegramAnswer } from './api.ts';

export const LOGIN = 'Telegram refused the token: check TELEGRAM_TOKEN';

/** The longest wait that Telegram may ask for before the next channel goes, in seconds, and how often it may ask. */
const LONGEST_WAIT_S = 60;
const WAITS = 5;

const NO_CHAT: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'Telegram knows no such chat: they have not pressed Start in the chat of the bot',
};
const BLOCKED: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'they have blocked the bot at Telegram, or their account is closed',
};
const MOVED: AttemptOutcome = {
  kind: 'permanent_fault',
  reason: 'the chat is a group at Telegram, which has become another one',
};
const TOO_LONG: AttemptOutcome = { kind: 'permanent_fault', reason: 'Telegram says that the message is too long' };
const UNREADABLE: AttemptOutcome = {
  kind: 'temporary_fault',
  reason: 'Telegram answered something that cannot be read',
};

/** Tells whether Telegram does not know our token: it answers 404 where one has never been. */
export function refusesToken({ status }: TelegramAnswer): boolean {
  return status === 401 || status === 404;
}

/** Tells whether Telegram refuses a button, such as one with a link into a network. */
export function refusesButton({ status, said }: TelegramAnswer): boolean {
  return status === 400 && /button/i.test(said);
}

/** What came of a message that Telegram did not take, by its answer to the attempt. */
export function refusalOf(answer: TelegramAnswer, attempt: number): AttemptOutcome {
  const { status, is, said, retryAfterS, moved } = answer;
  if (refusesToken(answer)) return { kind: 'permanent_fault', reason: LOGIN, carrier: 'away' };
  if (status === 429) return toWait(retryAfterS ?? 1, attempt);
  if (mayPass(status)) return { kind: 'temporary_fault', reason: `Telegram has a fault of its own: ${status}` };
  if (status === 403) return BLOCKED;
  if (moved === 'yes') return MOVED;
  if (status >= 200 && status < 300 && is !== 'refused') return UNREADABLE;
  if (/chat not found|user not found|PEER_ID_INVALID/i.test(said)) return NO_CHAT;
  if (/message is too long/i.test(said)) return TOO_LONG;
  return { kind: 'permanent_fault', reason: `Telegram refused: ${said || status}` };
}

/** What follows where Telegram wants it later. */
export function toWait(retryAfterS: number, attempt: number): AttemptOutcome {
  if (retryAfterS <= LONGEST_WAIT_S && attempt <= WAITS) {
    return { kind: 'asked_to_wait', reason: 'Telegram asked to wait', afterS: Math.max(1, Math.ceil(retryAfterS)) };
  }
  return { kind: 'temporary_fault', reason: 'Telegram takes no more messages for now', taken: 'no' };
}

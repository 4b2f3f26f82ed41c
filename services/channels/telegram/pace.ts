import { createFair } from '../../limits/fair.ts';
import type { TelegramAnswer, TelegramSettings } from './api.ts';

/** Between two messages, in milliseconds: 25 a second, since Telegram takes about thirty of a bot. */
const EVERY_MS = 40;

/** How long a message waits for those before it, in milliseconds. */
const TURN_MS = 3_000;

/** How many chats have to wait at once until all do: what one was sent too much of holds up no other. */
const CHATS_MOST = 3;

/** The longest pause that is kept, in milliseconds. */
const LONGEST_MS = 60_000;

/** Whether a message goes now. `afterS`: Telegram asked to wait for that long still. */
export type Turn = { kind: 'goes' } | { kind: 'busy' } | { kind: 'asked_to_wait'; afterS: number };

/** How fast messages go to Telegram and are written anew there, over all accounts of this process. */
export interface Pace {
  /** Waits for the turn of a party, such as an account. */
  turn(party: string, chatId: number): Promise<Turn>;
  /** Takes note of how long Telegram wants no more. */
  heard(chatId: number, answer: TelegramAnswer): void;
}

export function createPace(): Pace {
  const line = createFair({ places: 1, patienceMs: TURN_MS, next: 'parties_in_turn' });
  /** Until when chats have to wait. */
  const waits = new Map<number, number>();

  function leftMs(chatId: number): number {
    const now = performance.now();
    for (const [chat, until] of waits) if (until <= now) waits.delete(chat);
    const until = waits.size >= CHATS_MOST ? Math.max(...waits.values()) : (waits.get(chatId) ?? now);
    return until - now;
  }

  function asked(chatId: number): Turn | null {
    const left = leftMs(chatId);
    return left > 0 ? { kind: 'asked_to_wait', afterS: Math.ceil(left / 1_000) } : null;
  }

  return {
    async turn(party, chatId) {
      const waiting = asked(chatId);
      if (waiting !== null) return waiting;
      const place = await line.enter(party);
      if (typeof place === 'string') return { kind: 'busy' };
      setTimeout(() => place[Symbol.dispose](), EVERY_MS);
      return asked(chatId) ?? { kind: 'goes' };
    },
    heard(chatId, { status, retryAfterS }) {
      if (status !== 429) return;
      waits.set(chatId, performance.now() + Math.min((retryAfterS ?? 1) * 1_000, LONGEST_MS));
    },
  };
}

const paces = new WeakMap<TelegramSettings, Pace>();

/** Returns the pace of a bot: its channel and what it writes anew share one. */
export function paceOf(settings: TelegramSettings): Pace {
  const pace = paces.get(settings) ?? createPace();
  paces.set(settings, pace);
  return pace;
}

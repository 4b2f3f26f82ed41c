import type { Logger } from 'pino';
import { z } from 'zod';
import type { Alert } from '../../domain/alert.ts';
import { ATTEMPT_TIMEOUT_S, type AttemptOutcome } from '../../domain/delivery.ts';
import { AT_ONCE } from '../../domain/turns.ts';
import { createFair } from '../../limits/fair.ts';
import { SIGNAL_PREFIX } from '../../process/vocabulary.ts';
import { languageFor } from '../../words/language.ts';
import type { Channel } from '../channel.ts';
import { HttpFault } from '../http.ts';
import { noAnswer } from '../http-words.ts';
import { writeMessage } from '../message.ts';
import { onceOnly } from '../once-only.ts';
import { createSignalApi, type SignalAnswer, type SignalSettings } from './api.ts';
import { receiptsOf } from './receipts.ts';
import { LOSES_REPLIES, NO_SERVER, NOT_REGISTERED, refusalOf } from './words.ts';

/** How many messages go at once, and how long one waits for those before it, in milliseconds: signal-cli sends one after the other. */
const PLACES = 2;
const TURN_MS = 3_000;

const PUT_OFF: AttemptOutcome = {
  kind: 'put_off',
  reason: 'too many messages to Signal are under way',
  afterS: 1,
};

/** Its answer to a message that it took: when it did, in milliseconds since 1970, by which receipts name it. */
const TAKEN = z.object({ timestamp: z.coerce.string().regex(/^\d{1,20}$/) });

/**
 * Sends chat messages through Signal, by a server of the operator's. An address is `signal:` and the number of a person, who answers by the code of
 * the message. Signal recognises no message of ours again: one that may have been taken goes once more only if it is a live alert.
 */
export function createSignalChannel(deps: {
  settings: SignalSettings;
  log: Logger;
  timeoutMs?: number;
  turnMs?: number;
}): Channel {
  const { settings, log, timeoutMs = ATTEMPT_TIMEOUT_S.chat * 1000, turnMs = TURN_MS } = deps;
  const api = createSignalApi(settings);
  const receipts = receiptsOf(settings);
  const line = createFair({ places: PLACES, patienceMs: turnMs, next: 'parties_in_turn' });
  /** That the last one of all had no answer, which is so for others too; null: it had one, whatever that said. */
  let silence: AttemptOutcome | null = null;

  async function attempt(number: string, alert: Alert, limitMs: number): Promise<AttemptOutcome> {
    const began = performance.now();
    const place = await line.enter(alert.accountId);
    // Who waits behind one that hangs goes on over another channel as if it had been asked.
    if (typeof place === 'string') return silence?.kind === 'temporary_fault' ? { ...silence, taken: 'no' } : PUT_OFF;
    try {
      const leftMs = Math.max(1, limitMs - (performance.now() - began));
      const answer = await api.send(number, textOf(alert), leftMs);
      silence = null;
      return outcomeOf(answer, number, alert);
    } catch (error) {
      if (!(error instanceof HttpFault)) throw error;
      silence = noAnswer('Signal', error, 'of_the_deployment');
      return silence;
    } finally {
      place[Symbol.dispose]();
    }
  }

  /** Taken is `sent`, and `delivered` what a receipt says. */
  function outcomeOf(answer: SignalAnswer, number: string, { deliveryId, attempt }: Alert): AttemptOutcome {
    const taken = answer.status < 300 && answer.failure === '' ? TAKEN.safeParse(answer.json).data : undefined;
    if (taken === undefined) return refusalOf(answer);
    const { timestamp: providerRef } = taken;
    const has = receipts.sent(number, providerRef, { deliveryId, attempt });
    return { kind: has === 'arrived' ? 'delivered' : 'sent', providerRef };
  }

  return {
    kind: 'chat',
    atOnce: AT_ONCE.chat,
    async send(address, alert, within) {
      const limitMs = Math.min(timeoutMs, within?.limitMs ?? timeoutMs);
      const outcome = onceOnly(await attempt(address.slice(SIGNAL_PREFIX.length), alert, limitMs), alert);
      if ('reason' in outcome) {
        const { kind, reason } = outcome;
        log.warn({ delivery: alert.deliveryId, outcome: kind, reason }, 'Signal did not take a message');
      }
      return outcome;
    },
    async ask(limitMs) {
      try {
        const mode = await api.mode(limitMs);
        if (mode === null) return NO_SERVER;
        const numbers = await api.numbers(limitMs);
        if (numbers !== null && !numbers.includes(settings.number)) return NOT_REGISTERED;
        return mode === 'loses_replies' ? LOSES_REPLIES : null;
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        const outcome = noAnswer('Signal', error, 'of_the_deployment');
        return 'reason' in outcome ? outcome.reason : null;
      }
    },
    async close() {},
  };
}

/** A reply is heard wherever this deployment is, so it is asked for without a public address too. */
function textOf(alert: Alert): string {
  const { words } = languageFor(alert.locale);
  const { subject, text } = writeMessage('texts' in alert ? { ...alert, texts: 'no_texts' } : alert);
  const code = 'replyCode' in alert && canBeAnswered(alert) ? alert.replyCode : '';
  return [subject, '', text.trimEnd(), ...(code === '' ? [] : [words.sms.reply(code)])].join('\n');
}

/** Nobody is asked to acknowledge what somebody has. */
function canBeAnswered(alert: Alert): boolean {
  return 'acknowledgedBy' in alert && alert.purpose !== 'acknowledged' && alert.acknowledgedBy === '';
}

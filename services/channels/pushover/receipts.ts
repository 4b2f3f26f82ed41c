import type { Logger } from 'pino';
import { z } from 'zod';
import { PUSHOVER_PREFIX } from '../../process/vocabulary.ts';
import type { AnswersThere } from '../channel.ts';
import { type HttpAnswer, HttpFault } from '../http.ts';
import { isTaken } from '../http-words.ts';
import { createPushoverApi, type PushoverSettings } from './api.ts';

/** How long an answer of Pushover is waited for, in milliseconds. */
const PATIENCE_MS = 5_000;

const RECEIPT = z.object({
  status: z.literal(1),
  acknowledged: z.union([z.literal(0), z.literal(1)]),
  acknowledged_by: z.string().optional(),
  expired: z.union([z.literal(0), z.literal(1)]).optional(),
});

/**
 * Asks Pushover for its receipts: whether somebody acknowledged a message in the app (https://pushover.net/api/receipts). What it calls
 * `last_delivered_at` is when it rang last, and tells nothing of an arrival. Only the person to whom it went answers for themselves.
 */
export function createPushoverReceipts(settings: PushoverSettings, log: Logger): AnswersThere {
  const api = createPushoverApi(settings);
  let was: 'answers' | 'refuses' = 'answers';

  async function asked(request: () => Promise<HttpAnswer>): Promise<HttpAnswer | null> {
    try {
      const answer = await request();
      const is = isRefused(answer) ? 'refuses' : 'answers';
      if (is === 'refuses' && is !== was)
        log.error(
          { status: answer.status },
          'Pushover refuses questions about messages: who answers in its app is not seen',
        );
      was = is;
      return answer;
    } catch (error) {
      if (error instanceof HttpFault) return null;
      throw error;
    }
  }

  return {
    // Pushover wants five seconds between two questions, and rings for 25 minutes.
    everyS: 5,
    asks: 'while_open',
    forS: 1_530,
    async ask(receipt, address) {
      const answer = await asked(() => api.receipt(receipt, PATIENCE_MS));
      if (answer === null || isRefused(answer)) return 'no_answer';
      const read = isTaken(answer) ? readReceipt(answer) : null;
      // A receipt is known a moment later than the message is taken.
      if (read === null) return 'not_yet';
      if (read.acknowledged === 0) return read.expired === 1 ? 'over' : 'not_yet';
      if (read.acknowledged_by === address.slice(PUSHOVER_PREFIX.length)) return 'acknowledged';
      log.warn('a message of Pushover was acknowledged by somebody to whom it did not go: that counts for nothing');
      return 'over';
    },
    async quiet(deliveryId) {
      const answer = await asked(() => api.cancelByTag(deliveryId, PATIENCE_MS));
      return answer === null || isRefused(answer) ? 'no_answer' : 'done';
    },
  };
}

/** A receipt that Pushover does not know is an answer; whatever else it refuses says nothing about a message. */
function isRefused({ status }: HttpAnswer): boolean {
  return status !== 404 && (status < 200 || status >= 300);
}

function readReceipt({ text }: HttpAnswer): z.infer<typeof RECEIPT> | null {
  try {
    return RECEIPT.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

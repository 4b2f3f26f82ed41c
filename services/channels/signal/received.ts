import { z } from 'zod';
import { PHONE_NUMBER, SIGNAL_PREFIX } from '../../process/vocabulary.ts';
import type { Said } from '../channel.ts';
import type { Receipts } from './receipts.ts';

/** Whoever hides their number is nobody that we know. */
const number = z.string().regex(PHONE_NUMBER);

const written = z.object({ message: z.string(), groupInfo: z.unknown().optional() });

const ENVELOPE = z.object({
  envelope: z.object({
    sourceNumber: number,
    dataMessage: written.nullish().catch(null),
    editMessage: z.object({ dataMessage: written }).nullish().catch(null),
    receiptMessage: z
      .object({
        isDelivery: z.boolean().default(false),
        isRead: z.boolean().default(false),
        timestamps: z.array(z.coerce.string()).max(1_000),
      })
      .nullish()
      .catch(null),
  }),
});

/**
 * Returns what was said in an answer of the server. What somebody changed counts as if they had written it. What is said in a group, and whatever
 * else comes, is passed over.
 */
export function readReceived(json: unknown, ours: string, receipts: Receipts): Said[] {
  return (Array.isArray(json) ? json : []).flatMap((one: unknown): Said[] => {
    const { data } = ENVELOPE.safeParse(one);
    if (data === undefined || data.envelope.sourceNumber === ours) return [];
    const { sourceNumber, dataMessage, editMessage, receiptMessage } = data.envelope;
    // A person's language is known where they are known.
    const who = { from: `${SIGNAL_PREFIX}${sourceNumber}`, locale: 'en' };
    const message = dataMessage ?? editMessage?.dataMessage ?? null;
    if (message !== null && message.groupInfo == null) return [{ kind: 'replied', ...who, text: message.message }];
    if (receiptMessage == null || !(receiptMessage.isDelivery || receiptMessage.isRead)) return [];
    return receiptMessage.timestamps.flatMap(at => {
      const about = receipts.arrived(sourceNumber, at);
      return about === null ? [] : [{ kind: 'arrived' as const, ...who, ...about, providerRef: at }];
    });
  });
}

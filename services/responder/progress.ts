import type { CarrierNews } from '../channels/channel.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { type AfterNews, afterNews } from '../domain/progress.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { markArrived } from '../store/statements/delivery.ts';
import { failOver } from '../store/statements/fail-over.ts';
import { lockProgressing, type ProgressingDelivery, recordProgress } from '../store/statements/progress.ts';
import { findResponding } from '../store/statements/responder.ts';
import { addSpend } from '../store/statements/spend.ts';
import { judgeReached } from '../store/statements/unreached.ts';
import type { ResponderOptions } from './options.ts';
import { type Received, UNKNOWN_DELIVERY } from './received.ts';

type News = Extract<CarrierNews, { kind: 'arrived' | 'fault' }>;

/** What the words of domain/progress.ts are called to a carrier. */
const NOTED = { replayed: 'replayed', stale_attempt: 'nothing', settled: 'nothing' } as const;

/**
 * Records what a carrier tells of a message, with all that follows, in one transaction (DECISIONS.md "Delivery"), and wakes
 * the channel on which something is due now.
 */
export async function recordNews(
  on: Pick<ResponderOptions, 'store' | 'log' | 'scheduled'>,
  about: { deliveryId: string; attempt: number },
  news: News,
): Promise<Received> {
  const found = await findResponding(on.store.pool, about.deliveryId);
  if (found === null) return UNKNOWN_DELIVERY;
  const moved = await inTransaction(on.store.pool, async client => {
    const delivery = await lockProgressing(client, found.accountId, found.id);
    if (delivery === null) return null;
    const after = afterNews(news, { attempt: about.attempt, providerRef: ownName(news, found.id) }, delivery);
    if (after.kind === 'nothing') return { after, due: null };
    await recordProgress(client, delivery, after, news.providerRef);
    return { after, due: await follow(client, delivery, after) };
  });
  if (moved === null) return UNKNOWN_DELIVERY;
  const { after, due } = moved;
  on.log.info(
    { delivery: found.id, incident: found.incident.id, attempt: about.attempt, after: after.kind, due },
    'a carrier told what became of a message',
  );
  if (due !== null) on.scheduled(due);
  else if (after.kind === 'failed' || after.kind === 'delivered')
    await judgeReached(on.store.pool, found.accountId, found.incident.id);
  return { outcome: after.kind === 'nothing' ? NOTED[after.because] : 'recorded', answer: { kind: 'noted' } };
}

/** What the carrier calls the message. One that calls it as we do calls each attempt so: that names none of them. */
function ownName({ providerRef }: News, deliveryId: string): string | null {
  return providerRef === deliveryId ? null : providerRef;
}

/** Does what the news entails beside the delivery's own row. Gives the channel on which something is due now. */
async function follow(on: Connection, delivery: ProgressingDelivery, after: AfterNews): Promise<ChannelKind | null> {
  const { accountId, sourceId, contactId, channel, status } = delivery;
  // Its sender records nothing any more, so what it cost is counted here; how many parts it had, only the sender knew.
  if (status === 'sending') await addSpend(on, { accountId, about: { sourceId, contactId }, channel, units: 1 });
  switch (after.kind) {
    case 'delivered':
      await markArrived(on, delivery);
      return null;
    case 'retry':
      return channel;
    case 'failed':
      return failOver(on, delivery, delivery.copy);
    case 'cancelled':
    case 'nothing':
      return null;
  }
}

import type { CarrierNews } from '../channels/channel.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { type AfterNews, afterNews } from '../domain/progress.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { markArrived } from '../store/statements/delivery.ts';
import { failOver } from '../store/statements/fail-over.ts';
import { findResponding } from '../store/statements/responder.ts';
import { addSpend } from '../store/statements/spend.ts';
import { judgeReached } from '../store/statements/unreached.ts';
import { slotTold } from './address-told.ts';
import type { ResponderOptions } from './options.ts';
import { type Received, UNKNOWN_DELIVERY } from './received.ts';
import { lockProgressing, type ProgressingDelivery, recordProgress, statusAfter } from './statements.ts';

type News = Extract<CarrierNews, { kind: 'arrived' | 'fault' }>;

/** The outcomes reported to a carrier for the results of domain/progress.ts. */
const NOTED = { replayed: 'replayed', stale_attempt: 'nothing', settled: 'nothing' } as const;

/**
 * Records a carrier's report on a message and everything that follows, in one transaction (DECISIONS.md "Delivery"),
 * and wakes the channel on which something is due now. `carrier`: its name; null if it is not known.
 */
export async function recordNews(
  on: Pick<ResponderOptions, 'store' | 'carriers' | 'log' | 'scheduled' | 'reported'>,
  about: { deliveryId: string; attempt: number },
  news: News,
  carrier: string | null,
): Promise<Received> {
  const found = await findResponding(on.store.pool, about.deliveryId);
  if (found === null) return UNKNOWN_DELIVERY;
  const moved = await inTransaction(on.store.pool, async client => {
    const delivery = await lockProgressing(client, found.accountId, found.id);
    if (delivery === null) return null;
    const after = afterNews(news, { attempt: about.attempt, providerRef: ownName(news, found.id) }, delivery);
    if (after.kind === 'nothing') return { after, due: [], report: null };
    await recordProgress(client, delivery, after, { carrier, providerRef: news.providerRef });
    const sinceFirstAttemptS = (delivery.now - delivery.firstAttemptAt) / 1000;
    const fault = news.kind === 'fault' ? (`${news.lasts}_fault` as const) : null;
    const report = { channel: delivery.channel, status: statusAfter(after), fault, sinceFirstAttemptS };
    return { after, due: await follow(client, delivery, after, on.carriers), report };
  });
  if (moved === null) return UNKNOWN_DELIVERY;
  const { after, due, report } = moved;
  if (report !== null) on.reported(report);
  on.log.info(
    { delivery: found.id, incident: found.incident.id, attempt: about.attempt, after: after.kind, due },
    'a carrier reported on a message',
  );
  for (const channel of due) on.scheduled(channel);
  if (after.kind !== 'nothing') {
    const judged = await judgeReached(on.store.pool, found.accountId, found.incident.id);
    for (const channel of judged.due) on.scheduled(channel);
  }
  return { outcome: after.kind === 'nothing' ? NOTED[after.because] : 'recorded', answer: { kind: 'noted' } };
}

/** Returns the carrier's id of the message; null if it echoes our own id, which all attempts share. */
function ownName({ providerRef }: News, deliveryId: string): string | null {
  return providerRef === deliveryId ? null : providerRef;
}

/** Does what follows a report besides the delivery's own row. Returns the channels on which something is due soon. */
async function follow(
  on: Connection,
  delivery: ProgressingDelivery,
  after: AfterNews,
  carriers: readonly ChannelKind[],
): Promise<ChannelKind[]> {
  const { accountId, sourceId, contactId, channel, status } = delivery;
  // Its sender no longer records anything, so its cost is counted here; only the sender knew how many parts it had.
  if (status === 'sending') await addSpend(on, { accountId, about: { sourceId, contactId }, channel, units: 1 });
  switch (after.kind) {
    case 'delivered':
      await markArrived(on, { ...delivery, slot: slotTold({ ...delivery, incident: { copy: delivery.copy } }) });
      return [];
    case 'retry':
      return after.nextChannel === 'goes' ? [channel, ...(await otherChannel(on, delivery, carriers))] : [channel];
    case 'failed':
      return otherChannel(on, delivery, carriers);
    case 'cancelled':
    case 'nothing':
      return [];
  }
}

async function otherChannel(
  on: Connection,
  delivery: ProgressingDelivery,
  carriers: readonly ChannelKind[],
): Promise<ChannelKind[]> {
  const other = await failOver(on, delivery, delivery.copy, carriers);
  return other === null ? [] : [other];
}

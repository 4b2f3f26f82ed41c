import type { CarrierNews } from '../channels/channel.ts';
import { copiedContact } from '../domain/alert.ts';
import { type ChannelKind, failoverChannel } from '../domain/delivery.ts';
import { obstacle } from '../domain/escalation.ts';
import { trialEndsAt } from '../domain/plan.ts';
import { type AfterNews, afterNews } from '../domain/progress.ts';
import { channelsUsed, failOver, markArrived } from '../store/delivery-statements.ts';
import { newId } from '../store/id.ts';
import { lockProgressing, type ProgressingDelivery, recordProgress } from '../store/progress-statement.ts';
import { findResponding } from '../store/responder-statements.ts';
import { addSpend } from '../store/spend-statements.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import type { ResponderOptions } from './options.ts';
import type { Received } from './received.ts';

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
  if (found === null) return received('unknown_delivery');
  const moved = await inTransaction(on.store.pool, async client => {
    const delivery = await lockProgressing(client, found.account_id, found.id);
    if (delivery === null) return null;
    const after = afterNews(news, about.attempt, delivery);
    if (after.kind === 'nothing') return { after, due: null };
    await recordProgress(client, delivery, after, news.providerRef);
    return { after, due: await follow(client, delivery, after) };
  });
  if (moved === null) return received('unknown_delivery');
  const { after, due } = moved;
  on.log.info(
    { delivery: found.id, incident: found.incident_id, attempt: about.attempt, after: after.kind, due },
    'a carrier told what became of a message',
  );
  if (due !== null) on.scheduled(due);
  return received(after.kind === 'nothing' ? NOTED[after.because] : 'recorded');
}

/** Does what the news entails beside the delivery's own row. Gives the channel on which something is due now. */
async function follow(on: Connection, delivery: ProgressingDelivery, after: AfterNews): Promise<ChannelKind | null> {
  const { account_id: accountId, channel, status } = delivery;
  // Its sender records nothing any more, so what it cost is counted here; how many parts it had, only the sender knew.
  if (status === 'sending') await addSpend(on, { accountId, channel, units: 1 });
  switch (after.kind) {
    case 'delivered':
      await markArrived(on, delivery);
      return null;
    case 'retry':
      return channel;
    case 'failed': {
      const other = failoverChannel(usableChannels(delivery), await channelsUsed(on, delivery));
      if (other === null) return null;
      return (await failOver(on, delivery, newId(), other)) === 'scheduled' ? other : null;
    }
    case 'cancelled':
    case 'nothing':
      return null;
  }
}

/** The channels over which the contact can be told now, in the contact's order. */
function usableChannels({ copy, contact_id, plan, account_created_at, now }: ProgressingDelivery): ChannelKind[] {
  const contact = copiedContact(copy, contact_id);
  const account = { plan, trialEndsAt: trialEndsAt(account_created_at.getTime()) };
  const channels = contact?.addresses.map(({ channel }) => channel) ?? [];
  return channels.filter(channel => contact !== null && obstacle(contact, channel, account, now.getTime()) === null);
}

function received(outcome: string): Received {
  return { outcome, answer: { kind: 'noted' } };
}

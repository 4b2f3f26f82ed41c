import { copiedContact } from '../domain/alert.ts';
import type { ChannelKind } from '../domain/delivery.ts';
import { type ContactCopy, obstacle } from '../domain/escalation.ts';
import { type PlanFacts, trialEndsAt } from '../domain/plan.ts';
import type { LeasedDelivery } from '../store/delivery-statements.ts';

/** The contact of a delivery as it was when the incident opened. */
export function contactOf({ id, copy, contact_id }: LeasedDelivery): ContactCopy {
  const contact = copiedContact(copy, contact_id);
  if (contact === null) throw new Error(`Delivery ${id} names a contact that its incident does not know.`);
  return contact;
}

/** What stands in the way of a delivery now (domain/escalation.ts); null: nothing. */
export function obstacleOf(delivery: LeasedDelivery, channel: ChannelKind = delivery.channel) {
  return obstacle(contactOf(delivery), channel, planOf(delivery), delivery.now.getTime());
}

/** The channels over which the contact can be told now, in the contact's order. */
export function usableChannels(delivery: LeasedDelivery): ChannelKind[] {
  const channels = contactOf(delivery).addresses.map(({ channel }) => channel);
  return channels.filter(channel => obstacleOf(delivery, channel) === null);
}

function planOf({ plan, account_created_at }: LeasedDelivery): PlanFacts {
  return { plan, trialEndsAt: trialEndsAt(account_created_at.getTime()) };
}

import { type ChannelKind, failoverChannel } from './delivery.ts';
import { type ContactCopy, obstacle, usableChannels } from './escalation.ts';
import type { PlanFacts } from './plan.ts';

/** What messages can be sent with: what the account pays for, and what this deployment has set up. */
export interface Means {
  account: PlanFacts;
  /** The channels that have a carrier here. Messages over the others are kept (`no_carrier`). */
  carriers: readonly ChannelKind[];
}

/** What would happen to a live message at its time. */
export type Fate = 'sent' | 'no_carrier' | 'plan_required' | 'no_address' | 'not_verified';

export interface Message {
  channel: ChannelKind;
  fate: Fate;
}

/**
 * Predicts what would happen to one live message to a contact (DECISIONS.md "Delivery", "Text and call without plan").
 */
export function fateOf(contact: Pick<ContactCopy, 'addresses'>, channel: ChannelKind, means: Means, at: number): Fate {
  return obstacle(contact, channel, means.account, at) ?? (means.carriers.includes(channel) ? 'sent' : 'no_carrier');
}

/**
 * Lists all live messages of one step to one contact: first those over the channels that the step names, then those
 * that replace messages that cannot go out at all (DECISIONS.md "A send fails for good"). Refusals by a provider cannot
 * be predicted.
 */
export function messagesOf(contact: ContactCopy, means: Means, at: number): Message[] {
  const usable = usableChannels(contact, means.account, at);
  const messages = contact.channels.map(channel => ({ channel, fate: fateOf(contact, channel, means, at) }));
  for (const { channel } of [...messages]) {
    if (usable.includes(channel)) continue;
    const used = messages.map(message => message.channel);
    const other = failoverChannel(usable, used);
    if (other !== null) messages.push({ channel: other, fate: fateOf(contact, other, means, at) });
  }
  return messages;
}

/** Tells whether a step would get a message to a contact by any channel. A channel without a carrier reaches nobody. */
export function reaches(contact: ContactCopy, means: Means, at: number): 'reached' | 'not_reached' {
  return messagesOf(contact, means, at).some(({ fate }) => fate === 'sent') ? 'reached' : 'not_reached';
}

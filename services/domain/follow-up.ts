import type { ChannelKind } from './delivery.ts';
import type { FollowUp } from './incident.ts';

/** A message of an incident that went out or is going out right now: this contact was alerted over this channel. */
export interface Reached {
  contactId: string;
  channel: ChannelKind;
}

/**
 * Returns whom a follow-up goes to, and how (DECISIONS.md "Swallowed alarms", "Acknowledge"): everybody who was
 * alerted, over the channels that reached them. By call only where nothing else reached them: a follow-up is no reason
 * to make a bedside phone ring. Whoever acknowledged needs no message. Each contact and channel once, in the order
 * given.
 */
export function whomToTell(followUp: Pick<FollowUp, 'exceptContactId'>, reached: readonly Reached[]): Reached[] {
  const others = reached.filter(({ contactId }) => contactId !== followUp.exceptContactId);
  return [...Map.groupBy(others, ({ contactId }) => contactId)].flatMap(([contactId, messages]) => {
    const channels = [...new Set(messages.map(({ channel }) => channel))];
    const quiet = channels.filter(channel => channel !== 'call');
    return (quiet.length > 0 ? quiet : channels).map(channel => ({ contactId, channel }));
  });
}

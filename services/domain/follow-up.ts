import type { ChannelKind } from './delivery.ts';
import type { FollowUp } from './incident.ts';

/** A message that went out in an incident, or is going out right now: this contact was alerted over this channel. */
export interface Reached {
  contactId: string;
  channel: ChannelKind;
}

/**
 * Whom a follow-up goes to, and how (DECISIONS.md "Swallowed alarms", "Acknowledge"): everybody who was alerted, over the
 * channels that reached them; by call only where nothing else did, because who has it is no reason to make a telephone ring
 * beside a bed. The one who took it knows. Each contact and channel once, in the order given.
 */
export function whomToTell(followUp: Pick<FollowUp, 'exceptContactId'>, reached: readonly Reached[]): Reached[] {
  const others = reached.filter(({ contactId }) => contactId !== followUp.exceptContactId);
  return [...Map.groupBy(others, ({ contactId }) => contactId)].flatMap(([contactId, messages]) => {
    const channels = [...new Set(messages.map(({ channel }) => channel))];
    const quiet = channels.filter(channel => channel !== 'call');
    return (quiet.length > 0 ? quiet : channels).map(channel => ({ contactId, channel }));
  });
}

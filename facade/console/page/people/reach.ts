import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';

/** The ways to reach a person, in the order in which they are offered. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'chat', 'webhook'] as const;

/** Returns which of its channel's addresses a way is, in words: from the second on. Without a blank, so that it may stand in an id. */
export function nthOf(ways: readonly { channel: string }[], at: number): string {
  const nth = ways.filter(({ channel }, index) => index <= at && channel === ways[at]!.channel).length;
  return nth > 1 ? `\u00a0(${nth})` : '';
}

/** Tells whether a live alert goes out to a contact over at least one channel. */
export function canBeReached({ channels }: Pick<Contact, 'channels'>): boolean {
  return channels.some(({ reach }) => reach === 'goes');
}

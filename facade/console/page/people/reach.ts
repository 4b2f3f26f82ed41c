import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';

/** The ways to reach a person, in the order in which they are offered. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'chat', 'webhook'] as const;

/** Tells whether a live alert goes out to a contact over at least one channel. */
export function canBeReached({ channels }: Pick<Contact, 'channels'>): boolean {
  return channels.some(({ reach }) => reach === 'goes');
}

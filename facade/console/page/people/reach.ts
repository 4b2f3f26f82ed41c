import type { Contact } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';

/** The ways to reach a person, in the order in which they are offered. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'webhook'] as const;

/** Whether a live alert goes out to a person over at least one way, as the services say of each. */
export function canBeReached({ channels }: Pick<Contact, 'channels'>): boolean {
  return channels.some(({ reach }) => reach === 'goes');
}

import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';

/** The ways to reach a person, in the order in which they are offered. */
export const CHANNELS = ['text', 'call', 'email', 'push', 'webhook'] as const;

/** Whether a live alert goes out over a way, and if not, why. */
export type Reach = 'reached' | 'not_verified' | 'disabled' | 'no_carrier';

/** `carriers`: the channels that messages can go out by. Null: not known yet, then it is taken that they can. */
export function reachOf(way: ContactChannel, carriers: ReadonlySet<string> | null): Reach {
  if (way.disabledReason !== '') return 'disabled';
  if (way.channel !== 'webhook' && way.verifiedAt === undefined) return 'not_verified';
  return carriers === null || carriers.has(way.channel) ? 'reached' : 'no_carrier';
}

/** Whether a live alert goes out to a person over at least one way. */
export function canBeReached({ channels }: Contact, carriers: ReadonlySet<string> | null): boolean {
  return channels.some(way => reachOf(way, carriers) === 'reached');
}

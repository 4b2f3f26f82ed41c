import type { ContactChannel } from '../../gen/tocsin/console/v1/contacts_pb.ts';
import { mismatch, shown } from '../../services/process/text.ts';
import type { ChannelKind } from '../../services/process/vocabulary.ts';
import { usageFault } from './exit.ts';

/** The flags for the channels of a contact. */
export interface ChannelFlags {
  /** New addresses, in the order of their flags. */
  addresses: readonly (readonly [ChannelKind, string])[];
  removed: readonly string[];
  /** `email=on holiday`. */
  paused: readonly string[];
  resumed: readonly string[];
}

/** A channel as the services accept it. */
export interface ChannelFields {
  channel: string;
  address: string;
  disabledReason: string;
}

/** Tells whether any of the flags is given. */
export function touchesChannels({ addresses, removed, paused, resumed }: ChannelFlags): 'touched' | 'untouched' {
  return addresses.length + removed.length + paused.length + resumed.length > 0 ? 'touched' : 'untouched';
}

/**
 * Returns the channels of a contact after a change: the addresses given for a channel replace those that it has, in their order, or are added
 * at the end; all others stay. One that stays keeps whether it is used. Throws a usage fault for an unknown channel, or one to be removed,
 * paused or resumed that the contact does not have: with all of its addresses.
 */
export function withChannels(now: readonly ContactChannel[], flags: ChannelFlags): ChannelFields[] {
  let channels = now.map(({ channel, address, disabledReason }) => ({ channel, address, disabledReason }));
  for (const [channel, given] of Map.groupBy(flags.addresses, ([channel]) => channel)) {
    const had = channels.filter(known => known.channel === channel);
    const addresses = given.map(([, address], nth): ChannelFields => {
      const same = had.find(known => known.address === address) ?? (given.length === 1 ? had[nth] : undefined);
      return { channel, address, disabledReason: same?.disabledReason ?? '' };
    });
    const at = had.length === 0 ? channels.length : channels.indexOf(had[0]!);
    channels = [...channels.slice(0, at), ...addresses, ...channels.slice(at).filter(known => !had.includes(known))];
  }
  const find = (flag: string, name: string): ChannelFields[] => {
    const there = channels.filter(({ channel }) => channel === name);
    if (there.length > 0) return there;
    const has = [...new Set(channels.map(({ channel }) => channel))].join(', ') || 'none';
    throw usageFault(`${flag} ${mismatch(`a channel that the contact has (${has})`, shown(name))}`);
  };
  for (const text of flags.paused) {
    const [name = '', reason = ''] = text.split(/=(.*)/s);
    if (reason === '')
      throw usageFault(`--pause ${mismatch('a channel and why, such as email="on holiday"', shown(text))}`);
    for (const one of find('--pause', name)) one.disabledReason = reason;
  }
  for (const one of flags.resumed.flatMap(name => find('--resume', name))) one.disabledReason = '';
  const removed = flags.removed.flatMap(name => find('--remove', name));
  return channels.filter(channel => !removed.includes(channel));
}

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
 * Returns the channels of a contact after a change: a given address replaces the one of its channel or is added at the
 * end; all others stay. Throws a usage fault for an unknown channel, or one to be removed, paused or resumed that the
 * contact does not have.
 */
export function withChannels(now: readonly ContactChannel[], flags: ChannelFlags): ChannelFields[] {
  const channels = now.map(({ channel, address, disabledReason }) => ({ channel, address, disabledReason }));
  for (const [channel, address] of flags.addresses) {
    const there = channels.find(known => known.channel === channel);
    if (there === undefined) channels.push({ channel, address, disabledReason: '' });
    else there.address = address;
  }
  const find = (flag: string, name: string): ChannelFields => {
    const there = channels.find(({ channel }) => channel === name);
    if (there !== undefined) return there;
    const has = channels.map(({ channel }) => channel).join(', ') || 'none';
    throw usageFault(`${flag} ${mismatch(`a channel that the contact has (${has})`, shown(name))}`);
  };
  for (const text of flags.paused) {
    const [name = '', reason = ''] = text.split(/=(.*)/s);
    if (reason === '')
      throw usageFault(`--pause ${mismatch('a channel and why, such as email="on holiday"', shown(text))}`);
    find('--pause', name).disabledReason = reason;
  }
  for (const name of flags.resumed) find('--resume', name).disabledReason = '';
  const removed = flags.removed.map(name => find('--remove', name));
  return channels.filter(channel => !removed.includes(channel));
}

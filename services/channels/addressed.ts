import type { ChannelKind } from '../domain/delivery.ts';
import type { Channel } from './channel.ts';

/**
 * Returns one channel over carriers whose addresses are their own, by what those begin with, and over `others` for all that belong to none. Such
 * carriers do not stand by for each other: nobody else knows their addresses.
 */
export function createAddressed(kind: ChannelKind, own: ReadonlyMap<string, Channel>, others: Channel): Channel {
  const all = [...own.values(), others];

  function channelOf(address: string): Channel {
    const [, channel] = [...own].find(([prefix]) => address.startsWith(prefix)) ?? [];
    return channel ?? others;
  }

  return {
    kind,
    atOnce: Math.min(...all.map(({ atOnce }) => atOnce)),
    send: (address, ...sent) => channelOf(address).send(address, ...sent),
    async close() {
      await Promise.all(all.map(channel => channel.close()));
    },
  };
}

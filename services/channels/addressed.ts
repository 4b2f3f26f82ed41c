import type { ChannelKind } from '../domain/delivery.ts';
import type { Channel, Route } from './channel.ts';

/**
 * Returns one channel over carriers whose addresses are their own, by what those begin with, and over `others` for all that belong to none. Such
 * carriers do not stand by for each other at one address: nobody else knows it. A contact may have several (engine/send/stand-by.ts).
 */
export function createAddressed(kind: ChannelKind, own: ReadonlyMap<string, Route>, others: Route): Channel {
  const all = [...own.values(), others].map(({ channel }) => channel);

  function routeOf(address: string): Route {
    const [, route] = [...own].find(([prefix]) => address.startsWith(prefix)) ?? [];
    return route ?? others;
  }

  return {
    kind,
    atOnce: Math.min(...all.map(({ atOnce }) => atOnce)),
    routes: (_order, address) => [routeOf(address)],
    async send(address, ...sent) {
      const { carrier, channel } = routeOf(address);
      const outcome = await channel.send(address, ...sent);
      const mayHaveIt =
        outcome.kind === 'sent' ||
        outcome.kind === 'delivered' ||
        (outcome.kind === 'temporary_fault' && outcome.answered !== undefined);
      return mayHaveIt && carrier !== '' ? { ...outcome, carriedBy: carrier } : outcome;
    },
    async close() {
      await Promise.all(all.map(channel => channel.close()));
    },
  };
}

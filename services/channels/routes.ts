import type { ChannelKind } from '../domain/delivery.ts';
import type { Breaker } from './breaker.ts';
import type { Channel, Route } from './channel.ts';

/**
 * Returns one channel over several carriers (DECISIONS.md "Carriers that stand by"). Alerts go through `routes`, one carrier after the
 * other; what is sent with `send` (test messages, codes, notices) goes through one alone, since it can be sent again by hand or later.
 * A carrier that fails comes last.
 */
export function createRoutes(kind: ChannelKind, carriers: readonly (Route & { breaker: Breaker })[]): Channel {
  const watched = carriers.map(({ carrier, channel, breaker }) => ({
    carrier,
    breaker,
    channel: {
      ...channel,
      async send(...sent: Parameters<Channel['send']>) {
        const outcome = await channel.send(...sent);
        breaker.learn(outcome);
        return outcome;
      },
    } satisfies Channel,
  }));
  const first = watched[0]!.channel;

  function routes(order: 'as_named' | 'by_health'): Route[] {
    if (watched.length === 1 || order === 'as_named') return watched;
    const now = watched.map(({ breaker, ...route }) => ({ route, state: breaker.state() }));
    return [...now.filter(one => one.state === 'closed'), ...now.filter(one => one.state === 'open')].map(
      ({ route }) => route,
    );
  }

  return {
    kind,
    // Each carrier takes as many, and while one fails the next one has them all.
    atOnce: Math.min(...watched.map(({ channel }) => channel.atOnce)),
    routes,
    ...(watched.length === 1 && { health: () => watched[0]!.breaker.state() }),
    send: (...sent) => routes('by_health')[0]!.channel.send(...sent),
    ...(first.answers !== undefined && { answers: first.answers }),
    async close() {
      await Promise.all(watched.map(({ channel }) => channel.close()));
    },
  };
}

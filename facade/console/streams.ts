import { Code, ConnectError } from '@connectrpc/connect';
import { consoleStreams } from '../metrics.ts';

/** How many streams this process keeps for browsers at once: of one session, from one address, and in all. */
const STREAMS_MOST = { session: 20, address: 40, all: 500 } as const;

/** Counts the streams that are open; `enter` throws RESOURCE_EXHAUSTED where there is no room. */
export function createStreams(most: Readonly<Record<keyof typeof STREAMS_MOST, number>> = STREAMS_MOST) {
  const counts = new Map<string, number>();
  const count = (name: string, by: number) => {
    const now = (counts.get(name) ?? 0) + by;
    if (now === 0) counts.delete(name);
    else counts.set(name, now);
  };

  return {
    enter(session: string, address: string): Disposable {
      const places = { [session]: most.session, [`from ${address}`]: most.address, all: most.all };
      for (const [name, limit] of Object.entries(places)) {
        if ((counts.get(name) ?? 0) < limit) continue;
        throw new ConnectError('Too many pages of the console are open at once. Close one.', Code.ResourceExhausted);
      }
      for (const name of Object.keys(places)) count(name, 1);
      consoleStreams.inc();
      return {
        [Symbol.dispose]() {
          for (const name of Object.keys(places)) count(name, -1);
          consoleStreams.dec();
        },
      };
    },
  };
}

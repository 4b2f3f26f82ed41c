import { Code, ConnectError } from '@connectrpc/connect';
import { createUnderWay } from '../../services/limits/under-way.ts';
import { consoleStreams } from '../metrics.ts';

/** How many streams this process keeps for browsers at once: of one session, from one address, and in all. */
const STREAMS_MOST = { session: 20, address: 40, all: 500 } as const;

/** Counts the streams that are open; `enter` throws RESOURCE_EXHAUSTED where there is no room. */
export function createStreams() {
  const underWay = createUnderWay();

  return {
    enter(session: string, address: string): Disposable {
      const { session: ofSession, address: ofAddress, all } = STREAMS_MOST;
      const place = underWay.enter({ [session]: ofSession, [`from ${address}`]: ofAddress, all });
      if (place === null) {
        throw new ConnectError('Too many pages of the console are open at once. Close one.', Code.ResourceExhausted);
      }
      consoleStreams.inc();
      return {
        [Symbol.dispose]() {
          place[Symbol.dispose]();
          consoleStreams.dec();
        },
      };
    },
  };
}

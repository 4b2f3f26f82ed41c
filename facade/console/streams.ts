import { Code, ConnectError } from '@connectrpc/connect';
import { CONSOLE_STREAMS_MOST } from '../../services/limits/table.ts';
import { createUnderWay } from '../../services/limits/under-way.ts';
import { consoleStreams } from '../metrics.ts';

/** Counts the streams that are open; `enter` throws RESOURCE_EXHAUSTED where there is no room. */
export function createStreams() {
  const underWay = createUnderWay();

  return {
    enter(session: string, address: string): Disposable {
      const { session: ofSession, address: ofAddress, all } = CONSOLE_STREAMS_MOST;
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

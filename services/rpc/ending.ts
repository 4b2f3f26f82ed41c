import { constants, type ServerHttp2Session } from 'node:http2';
import { full, spend } from '../limits/allowance.ts';

/**
 * How many of its requests a connection may cancel: all that may be in flight, at once. One that is kept carries the calls
 * of many and has Node's own limit, 1,000.
 */
const CANCELLED = { burst: 100, perSecond: 33 } as const;

/** Ends an HTTP/2 connection that was idle for `idleMs`, unless it is kept. */
export function endWhenIdle(session: ServerHttp2Session, idleMs: number, isKept: () => boolean): void {
  let calls = 0;
  session.on('stream', stream => {
    calls++;
    stream.once('close', () => calls--);
  });
  session.setTimeout(idleMs, () => {
    if (calls === 0 && !isKept()) session.close();
  });
}

/**
 * Ends an HTTP/2 connection that cancels too many of its requests, unless it is kept: each costs its work, and none counts
 * as in flight (DECISIONS.md "RPC port").
 */
export function endWhenCancelling(session: ServerHttp2Session, isKept: () => boolean): void {
  const left = full(CANCELLED, performance.now());
  session.on('stream', stream => {
    stream.once('close', () => {
      if (stream.rstCode === constants.NGHTTP2_NO_ERROR || isKept()) return;
      if (spend(left, performance.now(), CANCELLED) !== 'within') session.destroy();
    });
  });
}

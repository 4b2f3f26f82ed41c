import { Code, ConnectError } from '@connectrpc/connect';

/** Resolves after `ms`, on abort, or when the function given to `handOut` is called. */
export function pause(ms: number, signal: AbortSignal, handOut: (wake: () => void) => void = () => {}): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    handOut(done);
    if (signal.aborted) done();
  });
}

/** Ends a stream whose signal fired: throws UNAVAILABLE if this process stops, and returns if the caller is gone. */
export function endOfStream({ reason }: AbortSignal): void {
  if (reason instanceof ConnectError && reason.code === Code.Unavailable) throw reason;
}

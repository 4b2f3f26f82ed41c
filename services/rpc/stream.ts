import { Code, ConnectError } from '@connectrpc/connect';

/** Resolves after `ms` or on abort, or when what it hands out is called. */
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

/** The end of a stream whose signal fired: whoever still listens is told to come again, whoever went away hears nothing. */
export function endOfStream({ reason }: AbortSignal): void {
  if (reason instanceof ConnectError && reason.code === Code.Unavailable) throw reason;
}

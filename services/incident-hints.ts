import { type Bus, subjects } from './changes/bus.ts';

/** Waits that a change of one account cuts short. */
export interface Hints {
  /** Resolves at the next change, at once when there was one since the last wait, or after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

/** Listens to an account's changes. Hints only: whoever waits looks for the truth afterwards (DECISIONS.md "Realtime"). */
export function listenForHints(bus: Bus, accountId: string): Hints {
  let hinted = false;
  let wake: () => void = () => {};
  const end = bus.subscribe(subjects.change(accountId), () => {
    hinted = true;
    wake();
  });
  return {
    async wait(ms, signal) {
      if (!hinted) {
        await pause(ms, signal, resolve => {
          wake = resolve;
        });
      }
      hinted = false;
    },
    end,
  };
}

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

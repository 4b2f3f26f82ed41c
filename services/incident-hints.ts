/** What is needed of the bus (changes/bus.ts): to hear that something changed. */
export interface HintBus {
  subscribe(subject: string, receive: () => void): () => void;
}

/** The subject of an account's changes, as changes/bus.ts names it; a test holds the two together. */
export function changeSubject(accountId: string): string {
  return `tocsin.change.${accountId}`;
}

/** Waits that a change of one account cuts short. */
export interface Hints {
  /** Resolves at the next change, at once when there was one since the last wait, or after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

/** Listens to an account's changes. Hints only: whoever waits looks for the truth afterwards (DECISIONS.md "Realtime"). */
export function listenForHints(bus: HintBus, accountId: string): Hints {
  let hinted = false;
  let wake: () => void = () => {};
  const end = bus.subscribe(changeSubject(accountId), () => {
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

import { Code, ConnectError } from '@connectrpc/connect';
import { type Bus, subjects } from '../changes/bus.ts';

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

/** Waits that a message on the bus cuts short. */
export interface Listener {
  /** Resolves if something was heard since the last wait, or as soon as it is, after `ms`, or on abort. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
  end(): void;
}

/** What is made of a message; absent: all of them matter. */
interface Hearing {
  hear?: ((payload: unknown) => 'concerns' | 'ignored') | undefined;
}

/**
 * Listens to an account's changes. They are hints only: look for the truth afterwards (DECISIONS.md "Realtime"). A lost
 * and restored bus connection counts as heard, because nobody knows what was missed. `hear` receives what was heard and
 * returns whether it matters here; `missed` is called after such a loss; `also` are further subjects, with the same.
 */
export function listen(
  bus: Bus,
  accountId: string,
  { hear, missed, also = [] }: Hearing & { missed?(): void; also?: readonly (Hearing & { subject: string })[] } = {},
): Listener {
  let heard: 'something' | 'nothing' = 'nothing';
  let wake = () => {};
  const tell = () => {
    heard = 'something';
    wake();
  };
  const ends = [
    ...[{ subject: subjects.change(accountId), hear }, ...also].map(one =>
      bus.subscribe(one.subject, payload => {
        if (one.hear === undefined || one.hear(payload) === 'concerns') tell();
      }),
    ),
    bus.onReconnect(() => {
      missed?.();
      tell();
    }),
  ];
  return {
    async wait(ms, signal) {
      if (heard === 'nothing') {
        await pause(ms, signal, resolve => {
          wake = resolve;
        });
      }
      heard = 'nothing';
    },
    end() {
      for (const end of ends) end();
    },
  };
}

import { type Bus, subjects } from '../changes/bus.ts';
import { pause } from '../rpc/stream.ts';

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

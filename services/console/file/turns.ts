import { setImmediate } from 'node:timers/promises';

/** How long one piece of work may hold up who else lives in this process, in milliseconds. */
const TURN_MS = 4;

/** To be awaited between small pieces of work: gives the others a turn whenever one has been used up. */
export function takingTurns(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < TURN_MS) return;
    await setImmediate();
    since = performance.now();
  };
}

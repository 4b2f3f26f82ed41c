import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';

/** How long a process that stops waits for what it is sending, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * Waits for what is being sent, but not for a carrier that hangs: what is left then is sent again by whoever finds its
 * lease run out. `name` is for the log.
 */
export async function endInGrace(name: string, sends: Iterable<Promise<void>>, log: Logger): Promise<'ended' | 'left'> {
  const waited = new AbortController();
  const grace = setTimeout(GRACE_MS, 'left' as const, { signal: waited.signal }).catch(() => 'ended' as const);
  const outcome = await Promise.race([Promise.all(sends).then(() => 'ended' as const), grace]);
  waited.abort();
  if (outcome === 'left') {
    log.warn(
      { loop: name },
      'stopped before all that was being sent was recorded: the rest goes out again when its lease ends',
    );
  }
  return outcome;
}

/** Collects writes for a short time and makes them together, one group after the other. */
export interface Collected {
  /** Something waits: it is written within the collecting time. */
  soon(): void;
  /** Writes everything that waits now. */
  flush(): Promise<void>;
}

/**
 * `write` writes all that waits and never throws. `collectMs`: how long it may wait, in milliseconds. `first_at_once`: what comes
 * when nothing was written for that long waits for nothing else.
 */
export function collect(
  write: () => Promise<void>,
  collectMs: number,
  first: 'first_at_once' | 'first_waits' = 'first_waits',
): Collected {
  let timer: NodeJS.Timeout | undefined;
  let wroteAt = Number.NEGATIVE_INFINITY;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    wroteAt = performance.now();
    writing = writing.then(write);
    return writing;
  }

  return {
    soon() {
      const restMs = first === 'first_waits' ? collectMs : Math.max(0, wroteAt + collectMs - performance.now());
      timer ??= setTimeout(flush, restMs);
    },
    flush,
  };
}

/** Collects writes for a short time and makes them together, one group after the other. */
export interface Collected {
  /** Something waits: it is written within the collecting time. */
  soon(): void;
  /** Writes everything that waits now. */
  flush(): Promise<void>;
}

/** `write` writes all that waits and never throws. `collectMs`: how long it may wait, in milliseconds. */
export function collect(write: () => Promise<void>, collectMs: number): Collected {
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(write);
    return writing;
  }

  return {
    soon() {
      timer ??= setTimeout(flush, collectMs);
    },
    flush,
  };
}

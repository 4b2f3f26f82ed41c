/** A turn rests for no longer than this, in milliseconds. */
const REST_MOST_MS = 2_000;

/**
 * Lets `most` of one name run at once, each until its signal fires. Others wait for their turn. `rests`: for how many times as
 * long as it was taken a turn rests then, so that one name has no more than its share of the time, however fast the machine is.
 */
export function createTurns(most: number, mostWaiting: number, rests = 0) {
  /** `resting`: how many of those under way have ended, and are not passed on yet. */
  const lines = new Map<string, { underWay: number; resting: number; waiting: (() => void)[] }>();

  return async (name: string, signal: AbortSignal): Promise<'taken' | 'too_many'> => {
    const line = lines.get(name) ?? { underWay: 0, resting: 0, waiting: [] };
    lines.set(name, line);
    if (line.underWay < most) line.underWay++;
    else if (line.waiting.length - line.resting >= mostWaiting) return 'too_many';
    // A call that ends passes its place on to the next.
    else await new Promise<void>(resolve => line.waiting.push(resolve));
    const began = performance.now();
    const pass = () => {
      const next = line.waiting.shift();
      if (next !== undefined) return next();
      line.underWay--;
      if (line.underWay === 0) lines.delete(name);
    };
    atEnd(signal, () => {
      if (rests === 0) return pass();
      line.resting++;
      const restMs = Math.min(REST_MOST_MS, rests * (performance.now() - began));
      setTimeout(() => {
        line.resting--;
        pass();
      }, restMs).unref();
    });
    return 'taken';
  };
}

/** Calls `ended` when the signal fires, at once if it already has. */
export function atEnd(signal: AbortSignal, ended: () => void): void {
  if (signal.aborted) ended();
  else signal.addEventListener('abort', ended, { once: true });
}

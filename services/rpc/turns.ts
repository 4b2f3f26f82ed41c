/** Counts calls in flight by name, until their signal fires, as Connect's does at the end of every call. */
export function createUnderWay(): (name: string, most: number, signal: AbortSignal) => 'taken' | 'too_many' {
  const counts = new Map<string, number>();
  return (name, most, signal) => {
    const before = counts.get(name) ?? 0;
    if (before >= most) return 'too_many';
    counts.set(name, before + 1);
    atEnd(signal, () => {
      const left = counts.get(name)! - 1;
      if (left === 0) counts.delete(name);
      else counts.set(name, left);
    });
    return 'taken';
  };
}

/** Lets `most` of one name run at once, each until its signal fires. Others wait for their turn. */
export function createTurns(most: number, mostWaiting: number) {
  const lines = new Map<string, { underWay: number; waiting: (() => void)[] }>();

  return async (name: string, signal: AbortSignal): Promise<'taken' | 'too_many'> => {
    const line = lines.get(name) ?? { underWay: 0, waiting: [] };
    lines.set(name, line);
    if (line.underWay < most) line.underWay++;
    else if (line.waiting.length >= mostWaiting) return 'too_many';
    // A call that ends passes its place on to the next.
    else await new Promise<void>(resolve => line.waiting.push(resolve));
    atEnd(signal, () => {
      const next = line.waiting.shift();
      if (next !== undefined) return next();
      line.underWay--;
      if (line.underWay === 0) lines.delete(name);
    });
    return 'taken';
  };
}

/** Calls `ended` when the signal fires, at once if it already has. */
export function atEnd(signal: AbortSignal, ended: () => void): void {
  if (signal.aborted) ended();
  else signal.addEventListener('abort', ended, { once: true });
}

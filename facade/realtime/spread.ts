/**
 * Runs `act` for each of many, spread over time, so that those who react do not come back together (REALTIME.md 5.6 and
 * 5.9): `eachMs` for each one, at most `mostMs` in all. A few are done at once. Returns the function that stops it.
 */
export function spread<T>(
  items: readonly T[],
  on: { mostMs: number; eachMs: number },
  act: (item: T) => void,
): () => void {
  const overMs = Math.min(on.mostMs, items.length * on.eachMs);
  const steps = Math.max(1, Math.ceil(overMs / STEP_MS));
  let step = 0;
  let timer: NodeJS.Timeout | undefined;
  function next(): void {
    const from = Math.floor((items.length * step) / steps);
    step += 1;
    const to = Math.floor((items.length * step) / steps);
    if (step < steps) timer = setTimeout(next, STEP_MS);
    for (const item of items.slice(from, to)) act(item);
  }
  next();
  return () => clearTimeout(timer);
}

const STEP_MS = 50;

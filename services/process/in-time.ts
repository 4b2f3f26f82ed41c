/** The share of their timeout by which calls may end early so that they share a timer: one for each costs a tenth of a call. */
const TOGETHER = 0.1;

/** The calls that share a timer, by their timeout in milliseconds. */
const deadlines = new Map<number, Set<() => void>>();

/** Returns an answer that fails with what `late` makes if it takes longer than `timeoutMs`; undefined: it may take any time. */
export function inTime<T>(answer: Promise<T> | T, timeoutMs: number | undefined, late: () => Error): Promise<T> | T {
  if (timeoutMs === undefined || !(answer instanceof Promise)) return answer;
  return new Promise<T>((resolve, reject) => {
    const expire = () => reject(late());
    const together = deadlineOf(timeoutMs);
    together.add(expire);
    answer.then(
      given => {
        together.delete(expire);
        resolve(given);
      },
      fault => {
        together.delete(expire);
        reject(fault);
      },
    );
  });
}

function deadlineOf(timeoutMs: number): Set<() => void> {
  const open = deadlines.get(timeoutMs);
  if (open !== undefined) return open;
  const opened = new Set<() => void>();
  deadlines.set(timeoutMs, opened);
  setTimeout(() => deadlines.delete(timeoutMs), timeoutMs * TOGETHER).unref();
  setTimeout(() => {
    for (const expire of opened) expire();
  }, timeoutMs).unref();
  return opened;
}

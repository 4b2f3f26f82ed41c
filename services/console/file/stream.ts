/** What work says while it goes on, and at last what came of it, for whoever reads at their own speed. */
export async function* asStream<Now, Result>(
  work: (say: (now: Now) => void) => Promise<Result>,
): AsyncGenerator<Now | Result> {
  let said: Now[] = [];
  let wake = () => {};
  const done = work(now => {
    said.push(now);
    wake();
  });
  // Told below; until then nobody listens.
  let state: 'working' | 'ended' = 'working';
  done
    .catch(() => {})
    .finally(() => {
      state = 'ended';
      wake();
    });
  while (state === 'working' || said.length > 0) {
    const ready = said;
    said = [];
    yield* ready;
    if (state === 'working' && said.length === 0) await new Promise<void>(resolve => (wake = resolve));
  }
  yield await done;
}

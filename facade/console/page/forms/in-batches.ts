/** How many are under way at once; each is answered when it is applied. */
const AT_ONCE = 5;

/** Acts on many things, a few at a time. Once those under way have ended, rejects with the first error. */
export async function inBatches<T>(of: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  const waiting = [...of];
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await act(one);
  };
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
  const fault = ended.find(({ status }) => status === 'rejected');
  if (fault?.status === 'rejected') throw fault.reason;
}

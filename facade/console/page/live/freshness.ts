/** After so long without proof, in milliseconds, a screen says that it may not be up to date. */
export const UNPROVEN_MS = 4_000;

/** What is read for the screen, as a thing of its own. */
export type Reading = object;

/**
 * Tracks until when the screen is known to be up to date: until something was last heard, from the stream or by a read, because
 * whoever hears anything hears of changes too. After a silence, and where a read failed, what was read before counts only as old
 * as it is, until it is read again.
 */
export function createFreshness(now: () => number) {
  let heardAt = now();
  const shown = new Set<Reading>();
  /** What has to be read again, with the time until when it was up to date. */
  const behind = new Map<Reading, number>();

  /** Tells whether nothing had been heard for long: then everything is to be read again. */
  function heard(): boolean {
    const wasSilent = now() - heardAt > UNPROVEN_MS;
    if (wasSilent) for (const one of shown) fallBehind(one, heardAt);
    heardAt = now();
    return wasSilent;
  }

  function fallBehind(one: Reading, since: number): void {
    behind.set(one, Math.min(since, behind.get(one) ?? since));
  }

  return {
    heard,
    heardAt: () => heardAt,
    /** Returns until when everything on the screen is up to date. */
    trueAt: () => Math.min(heardAt, ...behind.values()),
    /** Notes that it is on the screen, until the function that it returns is called. */
    show(one: Reading): () => void {
      shown.add(one);
      return () => {
        shown.delete(one);
        behind.delete(one);
      };
    },
    wasRead(one: Reading): boolean {
      const wasSilent = heard();
      behind.delete(one);
      return wasSilent;
    },
    /** `of`: when what is shown of it was read. */
    wasNotRead(one: Reading, of: number): void {
      if (shown.has(one)) fallBehind(one, of);
    },
  };
}

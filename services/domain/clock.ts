/**
 * A step of the database's clock that is told, in milliseconds. What is below it is put right without a word. The
 * database believes its clock for as long after a look (store/schema/clock.ts): a longer leap waits for the next.
 */
export const STEP_MS = 2_000;

/**
 * What was seen of the clocks at the last look, by any process. The deployment's time is the database's clock plus
 * `aheadMs`. Times are milliseconds since 1970.
 */
export interface ClockMark {
  /** What the database's clock said. */
  wallAt: number;
  aheadMs: number;
  /** Which start of which machine `uptimeMs` counts from. */
  boot: string;
  /** How long that machine had been up: it counts on, whatever is done to any clock. */
  uptimeMs: number;
}

/** What the clocks say now, as this process reads them. */
export interface ClockReading {
  wallAt: number;
  boot: string;
  uptimeMs: number;
  /** How long it took to read them, in milliseconds: so much may lie between `wallAt` and `uptimeMs`. */
  tookMs: number;
}

/** The deployment's time as this process last saw it, and its machine's `uptimeMs` then. */
export interface ClockMemory {
  at: number;
  uptimeMs: number;
}

/**
 * What a look finds. `first`: no look came before. `steady`: the clock went on. `put_right`: it went back, by less than a
 * step. `stepped`: by `byMs`, negative if back. `aheadMs` is what the deployment's time is ahead from now on.
 */
export type ClockVerdict =
  | { found: 'first' | 'steady' | 'put_right'; aheadMs: number }
  | { found: 'stepped'; aheadMs: number; byMs: number };

/**
 * Judges the database's clock (DECISIONS.md "One clock"): the deployment's time goes on as a clock does that nobody can
 * set. How much time really passed since the last look is known where that was made on this machine, by its own count.
 * A look of another machine is believed while its clock and the database's agree; where they do not, this process goes by
 * what it saw itself. Where nobody counted (the first process on a new machine), time that passed is believed, and a
 * clock that went back is taken for one that stood still.
 */
export function judgeClock(last: ClockMark | null, memory: ClockMemory | null, reading: ClockReading): ClockVerdict {
  if (last === null) return { found: 'first', aheadMs: 0 };
  const movedMs = reading.wallAt - last.wallAt;
  const byMs = Math.round(movedMs - passedMs(last, memory, reading));
  if (Math.abs(byMs) >= STEP_MS + reading.tookMs) return { found: 'stepped', aheadMs: last.aheadMs - byMs, byMs };
  return movedMs < 0
    ? { found: 'put_right', aheadMs: last.aheadMs - byMs }
    : { found: 'steady', aheadMs: last.aheadMs };
}

/** Returns how much time passed since the last look, in milliseconds. */
function passedMs(last: ClockMark, memory: ClockMemory | null, reading: ClockReading): number {
  const movedMs = reading.wallAt - last.wallAt;
  const counted = reading.uptimeMs - last.uptimeMs;
  if (last.boot === reading.boot && counted >= 0) return counted;
  // Others looked a moment ago: a process that stood still meanwhile does not know better.
  const isFresh = movedMs >= 0 && movedMs <= STEP_MS;
  if (memory === null || isFresh) return Math.max(0, movedMs);
  return memory.at + (reading.uptimeMs - memory.uptimeMs) - (last.wallAt + last.aheadMs);
}

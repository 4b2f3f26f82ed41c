import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import type { ClientBase, Pool } from 'pg';
import type { Logger } from 'pino';
import { type ClockMemory, type ClockVerdict, judgeClock, STEP_MS } from '../domain/clock.ts';
import { setAhead } from '../process/wall-clock.ts';
import { newId } from '../store/id.ts';
import { type Connection, inTransaction } from '../store/statement.ts';
import { accountsWithEnds, type ClockStep, markClock, readClock, type StoredMark } from '../store/statements/clock.ts';
import { noWrites, writeAll } from '../store/statements/write.ts';
import { startLoop } from './loop.ts';
import { clockAhead, clockSteps } from './metrics.ts';

/** How often the clocks are looked at, in milliseconds: the database believes its own for twice as long after a look. */
const LOOK_MS = 1_000;

/** A mark that is younger is not replaced, in milliseconds: of many processes one marks. */
const FRESH_MS = 500;

/**
 * A reading that took longer, in milliseconds, is made again, so many times at most: somewhere within that time the clock was
 * read, and a mark that says the middle of a standstill would make the next look find a step.
 */
const QUICK_MS = 1_000;
const READINGS = 3;

/** How long a look may lie back before the process calls the clock lost, in milliseconds. */
const LOST_MS = 5_000;

/** How long a call waits for a look at most, in milliseconds: its caller waits for an answer. */
const LOOK_WITHIN_MS = 300;

/** How long after a look the time is believed, in milliseconds, also where a mark of another process was left standing. */
const BELIEVED_MS = STEP_MS - FRESH_MS;

/** Counts time as no setting of a clock changes it. */
export interface Steady {
  /** Which start of which machine `uptimeMs` counts from. */
  boot: string;
  uptimeMs(): number;
}

/** One look at the clock. */
export interface Look {
  /** How long ago it was made, in milliseconds, as no setting of a clock changes it. */
  staleMs(): number;
}

/** The deployment's clock, as this process keeps it. */
export interface Clock {
  /** `lost`: this process could not look at it for five seconds. */
  state(): 'kept' | 'lost';
  /**
   * Waits until the deployment's time can be believed, where this process stood still: it may have been the only one to keep it,
   * and a call with a time from before would lose its false-alarm window. Undefined where nobody need wait. Never waits long: a
   * clock that is slow to look at keeps no call from being accepted. Throws errors of the database, at once where it is away.
   */
  believed(): Promise<void> | undefined;
  /** The last look of this process. Whoever holds it is not told of any that is made later. */
  lastLook(): Look;
  /**
   * Looks at the clock of a connection that was just made: the server may have taken over, and lack the looks that were made
   * at the one before. Waits no longer than `believed` does, and never throws: until the next look time stands still there.
   */
  lookOn(client: ClientBase): Promise<void>;
  /** The last step of the database's clock; null if there was none. */
  lastStep(): ClockStep | null;
  /** Resolves when a look that started after this call is done. */
  drain(): Promise<void>;
  close(): Promise<void>;
}

type On = { pool: Pool; log: Logger; steady?: Steady; onNotice?(): void };

/**
 * Keeps the deployment's time (DECISIONS.md "One clock"): looks at the database's clock every second, leaves a mark of
 * what it said, and where it was set puts right by how much the deployment's time is ahead of it, so that everything
 * that waits goes on waiting for as long as it had to. Every process does so; of two that find the same step the first
 * puts it right. Resolves after the first look. Throws errors of the database.
 */
export async function startClock(on: On): Promise<Clock> {
  const { log } = on;
  const look = createLook(on);
  const { uptimeMs } = on.steady ?? THIS_MACHINE;
  let last = await look();
  let lookedAt = performance.now();
  let looking: Promise<void> | null = null;

  async function lookAgain(client?: ClientBase): Promise<void> {
    last = await look(client);
    lookedAt = performance.now();
  }

  /** One look at a time, whoever asks. Throws errors of the database. */
  function lookOnce(): Promise<void> {
    looking ??= lookAgain().finally(() => {
      looking = null;
    });
    return looking;
  }

  const lastLook = (): Look => {
    const { uptimeMs: madeAt } = last;
    return { staleMs: () => uptimeMs() - madeAt };
  };
  const isBelieved = () => lastLook().staleMs() < BELIEVED_MS;

  async function renew(): Promise<void> {
    await lookOnce();
    // It may have begun before this process stood still.
    if (!isBelieved()) await lookOnce();
  }

  const loop = startLoop(
    'clock',
    async () => {
      await lookOnce();
      return { inMs: LOOK_MS };
    },
    log,
    LOOK_MS,
  );
  return {
    believed: () => (isBelieved() ? undefined : soon(renew())),
    lastLook,
    lookOn: client =>
      soon(lookAgain(client)).catch(error =>
        log.warn({ err: error }, 'the clock of a new connection was not looked at'),
      ),
    state: () => (performance.now() - lookedAt > LOST_MS ? 'lost' : 'kept'),
    lastStep: () => last.step,
    drain: loop.drain,
    close: loop.close,
  };
}

/**
 * Looks at the clocks once, for what works on a database that no process keeps the time of: before a start, after a
 * restore. Throws errors of the database.
 */
export async function setClock(on: On): Promise<void> {
  await createLook(on)();
}

/** Resolves after a look, or after LOOK_WITHIN_MS. Throws what the look throws by then. */
async function soon(looked: Promise<void>): Promise<void> {
  const over = new AbortController();
  const tooLong = setTimeout(LOOK_WITHIN_MS, undefined, { signal: over.signal }).catch(() => {});
  try {
    await Promise.race([looked, tooLong]);
  } finally {
    over.abort();
    // What comes too late is told by the loop, which looks again.
    looked.catch(() => {});
  }
}

/** Returns a look at the clocks, which resolves to the mark that holds after it. */
function createLook({ pool, log, steady = THIS_MACHINE, onNotice }: On): (on?: Connection) => Promise<StoredMark> {
  let memory: ClockMemory | null = null;

  return async function look(on: Connection = pool): Promise<StoredMark> {
    const { wallAt, last, uptimeMs, tookMs } = await readQuickly(on);
    const verdict = judgeClock(last, memory, { wallAt, boot: steady.boot, uptimeMs, tookMs });
    const { aheadMs } = verdict;
    const at = wallAt + aheadMs;
    const step = verdict.found === 'stepped' ? { at, byMs: verdict.byMs } : (last?.step ?? null);
    const mark: StoredMark = { id: (last?.id ?? 0) + 1, wallAt, aheadMs, boot: steady.boot, uptimeMs, step };
    if (last === null || !isFresh(verdict, last, wallAt)) {
      // Whoever was first judged by the same mark: what it left is judged, not overwritten.
      if ((await leave(on, mark, verdict)) === 'overtaken') return look(on);
    }
    memory = { at, uptimeMs };
    setAhead(aheadMs);
    clockAhead.set(aheadMs / 1_000);
    return mark;
  };

  async function readQuickly(on: Connection) {
    for (let nth = 1; ; nth++) {
      const began = steady.uptimeMs();
      const { wallAt, last } = await readClock(on);
      const tookMs = steady.uptimeMs() - began;
      if (tookMs <= QUICK_MS || nth === READINGS) return { wallAt, last, uptimeMs: began + tookMs / 2, tookMs };
    }
  }

  async function leave(on: Connection, mark: StoredMark, verdict: ClockVerdict): Promise<'marked' | 'overtaken'> {
    if (verdict.found !== 'stepped') return markClock(on, mark, 'soon');
    const left = await inTransaction(on, async client => {
      const left = await markClock(client, mark, 'durable');
      if (left === 'marked') await tellOwners(client, mark, verdict.byMs);
      return left;
    });
    if (left === 'overtaken') return left;
    clockSteps.inc({ direction: verdict.byMs < 0 ? 'back' : 'forward' });
    const byS = Math.round(verdict.byMs / 1_000);
    log.error(
      { byS, aheadS: Math.round(mark.aheadMs / 1_000) },
      "the database's clock was set; what waits goes on as it was",
    );
    onNotice?.();
    return left;
  }
}

function isFresh({ found }: ClockVerdict, last: StoredMark, wallAt: number): boolean {
  return found === 'steady' && wallAt >= last.wallAt && wallAt - last.wallAt < FRESH_MS;
}

/** Owners are told where a time changed that they chose: what ends on a day now ends when the clocks show another. */
async function tellOwners(client: Connection, { id, step }: StoredMark, byMs: number): Promise<void> {
  const notices = (await accountsWithEnds(client)).map(({ accountId, names }) => ({
    accountId,
    id: newId(),
    kind: 'clock_stepped' as const,
    once: String(id),
    incidentId: null,
    about: { byS: Math.round(byMs / 1_000), names },
    at: step!.at,
  }));
  await writeAll(client, { ...noWrites(), notices });
}

const THIS_MACHINE: Steady = { boot: bootOf(), uptimeMs: () => uptime() * 1_000 };

/** Returns what the kernel calls this start of the machine; where it says nothing, what no other process will say. */
function bootOf(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return newId();
  }
}

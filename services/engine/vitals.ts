import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { oldestUnappliedS } from '../store/statements/unapplied.ts';
import {
  type FoundHolder,
  readDeadRows,
  readSnapshotHolders,
  type SnapshotHolder,
} from '../store/statements/vitals.ts';
import { startLoop } from './loop.ts';
import { deadRows, oldestSnapshot, oldestUnapplied } from './metrics.ts';

/** Between two looks, in milliseconds. */
const EVERY_MS = 10_000;

/** The oldest snapshot that is held, and since how many seconds. */
export interface HeldSnapshot extends SnapshotHolder {
  heldS: number;
}

export interface Vitals {
  /** As of the last look; null: none is held, or none that this database's user may see. */
  oldestSnapshot(): HeldSnapshot | null;
  /** Resolves when a look that began after this call is done. */
  measure(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Looks now and then at what goes wrong slowly: calls that nobody applies, and what keeps Postgres from cleaning up behind
 * the engine. For /metrics and `tocsin doctor`.
 */
export function startVitals({ pool, log }: { pool: Pool; log: Logger }): Vitals {
  let held: HeldSnapshot | null = null;
  const timed = createHeldSince();

  async function look() {
    oldestUnapplied.set(await oldestUnappliedS(pool));
    for (const { table, rows } of await readDeadRows(pool)) deadRows.set({ table }, rows);
    held = await readOldestSnapshot();
    return { inMs: EVERY_MS };
  }

  async function readOldestSnapshot(): Promise<HeldSnapshot | null> {
    try {
      const holders = timed(await readSnapshotHolders(pool));
      const oldest = holders.sort((a, b) => b.heldS - a.heldS)[0] ?? null;
      oldestSnapshot.set(oldest?.heldS ?? 0);
      return oldest;
    } catch (error) {
      // Not everybody may read what others do; nothing else depends on it.
      log.debug({ err: error }, 'who holds snapshots could not be read');
      oldestSnapshot.set(Number.NaN);
      return null;
    }
  }

  const loop = startLoop('vitals', look, log, 0, EVERY_MS);
  return { oldestSnapshot: () => held, measure: loop.drain, close: loop.close };
}

/**
 * Says for how long snapshots have been held, from one look to the next: where Postgres does not say it, since the first look
 * that found the same.
 */
export function createHeldSince(): (found: readonly FoundHolder[]) => HeldSnapshot[] {
  let seen = new Map<string, { xmin: string | null; since: number }>();
  return found => {
    const before = seen;
    seen = new Map();
    return found.map(({ kind, name, heldS, xmin, now }) => {
      if (heldS !== null) return { kind, name, heldS: Math.max(0, heldS) };
      const known = before.get(`${kind}/${name}`);
      const since = known?.xmin === xmin ? known.since : now;
      seen.set(`${kind}/${name}`, { xmin, since });
      return { kind, name, heldS: Math.max(0, now - since) / 1000 };
    });
  };
}

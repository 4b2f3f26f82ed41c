import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { countDueMessages } from '../../store/statements/delivery.ts';
import { countUnapplied, oldestUnappliedS } from '../../store/statements/unapplied.ts';
import {
  type FoundHolder,
  readDeadRows,
  readSnapshotHolders,
  type SnapshotHolder,
} from '../../store/statements/vitals.ts';
import { startLoop } from '../loop.ts';
import { deadRows, dueMessages, oldestSnapshot, oldestUnapplied, unappliedCalls } from '../metrics.ts';

/** Between two looks, in milliseconds. */
const EVERY_MS = 10_000;

/** The pools of connections of this process, by what they are for. */
interface Pools {
  pool: Pool;
  accepting: Pool;
  working: Pool;
}

/** What the gauges below read when they are scraped: nothing of it asks the database. */
let watched: { pools: Pools; lookedAt: number } | null = null;

new Gauge({
  name: 'tocsin_vitals_age_seconds',
  help: 'How old those figures are that are read from the database every 10 s; it grows while the database does not answer.',
  collect() {
    this.set(watched === null ? Number.NaN : (performance.now() - watched.lookedAt) / 1000);
  },
});

new Gauge({
  name: 'tocsin_database_connections',
  help: 'Connections to the database by pool (pool, accepting, working) and state: busy, idle, or waiting for one.',
  labelNames: ['pool', 'state'],
  collect() {
    for (const pool of ['pool', 'accepting', 'working'] as const) {
      if (watched === null) return;
      const { totalCount, idleCount, waitingCount } = watched.pools[pool];
      this.set({ pool, state: 'busy' }, totalCount - idleCount);
      this.set({ pool, state: 'idle' }, idleCount);
      this.set({ pool, state: 'waiting' }, waitingCount);
    }
  },
});

/** The oldest snapshot being held, and for how many seconds. */
export interface HeldSnapshot extends SnapshotHolder {
  heldS: number;
}

export interface Vitals {
  /** As of the last look; null if none is held, or none that this database user may see. */
  oldestSnapshot(): HeldSnapshot | null;
  /** Resolves when a look that started after this call is done. */
  measure(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Watches what degrades slowly: calls that nobody applies, and what keeps Postgres from vacuuming behind the engine.
 * For /metrics and `tocsin doctor`.
 */
export function startVitals(on: Pools & { log: Logger }): Vitals {
  const { pool, log } = on;
  watched = { pools: on, lookedAt: performance.now() };
  let held: HeldSnapshot | null = null;
  const timed = createHeldSince();

  async function look() {
    oldestUnapplied.set(await oldestUnappliedS(pool));
    unappliedCalls.set(await countUnapplied(pool));
    for (const { channel, messages } of await countDueMessages(pool)) dueMessages.set({ channel }, messages);
    for (const { table, rows } of await readDeadRows(pool)) deadRows.set({ table }, rows);
    held = await readOldestSnapshot();
    watched = { pools: on, lookedAt: performance.now() };
    return { inMs: EVERY_MS };
  }

  async function readOldestSnapshot(): Promise<HeldSnapshot | null> {
    try {
      const holders = timed(await readSnapshotHolders(pool));
      const oldest = holders.sort((a, b) => b.heldS - a.heldS)[0] ?? null;
      oldestSnapshot.set(oldest?.heldS ?? 0);
      return oldest;
    } catch (error) {
      // Not every database user may see other sessions; nothing else depends on it.
      log.debug({ err: error }, 'who holds snapshots could not be read');
      oldestSnapshot.set(Number.NaN);
      return null;
    }
  }

  const loop = startLoop('vitals', look, log, EVERY_MS);
  return { oldestSnapshot: () => held, measure: loop.drain, close: loop.close };
}

/**
 * Tracks for how long snapshots have been held: where Postgres does not report it, since the first look that found the
 * same one.
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

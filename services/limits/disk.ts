import { statfs } from 'node:fs/promises';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { FLOOR, KEPT, type KeptUse } from './table.ts';

/** Between two looks, in milliseconds. */
const EVERY_MS = 1_000;

/** The disk that the database is on. In bytes. */
export interface DiskSpace {
  free: number;
  /** From here on downwards it keeps what is left for what matters more. */
  floor: number;
}

/** What the disk of the database still has room for (DECISIONS.md "The last of the disk"). */
export interface Disk {
  /** Whether something may be stored. Where the disk is not known there is always room. */
  room(use: KeptUse): 'some' | 'none';
  /** As of the last look; null where the disk is not known. */
  space(): DiskSpace | null;
  /** Resolves when a look that started after this call is done. */
  look(): Promise<void>;
  close(): void;
}

const free = new Gauge({
  name: 'tocsin_disk_free_bytes',
  help: 'What is free on the disk of the database; NaN where Tocsin does not know which disk that is.',
});

const floor = new Gauge({
  name: 'tocsin_disk_floor_bytes',
  help: 'Below this many free bytes the disk is kept for what matters most, and less and less else is stored.',
});

/**
 * Watches the disk that `folder` is on; null: it is not known. `floor` in bytes; null: the usual one. A disk that cannot be looked
 * at counts as it was.
 */
export function startDisk(deps: { folder: string | null; floor: number | null; log: Logger }): Disk {
  const { folder, log } = deps;
  let space: DiskSpace | null = null;
  let told: readonly KeptUse[] = [];
  let looked: 'not_yet' | 'done' | 'failed' = 'not_yet';
  free.set(Number.NaN);

  async function look(): Promise<void> {
    if (folder === null) return;
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      const usual = Math.min(FLOOR.most, FLOOR.part * blocks * bsize);
      space = { free: bavail * bsize, floor: deps.floor ?? usual };
    } catch (error) {
      if (looked !== 'failed') log.warn({ err: error, folder }, 'the disk of the database cannot be looked at');
      looked = 'failed';
      return;
    }
    looked = 'done';
    free.set(space.free);
    floor.set(space.floor);
    tell();
  }

  function room(use: KeptUse): 'some' | 'none' {
    return space === null || space.free > KEPT[use].partOfFloor * space.floor ? 'some' : 'none';
  }

  function tell(): void {
    const none = (Object.keys(KEPT) as KeptUse[]).filter(use => room(use) === 'none');
    if (none.length === told.length) return;
    const what = { freeBytes: space?.free, floorBytes: space?.floor, notStored: none };
    if (none.length > told.length) log.error(what, 'the disk of the database is nearly full: make room on it');
    else log.info(what, 'the disk of the database has more room again');
    told = none;
  }

  const looking = folder === null ? undefined : setInterval(look, EVERY_MS).unref();
  return { room, space: () => space, look, close: () => clearInterval(looking) };
}

/** A disk that always has room. */
export const ROOMY: Disk = { room: () => 'some', space: () => null, look: async () => {}, close() {} };

import { isDeepStrictEqual } from 'node:util';
import type { Pool } from 'pg';
import { createLru } from '../process/lru.ts';
import { type DescribeRow, readInventory, readKey, readState, type StateRow } from './statements.ts';

/** From how many sources on an inventory is kept: ten thousand alarms take the thread for 0.1 s, five hundred for 5 ms. */
const LARGE = 500;

/** How many large ones are kept, of about ten megabytes each with ten thousand alarms; up to twice as many for a while. */
const KEPT = 4;

/**
 * Reads what the key of a digest sees. A large inventory is kept and given again, as the same rows, until the version of its
 * account moves, so that nobody holds others up by asking for it over and over. The key itself is read each time: once it
 * ends it sees nothing.
 */
export function createInventories(pool: Pool): (digest: Buffer) => Promise<DescribeRow[]> {
  const large = createLru<string, DescribeRow[]>(KEPT);
  return async digest => {
    const name = digest.toString('base64');
    const kept = large.get(name);
    if (kept !== undefined) {
      const [key] = await readKey(pool, digest);
      if (key?.fault === null && key.version === kept[0]!.version) return kept;
      large.delete(name);
    }
    const rows = await readInventory(pool, digest);
    if ((rows[0]?.sources.length ?? 0) >= LARGE) large.set(name, rows);
    return rows;
  };
}

/**
 * Reads the state of what the key of a digest sees, each time. Of a large one, only what may have changed is read; and if nothing
 * has, the same rows are given again, so that their answer is made and written out once.
 */
export function createStates(pool: Pool): (digest: Buffer) => Promise<StateRow[]> {
  const large = createLru<string, StateRow[]>(KEPT);
  return async digest => {
    const name = digest.toString('base64');
    const kept = large.get(name);
    const rows = await readState(pool, digest, kept?.[0] ?? null);
    if ((rows[0]?.ids.length ?? 0) < LARGE) return rows;
    if (kept !== undefined && isDeepStrictEqual(kept, rows)) return kept;
    large.set(name, rows);
    return rows;
  };
}

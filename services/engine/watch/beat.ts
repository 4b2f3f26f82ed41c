import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isApplied, storeBeat } from './statements/watch.ts';

/** How long a beat may take, in milliseconds: a step that is later than that is told to its owner as late. */
const WITHIN_MS = 5_000;

/** Between two looks at the cursor, in milliseconds. */
const LOOK_MS = 20;

/**
 * Sends a group without calls the way of every call: the lock, the commit and its standby, whoever applies, the cursor.
 * Returns how long that took, in milliseconds. Throws where it was not stored, or nobody applied it in time.
 */
export async function beat(on: { accepting: Pool; pool: Pool; onStored(): void }): Promise<number> {
  const began = performance.now();
  const number = await storeBeat(on.accepting);
  on.onStored();
  while ((await isApplied(on.pool, number)) === 'no') {
    if (performance.now() - began > WITHIN_MS) throw new Error('a group was stored and nobody applied it');
    await setTimeout(LOOK_MS);
  }
  return performance.now() - began;
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Generator } from './load/load.ts';
import type { Postgres } from './machine/postgres.ts';

/** What every command of the bench works with. */
export interface Ground {
  /** What is stopped when the run ends. */
  running: AsyncDisposableStack;
  postgres: Postgres;
  /** Says on stderr what is done now, in a phrase; `soFar`: how far it got, where that is said again and again. */
  progress(stage: string, soFar?: string): void;
  /** What could not be measured and why, and which calls were refused: a sentence each. */
  notes: string[];
  /** What is wrong with the product: accepted calls that were lost or not applied. A sentence each. */
  faults: string[];
}

/** What every part of the bench works with that puts loads on the product. */
export interface Bench extends Ground {
  generator: Generator;
  connections: number;
  rounds: number;
  /** Length of one round. */
  seconds: number;
}

/**
 * Measures a part, and stops what it started before the next. What parts before it left to be written to the disk is written
 * first: commits would wait behind gigabytes of it.
 */
export async function alone<On extends Ground, Result>(
  bench: On,
  measure: (bench: On) => Promise<Result>,
): Promise<Result> {
  const running = bench.running.use(new AsyncDisposableStack());
  await promisify(execFile)('sync').catch(() =>
    bench.notes.push('what was written before could not be synced to the disk.'),
  );
  const result = await measure({ ...bench, running });
  await running.disposeAsync();
  return result;
}

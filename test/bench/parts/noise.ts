import { open, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../numbers.ts';

/** What the machine does by itself, without any load: what is measured on it is no better than this. Times in milliseconds. */
export interface Noise {
  /** How late a timer of 1 ms was. */
  stalls: { p50: number; p99: number; most: number };
  /** How long the disk took to confirm a write of 4 KB. */
  syncs: { p50: number; p99: number; most: number };
}

/** How long timers are watched, in milliseconds. */
const WATCHED_MS = 2_000;

const WRITES = 200;

/** Measures it, on the disk of this folder. */
export async function measureNoise(folder: string): Promise<Noise> {
  return { stalls: summary(await stalls()), syncs: summary(await syncs(join(folder, 'noise'))) };
}

async function stalls(): Promise<number[]> {
  const late: number[] = [];
  const until = performance.now() + WATCHED_MS;
  for (let began = performance.now(); began < until; began = performance.now()) {
    await sleep(1);
    late.push(Math.max(performance.now() - began - 1, 0));
  }
  return late;
}

async function syncs(path: string): Promise<number[]> {
  const took: number[] = [];
  const file = await open(path, 'w');
  try {
    const page = Buffer.alloc(4096, 1);
    for (let write = 0; write < WRITES; write++) {
      const began = performance.now();
      await file.write(page, 0, page.length, 0);
      await file.datasync();
      took.push(performance.now() - began);
    }
  } finally {
    await file.close();
    await unlink(path);
  }
  return took;
}

function summary(times: readonly number[]) {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), most: Math.max(...times) };
}

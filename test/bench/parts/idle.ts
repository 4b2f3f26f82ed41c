import { setTimeout as sleep } from 'node:timers/promises';
import { makeDatabase } from '../../support/database.ts';
import type { Bench } from '../bench.ts';
import { newSecrets, startStandalone } from '../machine/product.ts';
import { memoryOf } from '../machine/usage.ts';

/** How long nothing happens first, in milliseconds. */
const IDLE_MS = 30_000;

/** Measures the resident bytes of the product in one process that nobody calls, without Postgres. */
export async function measureIdle({ postgres, running, progress }: Bench): Promise<number> {
  progress('doing nothing');
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_idle', from: 'template0' });
  const { pid } = await startStandalone(running, databaseUrl, newSecrets());
  await sleep(IDLE_MS);
  return memoryOf(pid);
}

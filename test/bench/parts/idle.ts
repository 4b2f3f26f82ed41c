import { setTimeout as sleep } from 'node:timers/promises';
import { makeDatabase } from '../../support/database.ts';
import type { Bench } from '../bench.ts';
import { newSecrets, startStandalone } from '../machine/product.ts';
import { memoryOf } from '../machine/usage.ts';

/** How long nothing happens first, in milliseconds. */
const IDLE_MS = 30_000;

/**
 * Measures the resident bytes of the product in one process that nobody calls, without Postgres: of any start but the
 * first after an installation, which reads the whole program as text.
 */
export async function measureIdle({ postgres, running, progress }: Bench): Promise<number> {
  progress('doing nothing');
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_idle', from: 'template0' });
  const secrets = newSecrets();
  await (await startStandalone(running, databaseUrl, secrets)).stop();
  const { pid } = await startStandalone(running, databaseUrl, secrets);
  await sleep(IDLE_MS);
  return memoryOf(pid);
}

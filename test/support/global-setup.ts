import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { startEmbedded } from '../../services/embedded/embedded.ts';
import { openStore } from '../../services/store/store.ts';
import { makeDatabase, moveableClock, overTcp, resettable, TEMPLATE } from './database.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** postgres:// URL, for its superuser, of the server on which each test file makes its own databases. */
    postgresUrl: string;
  }
}

/** One real Postgres for the run, with one migrated database that every test's own database is copied from. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-test-'));
  const log = pino({ level: 'silent' });
  const postgres = await startEmbedded({
    dataDir: folder,
    shelter: join(folder, 'shelter'),
    log,
    settings: ['max_connections=400'],
  });
  project.provide('postgresUrl', overTcp(postgres.ownerUrl));

  const template = await makeDatabase(postgres.ownerUrl, { name: TEMPLATE, from: 'template0' });
  const store = await openStore(template, log);
  await moveableClock(store.pool);
  await resettable(store.pool);
  await store.close();

  return async () => {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  };
}

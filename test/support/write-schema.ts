import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../services/embedded/embedded.ts';
import { migrateDatabase } from '../../services/store/migrating.ts';
import { dumpSchema, SCHEMA_DUMP } from './schema-dump.ts';

/*
 * Writes services/store/schema.sql anew, after a migration was added: from a database on an embedded PostgreSQL of its
 * own.
 */
const dataDir = await mkdtemp(join(tmpdir(), 'tocsin-schema-'));
const log = pino({ level: 'silent' });
const postgres = await startEmbedded({ dataDir, shelter: join(dataDir, 'shelter'), log });
const client = new pg.Client({ connectionString: postgres.ownerUrl });
try {
  await migrateDatabase(postgres.ownerUrl, postgres.url, log);
  await client.connect();
  await writeFile(SCHEMA_DUMP, await dumpSchema(client, new pg.Client({ connectionString: postgres.url }).user!));
} finally {
  await client.end();
  await postgres.stop();
  await rm(dataDir, { recursive: true, force: true });
}

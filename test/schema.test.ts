import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { newId } from '../services/store/id.ts';
import { migrateDatabase } from '../services/store/migrating.ts';
import { databaseOn, dropDatabase, dropRole, makeDatabase, makeProductRole } from './support/database.ts';
import { dumpSchema, SCHEMA_DUMP } from './support/schema-dump.ts';

test('services/store/schema.sql shows what the migrations make; npm run schema writes it', async () => {
  const server = inject('postgresUrl');
  const name = `schema_${newId()}`;
  const url = await makeDatabase(server, { name, from: 'template0' });
  const product = new URL(await makeProductRole(server));
  onTestFinished(async () => {
    await dropDatabase(server, name);
    await dropRole(server, product.username);
  });
  await migrateDatabase(url, databaseOn(product.href, name), pino({ level: 'silent' }));
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const shown = await dumpSchema(client, product.username).finally(() => client.end());
  expect(shown, 'Run "npm run schema" and commit what it writes.').toBe(await readFile(SCHEMA_DUMP, 'utf8'));
});

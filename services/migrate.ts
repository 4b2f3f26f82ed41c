import { pino } from 'pino';
import { type StartFacts, startSentence } from './process/start-errors.ts';
import { databaseFacts, readConfig } from './start/config.ts';
import { openDatabase } from './start/database.ts';
import { migrateDatabase } from './store/migrating.ts';

/*
 * `npm run migrate`: brings the database up to date, grants the product's role its rights, and ends. Every start with
 * the rights to do so does the same; this is for doing it, and seeing it, before anything starts, or as a user that the
 * product never knows.
 */
let facts: StartFacts = { ports: {}, databaseUrl: null };
try {
  const config = readConfig(process.env);
  facts = { ...facts, ...databaseFacts(config.database) };
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  await using running = new AsyncDisposableStack();
  const { url, migrateUrl } = await openDatabase(config.database, log, running);
  const executed = await migrateDatabase(migrateUrl, url, log);
  console.log(JSON.stringify({ migrated: true, executed, pending: [] }));
} catch (fault) {
  process.exitCode = 1;
  console.error(startSentence(fault, facts) ?? fault);
}

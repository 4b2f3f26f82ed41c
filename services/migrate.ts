import { pino } from 'pino';
import { ConfigError } from './process/settings.ts';
import { type StartFacts, startSentence } from './process/start-errors.ts';
import { mismatch } from './process/text.ts';
import { databaseFacts, readConfig } from './start/config.ts';
import { openDatabase } from './start/database.ts';
import { migrateDatabase, planMigration } from './store/migrating.ts';

/*
 * `npm run migrate`: brings the database up to date, grants the product's role its rights, and ends. Every start with
 * the rights to do so does the same; this is for doing it, and seeing it, before anything starts, or as a user that the
 * product never knows. `--plan` only says what would be done.
 */
let facts: StartFacts = { ports: {}, databaseUrl: null };
try {
  const asked = process.argv.slice(2).join(' ');
  if (asked !== '' && asked !== '--plan')
    throw new ConfigError(`npm run migrate ${mismatch('--plan or nothing', asked)}`);
  const config = readConfig(process.env);
  facts = { ...facts, ...databaseFacts(config.database) };
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  await using running = new AsyncDisposableStack();
  const { url, migrateUrl } = await openDatabase(config.database, log, running);
  if (asked === '--plan') console.log(JSON.stringify({ migrated: false, ...(await planMigration(migrateUrl)) }));
  else
    console.log(JSON.stringify({ migrated: true, executed: await migrateDatabase(migrateUrl, url, log), pending: [] }));
} catch (fault) {
  process.exitCode = 1;
  console.error(startSentence(fault, facts) ?? fault);
}

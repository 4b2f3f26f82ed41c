import { pino } from 'pino';
import { readConfig } from './config.ts';
import { openDatabase } from './database.ts';
import { startSentence } from './start-errors.ts';
import { openStore } from './store/store.ts';

/*
 * `npm run migrate`: brings the database up to date and ends. Every start does the same; this is for those who want it
 * done, and seen, before they start anything.
 */
let databaseUrl: string | null = null;
try {
  const config = readConfig(process.env);
  if (config.database.kind === 'external') databaseUrl = config.database.url;
  const log = pino({ level: config.logLevel }, pino.destination({ dest: 2, sync: true }));
  await using running = new AsyncDisposableStack();
  const { url } = await openDatabase(config.database, log, running);
  const store = await openStore(url, log);
  running.defer(store.close);
  const { executed, pending } = await migrations(store);
  console.log(JSON.stringify({ migrated: true, executed, pending }));
} catch (fault) {
  process.exitCode = 1;
  console.error(startSentence(fault, { ports: {}, databaseUrl }) ?? fault);
}

async function migrations(store: Awaited<ReturnType<typeof openStore>>) {
  const executed = await store.orm.migrator.getExecuted();
  const pending = await store.orm.migrator.getPending();
  return { executed: executed.map(one => one.name), pending: pending.map(one => one.name) };
}

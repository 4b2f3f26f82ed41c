import { join } from 'node:path';
import pg from 'pg';
import { makeDatabase } from '../../support/database.ts';
import { measureApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import { mixOf, NOISY } from '../load/mix.ts';
import { runPaced } from '../load/paced-run.ts';
import { saveRequests } from '../load/requests.ts';
import { openPool } from '../machine/postgres.ts';
import { newSecrets, startStandalone } from '../machine/product.ts';
import { seedManyAccounts } from '../seed.ts';
import type { Times } from './half.ts';
import { type Loadable, openLedger } from './ledger.ts';

const ALARMS = 200;
const PER_SECOND = 1_500;

/** One minute of an even load. */
export interface Minute {
  answered: Times;
  applied: Times;
  /** Calls that were never asked, since all connections were busy. */
  unsent: number;
}

/** The same minutes on two products: one with a snapshot open in its database since before the first, one without. */
export interface Snapshot {
  perSecond: number;
  secondsEach: number;
  with: Minute[];
  without: Minute[];
}

type Loaded = Loadable & { requests: string };

/**
 * Measures what a transaction costs that reads once and then stays open: nothing that is updated can be cleaned up behind it.
 * The two take turns, a minute each, so that noise hits both alike and neither takes the processors from the other.
 */
export async function measureSnapshot(bench: Bench, minutes: number): Promise<Snapshot> {
  const [held, plain] = [await start(bench, 'with a snapshot'), await start(bench, 'without a snapshot')];
  const secondsEach = 60;
  await measureMinute(bench, held, WARM_UP_S);
  await measureMinute(bench, plain, WARM_UP_S);
  const close = await holdSnapshot(held.databaseUrl);
  const snapshot: Snapshot = { perSecond: PER_SECOND, secondsEach, with: [], without: [] };
  for (let minute = 1; minute <= minutes; minute += 1) {
    bench.progress(`minute ${minute} of ${minutes} with a snapshot held open, and one without`);
    snapshot.with.push(await measureMinute(bench, held, secondsEach));
    snapshot.without.push(await measureMinute(bench, plain, secondsEach));
  }
  await close();
  return snapshot;
}

const WARM_UP_S = 10;

async function start({ postgres, running }: Bench, title: string): Promise<Loaded & { databaseUrl: string }> {
  const name = title.replaceAll(' ', '_');
  const databaseUrl = await makeDatabase(postgres.url, { name: `bench_${name}`, from: 'template0' });
  const pool = openPool(running, databaseUrl);
  const secrets = newSecrets();
  const called = await seedManyAccounts(databaseUrl, pool, secrets, ALARMS);
  const { url } = await startStandalone(running, databaseUrl, secrets);
  const requests = await saveRequests(join(postgres.folder, `${name}.tsv`), mixOf(called, NOISY));
  return { title, url, pool, requests, databaseUrl };
}

async function measureMinute(bench: Bench, loaded: Loaded, seconds: number): Promise<Minute> {
  const { url, requests, pool } = loaded;
  const ledger = await openLedger(bench, loaded);
  const paced = await runPaced({ url, requests, connections: bench.connections, perSecond: PER_SECOND, seconds });
  await ledger.settle();
  await ledger.close(paced, 0);
  const { p50, p99 } = await measureApplied(pool, ledger.mark);
  return { answered: { p50: paced.p50, p99: paced.p99 }, applied: { p50, p99 }, unsent: paced.unsent };
}

/** Opens a transaction that has read something. Returns what closes it, which throws where it did not stay open. */
async function holdSnapshot(databaseUrl: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM pg_class');
  return async () => {
    await client.query('COMMIT');
    await client.end();
  };
}

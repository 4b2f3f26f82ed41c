import { join } from 'node:path';
import type { Pool } from 'pg';
import { makeDatabase } from '../../support/database.ts';
import { fillLog, untilApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import type { Contender } from '../contenders/contender.ts';
import { contenderOf } from '../contenders/tocsin.ts';
import { mixOf, NOISY, TRIGGERS } from '../load/mix.ts';
import { runPaced } from '../load/paced-run.ts';
import { saveRequests } from '../load/requests.ts';
import { openPool } from '../machine/postgres.ts';
import { newSecrets, type Secrets, startStandalone } from '../machine/product.ts';
import { type CalledAlarm, seedManyAccounts } from '../seed.ts';
import { openLedger } from './ledger.ts';
import { measurePeaks } from './peaks.ts';

/** How full a database is to be. */
export interface Filling<Name extends string> {
  name: Name;
  /** Every one of them is called. */
  alarms: number;
  /** How many calls stand in the log already. */
  calls: number;
}

/**
 * Measures the product on databases that are full to different degrees, in turns. All are filled before any is started: none
 * stands idle for longer than the others, which lets Postgres see tables of calls as empty and plan for that.
 */
export async function measureGrowth<Name extends string>(bench: Bench, wanted: readonly Filling<Name>[]) {
  const filled: Filled<Name>[] = [];
  for (const filling of wanted) filled.push(await fill(bench, filling));
  const contenders: Contender<Name>[] = [];
  for (const one of filled) contenders.push(await start(bench, one));
  return measurePeaks(bench, contenders);
}

interface Filled<Name extends string> extends Filling<Name> {
  title: string;
  databaseUrl: string;
  pool: Pool;
  secrets: Secrets;
  called: CalledAlarm[];
}

async function fill<Name extends string>(bench: Bench, filling: Filling<Name>): Promise<Filled<Name>> {
  const { name, alarms, calls } = filling;
  const title = `${alarms.toLocaleString('en')} alarms, ${calls.toLocaleString('en')} calls in the log`;
  bench.progress(`filling: ${title}`);
  const databaseUrl = await makeDatabase(bench.postgres.url, { name: `bench_filled_${name}`, from: 'template0' });
  const pool = openPool(bench.running, databaseUrl);
  const secrets = newSecrets();
  const called = await seedManyAccounts(databaseUrl, pool, secrets, alarms);
  if (calls > 0) await fillLog(pool, calls);
  return { ...filling, title, databaseUrl, pool, secrets, called };
}

/** Every incident is opened first: what is measured is then the same work for each call, however many alarms there are. */
async function start<Name extends string>(bench: Bench, filled: Filled<Name>): Promise<Contender<Name>> {
  const { name, title, databaseUrl, pool, secrets, called } = filled;
  const { postgres, running, connections } = bench;
  const { url, pid } = await startStandalone(running, databaseUrl, secrets);
  bench.progress(`opening the incidents: ${title}`);
  const ledger = await openLedger(bench, { title, url, pool });
  const triggers = await saveRequests(join(postgres.folder, `${name}-open.tsv`), mixOf(called, TRIGGERS));
  const once = { perSecond: called.length, seconds: 1, patience: OPEN_WITHIN_S };
  const opened = await runPaced({ url, requests: triggers, connections, ...once });
  await untilApplied(pool, OPEN_WITHIN_S);
  await ledger.close(opened, 0);

  const requests = await saveRequests(join(postgres.folder, `${name}.tsv`), mixOf(called, NOISY));
  return contenderOf(bench, { name, title }, { url, requests, pool, processes: { standalone: pid } });
}

const OPEN_WITHIN_S = 600;

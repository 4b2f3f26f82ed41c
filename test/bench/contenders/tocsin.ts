import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { newId } from '../../../services/store/id.ts';
import { makeDatabase } from '../../support/database.ts';
import { untilApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import { mixOf, NOISY, STAYS_ARMED, TRIGGERS } from '../load/mix.ts';
import { saveRequests } from '../load/requests.ts';
import { openPool } from '../machine/postgres.ts';
import { type Secrets, startSplit, startStandalone } from '../machine/product.ts';
import type { Target } from '../machine/start.ts';
import { memoryOf } from '../machine/usage.ts';
import { type CalledAlarm, seedProduct } from '../seed.ts';
import { CONTENDERS, type Contender, type ContenderName } from './contender.ts';

/** The whole product in one process, and what loads are put on it. */
export interface Standalone {
  target: Target;
  /** Resident bytes of its process before the first call. */
  idleMemory: number;
  databaseUrl: string;
  pool: Pool;
  /** The file of requests of the contender `spread`. */
  requests: string;
  contenders: Contender[];
}

/** Starts `npm start` with its engine running: spread, hot, gated and gatedHot are loads on the same process. */
export async function startTocsin(bench: Bench, secrets: Secrets, alarms: number): Promise<Standalone> {
  const { postgres, running } = bench;
  // Each part that measures it alone starts another one.
  const databaseUrl = await makeDatabase(postgres.url, { name: `bench_${newId()}`, from: 'template0' });
  const { plain, gated } = await seedProduct(databaseUrl, secrets, { plain: alarms + 1, gated: alarms + 1 });
  const target = await startStandalone(running, databaseUrl, secrets);
  const pool = openPool(running, databaseUrl);
  await sleep(IDLE_MS);
  const idleMemory = await memoryOf(target.pid);
  await arm(target.url, gated, pool);
  const { url, pid } = target;
  const contender = async (name: ContenderName, called: CalledAlarm[], calls: readonly string[]) => {
    const requests = await saveRequests(join(postgres.folder, `${name}.tsv`), mixOf(called, calls));
    const processes = { standalone: pid };
    return { requests, ...contenderOf(bench, named(name), { url, requests, pool, processes }) };
  };
  const [spread, hot, gatedAlarms, gatedHot] = [
    await contender('spread', plain.slice(1), NOISY),
    await contender('hot', plain.slice(0, 1), TRIGGERS),
    await contender('gated', gated.slice(1), STAYS_ARMED),
    await contender('gatedHot', gated.slice(0, 1), TRIGGERS),
  ];
  return {
    target,
    idleMemory,
    databaseUrl,
    pool,
    requests: spread.requests,
    contenders: [spread, hot, gatedAlarms, gatedHot],
  };
}

/** Starts services, facade and NATS in processes of their own, on another database: engines would share their work else. */
export async function startTocsinApart(bench: Bench, secrets: Secrets, alarms: number): Promise<Contender> {
  const { postgres, running } = bench;
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_apart', from: 'template0' });
  const { plain } = await seedProduct(databaseUrl, secrets, { plain: alarms, gated: 0 });
  const { url, processes } = await startSplit(running, databaseUrl, secrets);
  const requests = await saveRequests(join(postgres.folder, 'split.tsv'), mixOf(plain, NOISY));
  const pool = openPool(running, databaseUrl);
  return contenderOf(bench, named('split'), { url, requests, pool, processes });
}

/** What a load needs to know of a product that runs. */
interface Running {
  url: string;
  requests: string;
  pool: Pool;
  processes: Record<string, number>;
}

/** Makes a contender of a product that runs. */
export function contenderOf<Name extends string>(
  { generator, connections }: Bench,
  { name, title }: { name: Name; title: string },
  { url, requests, pool, processes }: Running,
): Contender<Name> {
  return {
    name,
    title,
    processes,
    stores: { kind: 'product', pool, url },
    load: seconds => generator.apply({ url, requests, connections, seconds }),
  };
}

function named(name: ContenderName) {
  return { name, title: CONTENDERS[name] };
}

/** By then it has done what a start leaves to be done, in milliseconds. */
const IDLE_MS = 3_000;

/** As an owner does it, before the first trigger, which would be held back. */
async function arm(url: string, alarms: readonly CalledAlarm[], pool: Pool): Promise<void> {
  for (const { id, apiKey } of alarms) {
    const { status } = await fetch(`${url}/v1/alarm/${id}/arm/away`, { headers: { 'x-api-key': apiKey } });
    if (status !== 202) throw new Error(`An alarm could not be armed: ${status}.`);
  }
  await untilApplied(pool);
}

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../services/embedded.ts';
import { makeDatabase } from '../support/database.ts';
import { countApplied, measureApplied, untilApplied } from './actions.ts';
import { type FileApplied, measureApply } from './apply.ts';
import { seedHandwritten } from './handwritten-schema.ts';
import { type Lists, measureLists } from './lists.ts';
import type { Answers, Load } from './load.ts';
import { type Options, readOptions } from './options.ts';
import { reachJson, reachTable } from './reach/report.ts';
import { benchReach } from './reach/run.ts';
import { type Measured, toJson, toTable } from './report.ts';
import { type Seeded, seedProduct } from './seed.ts';
import { applyLoad, PRODUCT, startTarget, type Target } from './target.ts';

/*
 * npm run bench [-- --seconds 5 --connections 200 --rounds 5 --reach --json]: what the whole product accepts per second, with the
 * engine running and every call applied by the end, beside a bare Fastify and a hand-written server, on one Postgres, under
 * the same load, in turns, so that noise hits all alike; then how long it takes to reach people (--reach: only that). Ends
 * with 1 when a call was lost or not applied.
 */
const ALARMS = 200;
/** What a noisy alarm sees: it is armed, triggers again and again, and is disarmed. */
const CALLS = ['arm/away', ...Array.from({ length: 8 }, () => 'trigger'), 'disarm'];
const WARM_UP_ANSWERS = 20_000;
const IDLE_MS = 3_000;

interface Rig {
  pool: pg.Pool;
  bare: Contender;
  handwritten: Contender;
  product: Contender;
  consoleToken: string;
}

type Contender = Target & Seeded;

try {
  const options = readOptions(process.argv.slice(2));
  await using running = new AsyncDisposableStack();
  const postgres = await startPostgres(running);
  if (options.part === 'all') {
    const measured = await Promise.race([bench(options, postgres.url), interruption()]);
    if (options.output !== 'json') console.log(`${toTable(measured)}\n`);
    console.log(toJson(measured));
    if (measured.faults.length > 0) process.exitCode = 1;
  }
  await using reaching = new AsyncDisposableStack();
  const reach = await Promise.race([benchReach(postgres.url, reaching, progress), interruption()]);
  progress('');
  if (options.output !== 'json') console.log(`${reachTable(reach)}\n`);
  console.log(reachJson(reach));
} catch (fault) {
  console.error(fault instanceof Error ? fault.message : fault);
  process.exitCode = 1;
}

async function bench(options: Options, postgresUrl: string): Promise<Measured> {
  await using running = new AsyncDisposableStack();
  progress('starting the three servers');
  const rig = await start(postgresUrl, running);
  await sleep(IDLE_MS);
  const idleMemory = await rig.product.memory();
  const faults = await warmUp(rig, options);

  const warm = await countApplied(rig.pool);
  const rounds = { bare: [] as Answers[], handwritten: [] as Answers[], product: [] as Answers[] };
  const applied: number[] = [];
  for (let n = 1; n <= options.rounds; n += 1) {
    for (const name of ['bare', 'handwritten', 'product'] as const) {
      progress(`round ${n} of ${options.rounds}: ${name}`);
      const { connections, seconds } = options;
      rounds[name].push(await applyLoad(load(rig[name], connections, { seconds })));
      if (name === 'product') applied.push(await untilApplied(rig.pool));
    }
  }
  progress('');
  const settings = {
    seconds: options.seconds,
    connections: options.connections,
    rounds: options.rounds,
    alarms: ALARMS,
  };
  const measured = {
    settings,
    ...rounds,
    idleMemory,
    untilApplied: applied,
    applied: await measureApplied(rig.pool, warm),
    file: await applyFile(rig),
    lists: await lists(rig),
    faults,
  };
  faults.push(...findFaults(measured));
  return measured;
}

async function applyFile({ product, consoleToken }: Rig): Promise<FileApplied> {
  progress('applying a file of many alarms, twice');
  return measureApply({ rpcUrl: product.rpcUrl!, token: consoleToken }, `${product.url}/livez`);
}

async function lists({ pool, product, consoleToken }: Rig): Promise<Lists> {
  progress('filling an account and reading its lists');
  return measureLists(pool, { rpcUrl: product.rpcUrl!, token: consoleToken });
}

async function startPostgres(running: AsyncDisposableStack) {
  progress('starting Postgres');
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user than the bench.
  await chmod(folder, 0o711);
  const log = pino({ level: 'silent' });
  const postgres = await startEmbedded({ dataDir: join(folder, 'data'), shelter: join(folder, 'shelter'), log });
  running.defer(postgres.stop);
  return postgres;
}

async function start(postgresUrl: string, running: AsyncDisposableStack): Promise<Rig> {
  const pepper = randomBytes(32).toString('hex');
  const dataKey = randomBytes(32);
  const consoleToken = randomBytes(32).toString('hex');
  const [productDb, handDb] = [
    await makeDatabase(postgresUrl, { name: 'bench_product', from: 'template0' }),
    await makeDatabase(postgresUrl, { name: 'bench_handwritten', from: 'template0' }),
  ];
  const productSeed = await seedProduct(productDb, pepper, dataKey, ALARMS);
  const handSeed = await seedHandwritten(handDb, pepper, ALARMS);

  const launch = async (
    command: readonly string[],
    seeded: Seeded,
    settings: Record<string, string>,
  ): Promise<Contender> => {
    const target = await startTarget(command, settings);
    running.defer(target.stop);
    return { ...target, ...seeded };
  };
  const pool = new pg.Pool({ connectionString: productDb, max: 1 });
  running.defer(() => pool.end());
  return {
    pool,
    consoleToken,
    bare: await launch(['test/bench/bare.ts'], handSeed, {}),
    handwritten: await launch(['test/bench/handwritten.ts'], handSeed, { DATABASE_URL: handDb, KEY_PEPPER: pepper }),
    product: await launch(PRODUCT, productSeed, {
      DATABASE_URL: productDb,
      KEY_PEPPER: pepper,
      DATA_KEY: dataKey.toString('hex'),
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: '0',
      RPC_PORT: '0',
      CONSOLE_TOKEN: consoleToken,
    }),
  };
}

/** A fixed number of calls, all answered: here the product must apply exactly as many as it answered with 202. */
async function warmUp(rig: Rig, { connections }: Options): Promise<string[]> {
  const before = await countApplied(rig.pool);
  for (const name of ['bare', 'handwritten', 'product'] as const) {
    progress(`warming up: ${name}`);
    const { accepted, failed } = await applyLoad(load(rig[name], connections, { answers: WARM_UP_ANSWERS }));
    if (accepted < WARM_UP_ANSWERS)
      throw new Error(`${name} answered ${failed} of ${WARM_UP_ANSWERS} calls without a 202.`);
  }
  await untilApplied(rig.pool);
  const applied = (await countApplied(rig.pool)) - before;
  return applied === WARM_UP_ANSWERS ? [] : [`${WARM_UP_ANSWERS} calls were accepted, but ${applied} are applied.`];
}

function load({ url, apiKey, alarmIds }: Contender, connections: number, until: Load['until']): Load {
  const paths = alarmIds.flatMap(id => CALLS.map(call => `/v1/alarm/${id}/${call}`));
  return { url, apiKey, paths, connections, until };
}

/** A round ends with calls under way, so more may be applied than were answered: at most one for each connection. */
function findFaults({ settings, product, handwritten, bare, applied }: Measured): string[] {
  const faults: string[] = [];
  const accepted = product.reduce((sum, answers) => sum + answers.accepted, 0);
  const cutOff = settings.connections * settings.rounds;
  const { applied: count, waiting } = applied;
  if (count < accepted) faults.push(`${accepted} calls were accepted, but only ${count} are applied.`);
  if (count > accepted + cutOff) faults.push(`${count} calls are applied for ${accepted} accepted ones.`);
  if (waiting > 0) faults.push(`${waiting} accepted calls were never applied.`);
  for (const [name, rounds] of Object.entries({ bare, handwritten, product })) {
    const failed = rounds.reduce((sum, answers) => sum + answers.failed, 0);
    if (failed > 0) faults.push(`${name} answered ${failed} calls without a 202.`);
  }
  return faults;
}

async function interruption(): Promise<never> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  throw new Error('Interrupted.');
}

function progress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { startEmbedded } from '../../../services/embedded/embedded.ts';
import { makeDatabase } from '../../support/database.ts';
import { startTarget } from '../machine/start.ts';
import { percentile } from '../numbers.ts';
import { Crowd } from './crowd.ts';
import { call, flood, hold, type Subject, untilLast } from './measure.ts';
import { change, oneSocketEach } from './one-socket-each.ts';
import type { ProductSettings } from './product.ts';
import { type Row, report } from './report.ts';
import { type Account, seedAccounts } from './seed.ts';
import { NATS } from './speech.ts';

/*
 * npm run bench:realtime [-- --sockets 1000,5000 --held 10000 --rounds 40 --json]: how fast a change reaches every socket of
 * an account, beside a bare broadcast with ws and nats-server's own WebSocket listener, in the same run and in turns. Ends with 1 when a signal was lost.
 */
const { values } = parseArgs({
  options: {
    sockets: { type: 'string', default: '1000,5000' },
    held: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '40' },
    json: { type: 'boolean', default: false },
  },
});
const ROUNDS = Number(values.rounds);
const ACCOUNTS = 200;
const FLOOD = 100;

try {
  await using running = new AsyncDisposableStack();
  const rows = await bench(running);
  console.log(values.json ? JSON.stringify(rows) : report(rows));
} catch (fault) {
  console.error(fault instanceof Error ? fault.stack : fault);
  process.exitCode = 1;
}

async function bench(running: AsyncDisposableStack): Promise<Row[]> {
  const { bare, nats, product, unheld, accounts } = await start(running);
  const [account] = accounts;
  const rows: Row[] = [];
  const say = (name: string, unit: string, figures: Row['figures'], target?: Row['target']) => {
    rows.push({ name, unit, figures, ...(target && { target }) });
    if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${name}`);
  };

  // First, while nothing has been thrown away that sockets could be made of.
  const held = Number(values.held);
  const memory: Record<string, number> = {};
  const opens: Record<string, number> = {};
  for (const subject of [bare, unheld]) {
    const { crowd, bytesPerSocket, opensPerSecond } = await hold(subject, held);
    [memory[subject.name], opens[subject.name]] = [bytesPerSocket / 1_024, opensPerSecond];
    const all = crowd.expect(held);
    await call(`${subject.control}/signal`);
    await all;
    crowd.close();
  }
  say(`${held} sockets held: memory per idle socket`, 'KB', memory, { figure: 'relay', atMost: 12 });
  say(`${held} sockets held: opened and subscribed`, '/s', opens);

  for (const count of values.sockets.split(',').map(Number)) {
    const crowds = {
      bare: await crowdOf(bare, count),
      product: await crowdOf(product, count),
      nats: await crowdOf(nats, count),
    };
    // A few rounds that do not count: the first ones are compiled while they run.
    const rounds = async (crowd: Crowd, act: () => Promise<number>) => {
      await untilLast(crowd, 5, act);
      return untilLast(crowd, ROUNDS, act);
    };
    const times = {
      bare: await rounds(crowds.bare, () => call(`${bare.control}/signal`)),
      relay: await rounds(crowds.product, () => call(`${product.control}/signal`)),
      product: await rounds(crowds.product, () => change(product.url, account!)),
      nats: await rounds(crowds.nats, () => call(`${nats.control}/signal`)),
    };
    for (const share of [0.5, 0.99]) {
      const figures = {
        'bare ws': percentile(times.bare, share),
        'nats-server': percentile(times.nats, share),
        relay: percentile(times.relay, share),
        'whole product': percentile(times.product, share),
      };
      const ratio = figures.relay / figures['bare ws'];
      say(
        `${count} sockets: 202 to last signal, p${share * 100}`,
        'ms',
        { ...figures, 'relay / bare': ratio },
        {
          figure: 'relay / bare',
          atMost: 1.3,
        },
      );
    }
    const burst = await burstOf(product, account!, crowds.product);
    say(`${count} sockets: signals per socket for 500 changes`, '', { most: burst }, { figure: 'most', atMost: 3 });
    for (const crowd of Object.values(crowds)) crowd.close();

    const flooded: Record<string, Awaited<ReturnType<typeof flood>>> = {};
    // Not nats-server: it puts what is under way into frames of its own making, which the crowd does not take apart.
    for (const subject of [bare, unheld]) {
      const crowd = await crowdOf(subject, count);
      await flood(subject, crowd, FLOOD / 5);
      flooded[subject.name] = await flood(subject, crowd, FLOOD);
      crowd.close();
    }
    const figure = (of: 'perSecond' | 'cpuPerSignal') =>
      Object.fromEntries(Object.entries(flooded).map(([name, result]) => [name, result[of]]));
    say(`${count} sockets: signals per second, as fast as it goes`, '/s', figure('perSecond'));
    say(`${count} sockets: CPU of the server per signal`, 'µs', figure('cpuPerSignal'));
  }

  const times = await oneSocketEach(product.url, accounts, { calls: 2_000, everyMs: 5 });
  const latency = { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
  say(`202 to one socket's signal, 200 calls/s over ${ACCOUNTS} accounts`, 'ms', latency, {
    figure: 'p99',
    atMost: 25,
  });
  return rows;
}

async function start(running: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-bench-'));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user than the bench.
  await chmod(folder, 0o711);
  const log = pino({ level: 'silent' });
  const postgres = await startEmbedded({ dataDir: join(folder, 'data'), shelter: join(folder, 'shelter'), log });
  running.defer(postgres.stop);
  const databaseUrl = await makeDatabase(postgres.ownerUrl, { name: 'bench_realtime', from: 'template0' });
  const pepper = randomBytes(32).toString('hex');
  const dataKey = randomBytes(32).toString('hex');
  const accounts = await seedAccounts(databaseUrl, pepper, ACCOUNTS);
  // A database for each: the engine of either would apply the other's calls and tell its own bus.
  const copyUrl = await makeDatabase(postgres.ownerUrl, { name: 'bench_realtime_copy', from: 'bench_realtime' });
  const { accountId, apiKey: key } = accounts[0]!;

  const launch = async (name: string, script: string, settings: Record<string, string>): Promise<Subject> => {
    const command = ['--expose-gc', '--max-semi-space-size=64', `test/bench/realtime/${script}`];
    const { url, rpcUrl, stop } = await startTarget({ args: command, env: {} }, settings);
    running.defer(stop);
    return { name, url, control: rpcUrl!, key, channel: `/account/${accountId}` };
  };
  const product = (databaseUrl: string, coalesceMs: number) =>
    JSON.stringify({ databaseUrl, pepper, dataKey, accountId, coalesceMs } satisfies ProductSettings);
  return {
    accounts,
    bare: await launch('bare ws', 'bare-ws.ts', {}),
    nats: { ...(await launch('nats-server', 'nats-listener.ts', {})), speech: NATS },
    product: await launch('whole product', 'product.ts', { BENCH: product(databaseUrl, 250) }),
    unheld: await launch('relay', 'product.ts', { BENCH: product(copyUrl, 0) }),
  };
}

async function crowdOf({ url, key, channel, speech }: Subject, count: number): Promise<Crowd> {
  const crowd = new Crowd(speech);
  await crowd.open(count, url, key, channel);
  return crowd;
}

/** The most signals that any socket got for 500 changes of its account. */
async function burstOf(product: Subject, account: Account, crowd: Crowd): Promise<number> {
  await sleep(300);
  for (const member of crowd.members) member.signals = 0;
  await Promise.all(Array.from({ length: 500 }, () => change(product.url, account)));
  // In which order they were taken nobody knows: from here on it is disarmed.
  account.calls = 1;
  await change(product.url, account);
  await sleep(1_000);
  return Math.max(...crowd.members.map(({ signals }) => signals));
}

import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { AccountService } from '../../gen/tocsin/console/v1/accounts_pb.ts';
import { type ApplyResult, ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { startEmbedded } from '../../services/embedded.ts';
import { makeDatabase } from '../support/database.ts';
import { PRODUCT, startTarget } from './target.ts';

/*
 * node test/bench/apply.ts: how long a file of 10,000 alarms takes, from the call to the result, the first time and once
 * more, and how long a call of /v1 waits meanwhile. Ends with 1 when that is more than what is promised.
 */
const ALARMS = 10_000;
const MOST_S = { first: 30, again: 5 } as const;

/** What was measured, in seconds and milliseconds. */
export interface AppliedIn {
  alarms: number;
  firstS: number;
  againS: number;
  /** The slowest /livez while the file was applied the first time. */
  slowestMs: number;
  faults: string[];
}

/** Starts the product on a fresh database and applies the file twice. */
export async function benchApply(running: AsyncDisposableStack): Promise<AppliedIn> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-apply-'));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  // PostgreSQL may run as another user than the bench.
  await chmod(folder, 0o711);
  const log = pino({ level: 'silent' });
  const postgres = await startEmbedded({ dataDir: join(folder, 'data'), shelter: join(folder, 'shelter'), log });
  running.defer(postgres.stop);
  const operator = `tcn_${randomBytes(24).toString('hex')}`;
  const port = 20_000 + Math.floor(Math.random() * 20_000);
  const product = await startTarget(PRODUCT, {
    DATABASE_URL: await makeDatabase(postgres.url, { name: 'bench_apply', from: 'template0' }),
    KEY_PEPPER: randomBytes(32).toString('hex'),
    DATA_KEY: randomBytes(32).toString('hex'),
    CONSOLE_TOKEN: operator,
    HTTP_PORT: '0',
    RPC_PORT: String(port),
    LOG_LEVEL: 'error',
  });
  running.defer(product.stop);

  const transport = createConnectTransport({ baseUrl: `http://127.0.0.1:${port}`, httpVersion: '1.1' });
  const as = { headers: { authorization: `Bearer ${operator}` } };
  const { token } = await createClient(AccountService, transport).createAccount({ account: { name: 'Bench' } }, as);
  const apply = () => timedApply(transport, token);
  const watch = watchWaits(product.url);
  const first = await apply();
  const slowestMs = await watch.stop();
  const again = await apply();

  const faults = [
    first.result.outcome === 'applied' ? null : `The first apply was ${first.result.outcome}.`,
    again.result.outcome === 'unchanged' ? null : `The second apply was ${again.result.outcome}.`,
    first.seconds <= MOST_S.first ? null : `The first apply took more than ${MOST_S.first} s.`,
    again.seconds <= MOST_S.again ? null : `The second apply took more than ${MOST_S.again} s.`,
  ].filter(fault => fault !== null);
  return { alarms: ALARMS, firstS: first.seconds, againS: again.seconds, slowestMs, faults };
}

type Transport = ReturnType<typeof createConnectTransport>;

async function timedApply(transport: Transport, token: string): Promise<{ seconds: number; result: ApplyResult }> {
  const client = createClient(ConfigurationService, transport);
  const began = performance.now();
  for await (const { event } of client.apply({ text: file() }, { headers: { authorization: `Bearer ${token}` } })) {
    if (event.case === 'result') return { seconds: (performance.now() - began) / 1_000, result: event.value };
  }
  throw new Error('The apply ended without a result.');
}

function file(): string {
  const lines = Array.from(
    { length: ALARMS },
    (_, n) => `  - key: alarm-${n}
    name: Alarm ${n}
    location: place-${n % 100}
    test: false
    modes: [{ id: home, policy: somebody }, { id: away, policy: somebody, windowS: 30 }, { id: night, policy: somebody }]
`,
  );
  const places = Array.from({ length: 100 }, (_, n) => `  - { key: place-${n}, name: Place ${n} }\n`);
  return `version: 1
locations:
${places.join('')}contacts:
  - { key: somebody, name: Somebody, channels: [{ channel: email, address: somebody@tocsin.invalid }] }
policies:
  - { key: somebody, name: Somebody, steps: [{ contacts: [{ contact: somebody, channels: [email] }] }] }
alarms:
${lines.join('')}`;
}

/** Asks again and again, one call at a time, and remembers the slowest. */
function watchWaits(url: string): { stop(): Promise<number> } {
  let state: 'on' | 'off' = 'on';
  const watching = (async () => {
    let slowest = 0;
    while (state === 'on') {
      const began = performance.now();
      await (await fetch(`${url}/livez`)).arrayBuffer();
      slowest = Math.max(slowest, performance.now() - began);
    }
    return slowest;
  })();
  return {
    stop() {
      state = 'off';
      return watching;
    },
  };
}

if (import.meta.main) {
  await using running = new AsyncDisposableStack();
  const measured = await benchApply(running);
  console.log(JSON.stringify(measured));
  if (measured.faults.length > 0) process.exitCode = 1;
}

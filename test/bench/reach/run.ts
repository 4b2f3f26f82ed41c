import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { makeDatabase } from '../../support/database.ts';
import { PRODUCT, startTarget } from '../target.ts';
import { startBenchCarrier } from './carrier.ts';
import { measureReach, type Reach } from './reach.ts';
import { seedReach } from './seed.ts';

/** How long the carrier thinks about a message, in milliseconds: about what one over the internet takes. */
const CARRIER_MS = 50;

const PER_SECOND = 200;

/** Measures how long the whole product takes to reach people, in a process and on a database of its own. */
export async function benchReach(
  postgresUrl: string,
  running: AsyncDisposableStack,
  progress: (what: string) => void,
): Promise<Reach> {
  const databaseUrl = await makeDatabase(postgresUrl, { name: 'bench_reach', from: 'template0' });
  const [pepper, dataKey] = [randomBytes(32).toString('hex'), randomBytes(32)];
  progress('making alarms whose people are told by text');
  const plain = PER_SECOND * 9 + 40;
  const plan = { plain, windowed: 100, stepped: 100, crowded: 20, messagesLater: 500 };
  const seed = await seedReach(databaseUrl, { pepper, dataKey }, plan);
  const carrier = await startBenchCarrier(CARRIER_MS);
  running.defer(carrier.stop);
  const product = await startTarget(PRODUCT, {
    DATABASE_URL: databaseUrl,
    KEY_PEPPER: pepper,
    DATA_KEY: dataKey.toString('hex'),
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: '0',
    RPC_PORT: '0',
    LOG_LEVEL: 'silent',
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_AUTH_TOKEN: 'f'.repeat(32),
    TWILIO_FROM: '+12025550100',
    TWILIO_API_URL: carrier.url,
  });
  running.defer(product.stop);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  running.defer(() => pool.end());
  return measureReach({ pool, url: product.url, seed, carrier, perSecond: PER_SECOND }, progress);
}

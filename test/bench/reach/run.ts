import { makeDatabase } from '../../support/database.ts';
import type { Bench } from '../bench.ts';
import { openPool } from '../machine/postgres.ts';
import { newSecrets, startStandalone } from '../machine/product.ts';
import { startBenchCarrier } from './carrier.ts';
import { measureReach, type Reach } from './reach.ts';
import { seedReach } from './seed.ts';

/** How long the carrier thinks about a message, in milliseconds: about what one over the internet takes. */
const CARRIER_MS = 50;

const PER_SECOND = 200;

/** Measures how long the whole product takes to reach people, in a process and on a database of its own. */
export async function benchReach({ postgres, running, progress }: Bench): Promise<Reach> {
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_reach', from: 'template0' });
  const secrets = newSecrets();
  progress('making alarms whose people are told by text');
  const plain = PER_SECOND * 9 + 40;
  const plan = { plain, windowed: 100, stepped: 100, crowded: 20, messagesLater: 500 };
  const seed = await seedReach(databaseUrl, secrets, plan);
  const carrier = await startBenchCarrier(CARRIER_MS);
  running.defer(carrier.stop);
  const { url } = await startStandalone(running, databaseUrl, secrets, {
    LOG_LEVEL: 'silent',
    TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
    TWILIO_AUTH_TOKEN: 'f'.repeat(32),
    TWILIO_FROM: '+12025550100',
    TWILIO_API_URL: carrier.url,
  });
  const pool = openPool(running, databaseUrl);
  return measureReach({ pool, url, seed, carrier, perSecond: PER_SECOND }, progress);
}

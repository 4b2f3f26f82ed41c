import { join } from 'node:path';
import { makeDatabase } from '../../support/database.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import type { Bench } from '../bench.ts';
import { mixOf, NOISY } from '../load/mix.ts';
import { saveRequests } from '../load/requests.ts';
import { startTarget } from '../machine/start.ts';
import { CONTENDERS, type Contender, type ContenderName } from './contender.ts';
import { seedHandwritten } from './handwritten-schema.ts';

/**
 * Starts the servers that one would write by hand: an answer with nothing behind it, one INSERT for each call, and one message of
 * JetStream for each.
 */
export async function startByHand(bench: Bench, pepper: string, alarms: number): Promise<Contender[]> {
  const { postgres, running, generator, connections } = bench;
  const nats = await startNatsServer({ config: jetStreamIn(join(postgres.folder, 'jetstream')) });
  running.defer(nats.stop);
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_handwritten', from: 'template0' });
  const called = await seedHandwritten(databaseUrl, pepper, alarms);
  const { apiKey } = called[0]!;
  const requests = await saveRequests(join(postgres.folder, 'by-hand.tsv'), mixOf(called, NOISY));
  const start = async (
    name: ContenderName,
    stores: Contender['stores'],
    settings: Record<string, string>,
    more: Record<string, number> = {},
  ): Promise<Contender> => {
    const { url, pid, stop } = await startTarget({ args: [`test/bench/contenders/${name}.ts`], env: {} }, settings);
    running.defer(stop);
    const load = (seconds: number) => generator.apply({ url, requests, connections, seconds });
    return { name, title: CONTENDERS[name], processes: { [name]: pid, ...more }, stores, load };
  };
  return [
    await start('bare', { kind: 'nothing' }, {}),
    await start('handwritten', { kind: 'rows' }, { DATABASE_URL: databaseUrl, KEY_PEPPER: pepper }),
    await start('jetstream', { kind: 'nothing' }, { NATS_URL: nats.url, API_KEY: apiKey }, { nats: nats.pid() }),
  ];
}

/** Its file is synced every two minutes, and in no other way by the nats-server of Debian 12: a power cut loses what was confirmed. */
function jetStreamIn(folder: string): string {
  return `jetstream {\n  store_dir: ${JSON.stringify(folder)}\n}`;
}

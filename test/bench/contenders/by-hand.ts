import { join } from 'node:path';
import { makeDatabase } from '../../support/database.ts';
import type { Bench } from '../bench.ts';
import { mixOf, NOISY } from '../load/mix.ts';
import { saveRequests } from '../load/requests.ts';
import { startTarget } from '../machine/start.ts';
import { CONTENDERS, type Contender, type ContenderName } from './contender.ts';
import { seedHandwritten } from './handwritten-schema.ts';

/** Starts the two servers that one would write by hand: an answer with nothing behind it, and one INSERT for each call. */
export async function startByHand(bench: Bench, pepper: string, alarms: number): Promise<Contender[]> {
  const { postgres, running, generator, connections } = bench;
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_handwritten', from: 'template0' });
  const called = await seedHandwritten(databaseUrl, pepper, alarms);
  const requests = await saveRequests(join(postgres.folder, 'by-hand.tsv'), mixOf(called, NOISY));
  const start = async (
    name: ContenderName,
    stores: Contender['stores'],
    settings: Record<string, string>,
  ): Promise<Contender> => {
    const { url, pid, stop } = await startTarget({ args: [`test/bench/contenders/${name}.ts`], env: {} }, settings);
    running.defer(stop);
    const load = (seconds: number) => generator.apply({ url, requests, connections, seconds });
    return { name, title: CONTENDERS[name], processes: { [name]: pid }, stores, load };
  };
  return [
    await start('bare', { kind: 'nothing' }, {}),
    await start('handwritten', { kind: 'rows' }, { DATABASE_URL: databaseUrl, KEY_PEPPER: pepper }),
  ];
}

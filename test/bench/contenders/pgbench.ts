import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { makeDatabase } from '../../support/database.ts';
import type { Postgres } from '../machine/postgres.ts';
import { runToEnd } from '../machine/run.ts';
import { pgbenchProgram } from '../programs.ts';
import { CONTENDERS, type Contender } from './contender.ts';

/** As narrow as a stored call can be, with the one index that finds it. */
const TABLE = `
  CREATE TABLE call (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id text NOT NULL, verb text NOT NULL, trace_id uuid NOT NULL, at timestamptz NOT NULL DEFAULT now()
  )`;

const INSERT = `\\set n random(1, 200)
INSERT INTO call (source_id, verb, trace_id) VALUES ('alarm-' || :n, 'trigger', gen_random_uuid());
`;

/**
 * What the database itself can take: one durable one-row INSERT after the other from each connection. Its processor time
 * includes that of connecting, its calls/s do not. Throws without pgbench.
 */
export async function startPgbench(postgres: Postgres, connections: number): Promise<Contender> {
  const { path, env } = await pgbenchProgram();
  const databaseUrl = await makeDatabase(postgres.url, { name: 'bench_pgbench', from: 'template0' });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(TABLE).finally(() => client.end());
  const script = join(postgres.folder, 'insert.sql');
  await writeFile(script, INSERT);
  return {
    name: 'pgbench',
    title: CONTENDERS.pgbench,
    processes: {},
    stores: { kind: 'rows' },
    async load(seconds) {
      const options = ['-n', '-j1', '-c', String(connections), '-T', String(seconds), '-M', 'prepared', '-f', script];
      const stdout = await runToEnd(path, [...options, databaseUrl], env);
      const figure = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? Number.NaN);
      const perSecond = figure(/^tps = ([\d.]+)/m);
      if (Number.isNaN(perSecond)) throw new Error(`pgbench ended without a result: ${stdout}`);
      return {
        accepted: figure(/actually processed: (\d+)/),
        refused: figure(/failed transactions: (\d+)/),
        broken: 0,
        perSecond,
        p50: null,
        p99: null,
      };
    },
  };
}

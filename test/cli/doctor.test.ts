import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { advanceClock } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { commandLine } from './command-line.ts';

interface Found {
  name: string;
  verdict: string;
  found: string;
  fix: string;
}

/** What doctor says of one thing, asked with a token. */
async function checked(world: World, name: string, token = world.operator): Promise<Found> {
  const { json } = await commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token }).json('doctor');
  return (json.checks as Found[]).find(check => check.name === name)!;
}

async function connection(world: World): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('doctor warns of a snapshot that is held for more than a minute: how long, who, and what to do; who it is only the operator', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: made } = await operator.json('accounts', 'create', '--name', 'An owner');
  const holder = await connection(world);
  const { rows } = await holder.query<{ pid: number; s: number }>(
    'SELECT pg_backend_pid() AS pid, extract(epoch FROM clock_timestamp() - tocsin_now())::float8 AS s',
  );
  const [{ pid, s }] = rows as [{ pid: number; s: number }];
  await advanceClock(world.store.pool, s);
  await holder.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await holder.query('SELECT 1');
  await advanceClock(world.store.pool, 50);
  await world.services.measure();
  expect(await checked(world, 'snapshot')).toMatchObject({ verdict: 'ok', fix: '' });

  await advanceClock(world.store.pool, 600);
  await world.services.measure();
  expect(await checked(world, 'snapshot')).toEqual({
    name: 'snapshot',
    verdict: 'warn',
    found: expect.stringMatching(
      new RegExp(`^A transaction \\(process ${pid}\\) has kept Postgres from cleaning up for 10m (3|4|5)\\ds;`),
    ),
    fix: `End what runs it, such as a backup, or in Postgres: SELECT pg_terminate_backend(${pid}).`,
  });
  const owners = await checked(world, 'snapshot', made.token);
  expect(owners).toMatchObject({ verdict: 'warn', found: expect.stringMatching(/^A transaction has kept/) });
  expect(owners.fix).not.toContain(String(pid));

  await holder.query('COMMIT');
  const isOk = async () => {
    await world.services.measure();
    return (await checked(world, 'snapshot')).verdict === 'ok';
  };
  await eventually(isOk, { what: 'doctor to find no snapshot that is held' });
});

test('doctor warns when the oldest call has waited to be applied for more than half a minute', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const [alarm, key] = [await owner.alarm(), await owner.key()];
  const holder = await connection(world);
  await holder.query('SELECT pg_advisory_lock($1)', [LOCKS.apply]);
  await world.get(`/v1/alarm/${alarm}/trigger`, key);
  await advanceClock(world.store.pool, 30);
  const early = { verdict: 'ok', found: '1 accepted call to be applied, the oldest for 30s.' };
  expect(await checked(world, 'waiting')).toMatchObject(early);
  await advanceClock(world.store.pool, 15);
  expect(await checked(world, 'waiting')).toMatchObject({
    verdict: 'warn',
    found: '1 accepted call to be applied, the oldest for 45s.',
    fix: 'Look whether the engine runs (its log, /readyz).',
  });
  await holder.query('SELECT pg_advisory_unlock($1)', [LOCKS.apply]);
  await world.settle();
  expect(await checked(world, 'waiting')).toMatchObject({ verdict: 'ok', found: '0 accepted calls to be applied.' });
});

import pg, { type Pool } from 'pg';
import { pino } from 'pino';
import { expect, inject, onTestFinished, test } from 'vitest';
import { startClock } from '../../services/engine/clock.ts';
import { advanceClock, dropDatabase, makeDatabase, settableClock, TEMPLATE } from '../support/database.ts';

/* DECISIONS.md "One clock", for a process that stands still while it looks at the clocks. */

test.each([
  ['after the database answered', 'after'],
  ['before the database was asked', 'before'],
] as const)('a keeper that stands still for a minute %s takes no step for it', async (_, when) => {
  const name = `looks_${when}`;
  const url = await makeDatabase(inject('postgresUrl'), { name, from: TEMPLATE });
  const pool = new pg.Pool({ connectionString: url });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  onTestFinished(() => pool.end());
  await settableClock(pool);

  let upMs = 0;
  let standsStillMs = 0;
  const standStill = async () => {
    const ms = standsStillMs;
    standsStillMs = 0;
    upMs += ms;
    await advanceClock(pool, ms / 1_000);
  };
  const query = async (...asked: unknown[]) => {
    if (when === 'before') await standStill();
    const answer = await (pool.query as (...asked: unknown[]) => Promise<unknown>)(...asked);
    await standStill();
    return answer;
  };
  const standing = { query, connect: () => pool.connect() } as unknown as Pool;
  const steady = { boot: 'a machine', uptimeMs: () => upMs };
  const clock = await startClock({ pool: standing, log: pino({ level: 'silent' }), steady });
  const now = async () => (await pool.query<{ at: Date }>('SELECT tocsin_now() AS at')).rows[0]!.at.getTime();
  const began = await now();

  standsStillMs = 60_000;
  await clock.drain();
  await clock.drain();
  await clock.close();
  expect(clock.lastStep()).toBeNull();
  expect((await now()) - began).toBe(60_000);
});

import { expect, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { connection } from '../support/connection.ts';
import { expectInTime } from '../support/wait.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';
import { DAY_S, type Family, family, outcomes, rowsOf } from './retention-rig.ts';

test('one process at a time removes things', async () => {
  const world = await startWorld({ retention: { calls: 1 } });
  const owner = await family(world);
  const answer = await owner.act('arm');
  await world.settle();
  const other = await connection(world.databaseUrl);
  await other.query('SELECT pg_advisory_lock($1)', [LOCKS.retention]);
  await world.advance(2 * DAY_S);
  await world.sweep();
  expect(await outcomes(owner, [answer])).toEqual(['armed']);
  await other.query('SELECT pg_advisory_unlock($1)', [LOCKS.retention]);
  await world.sweep();
  expect(await outcomes(owner, [answer])).toEqual(['gone']);
});

test('calls are accepted and applied while 50,000 old ones go, a thousand at once; those of another account stay', async () => {
  const world = await startWorld({ tables: 'fresh' });
  const crowded = await family(world);
  const beside = await family(world);
  const stays = await beside.act('arm');
  await world.settle();
  await addOldCalls(world, crowded, 50_000);
  // What nobody looks behind: as many that are young.
  await addOldCalls(world, crowded, 20_000, 0);
  const removed = await noteRemoved(world);

  const began = performance.now();
  const swept = world.sweep().then(() => 'swept' as const);
  const answers: Answer[] = [];
  let slowestMs = 0;
  while ((await Promise.race([swept, Promise.resolve('under way')])) === 'under way') {
    const called = performance.now();
    answers.push(await beside.act(answers.length % 2 === 0 ? 'trigger' : 'clear'));
    slowestMs = Math.max(slowestMs, performance.now() - called);
  }
  const sweptMs = performance.now() - began;
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  // None waits for more than a few of the fifty transactions.
  expectInTime(slowestMs, sweptMs / 5);
  expect(await removed()).toEqual(Array(50).fill(1_000));
  expect(await rowsOf(world, crowded)).toMatchObject({ calls: 20_000 });
  // Meanwhile, and not only afterwards.
  expect(await outcomes(beside, answers.slice(0, answers.length / 2))).not.toContain('accepted');
  await world.settle();
  expect(await outcomes(beside, [stays])).toEqual(['armed']);
  expect(new Set(await outcomes(beside, answers))).not.toContain('gone');
}, 240_000);

/** Notes from now on how many calls each transaction removes from the log; gives these numbers. */
async function noteRemoved(world: World): Promise<() => Promise<number[]>> {
  await world.rows('CREATE TABLE removed (transaction xid8, calls int)');
  await world.rows(
    `CREATE FUNCTION note_removed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       INSERT INTO removed SELECT pg_current_xact_id(), count(*) FROM gone; RETURN NULL;
     END $$`,
  );
  await world.rows(
    `CREATE TRIGGER note_removed AFTER DELETE ON logged_call REFERENCING OLD TABLE AS gone
     FOR EACH STATEMENT EXECUTE FUNCTION note_removed()`,
  );
  return async () => {
    const rows = await world.rows<{ calls: number }>(
      'SELECT sum(calls)::int AS calls FROM removed GROUP BY transaction HAVING sum(calls) > 0 ORDER BY transaction',
    );
    return rows.map(({ calls }) => calls);
  };
}

/** Writes calls of the alarm that were accepted so many days ago into the log. */
async function addOldCalls(world: World, { house }: Family, count: number, daysAgo = 91): Promise<void> {
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, verb, outcome)
     SELECT a.seq, n.first + g - $2, t.at, t.at, gen_random_uuid(), s.seq, 'trigger', 'folded'
     FROM source s JOIN account a ON a.id = s.account_id
     CROSS JOIN (SELECT coalesce(max(id), 0) + $2 + 1 AS first FROM logged_call) n
     CROSS JOIN (SELECT tocsin_now() - make_interval(days => $3) AS at) t
     CROSS JOIN generate_series(0, $2::int - 1) g
     WHERE s.id = $1`,
    [house, count, daysAgo],
  );
}

import { expect, test, vi } from 'vitest';
import { advanceClock } from '../support/database.ts';
import { eventually } from '../support/wait.ts';
import { holdApplying, holdLock } from '../support/waiting.ts';
import { startWorld, type World } from '../support/world.ts';

/*
 * More waits in the journal than one transaction of the engine reads, as after a stall: what was accepted first still counts
 * first.
 */

vi.setConfig({ testTimeout: 120_000 });

/** More groups than the engine, or a reader, reads at once. */
const GROUPS = 600;

/** An account with an alarm, and another one of which so many calls wait before anything of it. */
async function withBacklog(options: Parameters<Awaited<ReturnType<World['account']>>['alarm']>[0]) {
  const world = await startWorld();
  const [owner, other] = [await world.account(), await world.account()];
  const [key, othersKey] = [await owner.key(), await other.key()];
  const [alarmId, othersAlarm] = [await owner.alarm(options), await other.alarm()];
  const act = (action: string) => world.get(`/v1/alarm/${alarmId}/${action}`, key);
  const backlog = async () => {
    for (let nth = 0; nth < GROUPS; nth++) {
      expect((await world.get(`/v1/alarm/${othersAlarm}/clear`, othersKey)).status).toBe(202);
    }
  };
  return { world, owner, alarmId, act, backlog };
}

test('a disarm accepted inside the window cancels, however much waits before it and however late it is applied', async () => {
  const { world, owner, act, backlog } = await withBacklog({ modes: { away: { windowS: 30 } } });
  const fired = await act('trigger');
  await world.settle();
  const letGo = await holdApplying(world.databaseUrl);
  await backlog();
  await act('disarm');
  await world.rows("UPDATE test_clock SET at = at + interval '60 s'");
  await letGo();
  await world.settle();
  expect(await owner.call(fired)).toMatchObject({ outcome: 'cancelled' });
  expect(await owner.incidents()).toEqual([]);
});

test('a disarm whose commit is under way when the window ends, accepted before, cancels', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const [key, alarmId] = [await owner.key(), await owner.alarm({ modes: { away: { windowS: 30 } } })];
  const fired = await world.get(`/v1/alarm/${alarmId}/trigger`, key);
  await world.settle();
  await advanceClock(world.store.pool, 29);
  // What is accepted from here on has its time, and waits for its commit.
  await world.rows(`CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END'`);
  await world.rows('CREATE TRIGGER linger BEFORE INSERT ON journal FOR EACH ROW EXECUTE FUNCTION linger()');
  const letGo = await holdLock(world.databaseUrl, 1);
  const disarmed = world.get(`/v1/alarm/${alarmId}/disarm`, key);
  await eventually(async () => (await waitingForLocks(world)) === 1, { what: 'the disarm to be under way' });
  await advanceClock(world.store.pool, 31);
  const looked = async () => (await waitingForLocks(world)) === 2 || (await owner.incidents()).length > 0;
  await eventually(looked, { what: 'the engine to look for what is due' });
  await letGo();
  expect((await disarmed).status).toBe(202);
  await world.settle();
  expect(await owner.call(fired)).toMatchObject({ outcome: 'cancelled' });
  expect(await owner.incidents()).toEqual([]);
});

/** How many sessions wait for a lock that somebody else holds. */
async function waitingForLocks(world: World): Promise<number> {
  const [row] = await world.rows<{ waiting: number }>(
    "SELECT count(*)::int AS waiting FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
  );
  return row!.waiting;
}

test('what a person does comes after the calls that were accepted before it, however many wait', async () => {
  const { world, owner, alarmId, act, backlog } = await withBacklog({ test: true });
  const letGo = await holdApplying(world.databaseUrl);
  await backlog();
  const fired = await act('trigger');
  // As the console stores it.
  await world.rows('UPDATE source SET test = false WHERE id = $1', [alarmId]);
  await world.rows(
    `INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, environment, trace_id, actor, accepted_at)
     SELECT account_id, seq, nextval('journal_number') * 1024, tocsin_now(), 'go_live', 'live', gen_random_uuid(), 'Anna', tocsin_now()
     FROM source WHERE id = $1`,
    [alarmId],
  );
  await letGo();
  await world.settle();
  expect(await owner.call(fired)).toMatchObject({ outcome: 'opened' });
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'went_live' }]);
});

test('the gate knows of an incident that waiting calls lead to, however many came after them', async () => {
  const { world, owner, act, backlog } = await withBacklog({ onlyWhenArmed: true });
  const letGo = await holdApplying(world.databaseUrl);
  for (const action of ['arm', 'trigger', 'disarm']) expect((await act(action)).status).toBe(202);
  await backlog();
  const fired = await act('trigger');
  expect(fired.status).toBe(202);
  await letGo();
  await world.settle();
  expect(await owner.call(fired)).toMatchObject({ outcome: 'folded' });
});

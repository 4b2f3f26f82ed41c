import { expect, test } from 'vitest';
import { newestState } from '../../services/store/statements/apply.ts';
import { connection } from '../support/connection.ts';
import { startWorld, type World } from '../support/world.ts';

/** What the hot path looks up in every transaction, each for what a caller or the engine waits for. */
const LOOKS = {
  'how far the journal is applied': 'SELECT * FROM journal_cursor ORDER BY id DESC LIMIT 1',
  'what of the journal waits': 'SELECT * FROM waiting_group ORDER BY id LIMIT 200',
  'the armed mode to which calls lead': `SELECT armed_mode FROM gate
    WHERE source_seq = (SELECT seq FROM source WHERE kind = 'alarm') ORDER BY id DESC LIMIT 1`,
  'the state of a source': `SELECT x.* FROM source s CROSS JOIN LATERAL (${newestState('*', 's')}) x WHERE s.kind = 'alarm'`,
};

/** More pages than a look of any length needs: three levels of an index and the row. */
const FEW = 12;

/** A transaction that sees the database as it is now, until the test ends: a backup, a report, a lagging standby. */
async function holdSnapshot({ databaseUrl }: World): Promise<void> {
  const client = await connection(databaseUrl);
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  await client.query('SELECT count(*) FROM journal');
}

/** How many pages a look touches. */
async function pagesOf(world: World, sql: string): Promise<number> {
  const [row] = await world.rows<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql}`,
  );
  const { Plan } = row!['QUERY PLAN'][0];
  return Plan['Shared Hit Blocks']! + Plan['Shared Read Blocks']!;
}

test('a snapshot that is held open makes no look of the hot path longer, however many calls there were since', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  const alarm = await owner.alarm({ onlyWhenArmed: true });
  await holdSnapshot(world);

  for (let round = 0; round < 60; round++) {
    const verbs = ['arm/away', 'trigger', 'disarm', 'arm/night', 'trigger', 'disarm'];
    for (const verb of verbs) expect((await world.get(`/v1/alarm/${alarm}/${verb}`, key)).status).toBe(202);
    await world.settle();
  }
  const [dead] = await world.rows<{ rows: number }>(
    "SELECT count(*)::int AS rows FROM logged_call WHERE outcome IN ('armed', 'disarmed')",
  );
  expect(dead!.rows).toBe(240);
  await world.rows('VACUUM gate, journal, journal_cursor');
  for (const [look, sql] of Object.entries(LOOKS)) {
    expect(await pagesOf(world, sql), look).toBeLessThanOrEqual(FEW);
  }
});

import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { addAlarm } from '../support/owned.ts';
import { startWorld, type World } from '../support/world.ts';

/*
 * A young deployment has no statistics yet, as Postgres makes them a minute later: no statement of a call, of a read or of the engine may
 * hang on them. Each is explained on tables that were filled a second ago, at two sizes; what counts is how many pages it reads.
 */

const [FEW, MANY] = [100, 1_600];

/** As much more as rows grow, and a little for an index that grows a level. */
const MOST_TIMES = (MANY / FEW) * 1.5;

interface Asked {
  name: string;
  text: string;
  values: unknown[];
}

/** What a world asks of the database while `work` runs, one of each named statement: the last. */
async function asked(work: () => Promise<unknown>): Promise<Map<string, Asked>> {
  const query = vi.spyOn(pg.Client.prototype, 'query');
  try {
    await work();
    const named = query.mock.calls.flatMap(([one, values]) => {
      const { name, text, values: own } = one as unknown as Partial<Asked>;
      // A row that is there cannot be written again, and writing it looks for nothing.
      return name && text && !/INSERT INTO/i.test(text)
        ? [{ name, text, values: own ?? (values as unknown as unknown[]) ?? [] }]
        : [];
    });
    return new Map(named.map(one => [one.name, one]));
  } finally {
    query.mockRestore();
  }
}

/** How many pages a statement reads, without a plan that was made before. What it writes is rolled back. */
async function pagesOf(world: World, { text, values }: Asked): Promise<number> {
  const client = new pg.Client({ connectionString: world.databaseUrl });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query("SET LOCAL statement_timeout = '20s'");
    const { rows } = await client.query({ text: `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values });
    const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: Record<string, number> };
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  } finally {
    await client.query('ROLLBACK');
    await client.end();
  }
}

/** A deployment that has never seen a vacuum, and one account with so many alarms, each with an open incident. */
async function aYoungWorld(alarms: number) {
  const world = await startWorld({ tables: 'fresh' });
  await world.rows(`DO $$ DECLARE t text; BEGIN
    FOR t IN SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
      EXECUTE format('ALTER TABLE %I SET (autovacuum_enabled = off)', t);
    END LOOP; END $$`);
  const owner = await world.account();
  const { accountId, locationId } = owner;
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const ids = await world.store.orm.em
    .fork()
    .transactional(async em =>
      Array.from({ length: alarms }, (_, nth) =>
        addAlarm(em as never, { accountId, locationId, name: `Alarm ${nth}`, modes: { away: { policyId } } }),
      ),
    );
  const key = await owner.key();
  for (let from = 0; from < alarms; from += 50) {
    const some = ids.slice(from, from + 50);
    await Promise.all(some.map(async id => expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202)));
  }
  await world.settle();
  const statements = await asked(async () => {
    expect((await world.get('/v1/integration/state', key)).status).toBe(200);
    expect((await world.get('/v1/integration/describe', key)).status).toBe(200);
    const [first] = ids;
    for (const verb of ['trigger', 'clear', 'arm/away', 'disarm', 'trigger']) {
      expect((await world.get(`/v1/alarm/${first}/${verb}`, key)).status).toBe(202);
      await world.settle();
    }
    await owner.incidents();
    await world.services.measure();
  });
  return { world, statements };
}

test('no statement costs more than in proportion where the tables are young', async () => {
  const pages = new Map<string, number[]>();
  for (const alarms of [FEW, MANY]) {
    const { world, statements } = await aYoungWorld(alarms);
    for (const [name, statement] of statements) {
      pages.set(name, [...(pages.get(name) ?? []), await pagesOf(world, statement)]);
    }
  }
  const grown = [...pages].flatMap(([name, [few = 0, many = 0]]) =>
    many > Math.max(few, 10) * MOST_TIMES ? [`${name}: ${few} → ${many} pages`] : [],
  );
  expect([...pages.keys()]).toEqual(expect.arrayContaining(['get_state', 'describe', 'read_sources']));
  expect(grown).toEqual([]);
}, 120_000);

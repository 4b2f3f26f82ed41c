import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

test('an incident that thirty thousand calls joined is told with the first of them, and with all that people did', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const outsider = await world.account();
  const key = await owner.key();
  const alarm = await owner.alarm();
  const opened = await world.get(`/v1/alarm/${alarm}/trigger`, key);
  await world.settle();
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, incident_seq, verb, mode, environment, outcome)
     SELECT c.account_seq, c.id + n, c.at, c.applied_at, gen_random_uuid(), c.source_seq, c.incident_seq, 'trigger', 'away',
       'live', 'folded'
     FROM logged_call c CROSS JOIN generate_series(1, 30000) n`,
  );
  // Later than all of them.
  await world.rows("SELECT setval('journal_number', (SELECT max(id) / 1024 + 1 FROM logged_call))");
  const cleared = await world.get(`/v1/alarm/${alarm}/clear`, key);
  await world.settle();

  const [incident] = await owner.incidents();
  const calls = incident!.timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value] : []));
  expect(calls.length).toBe(202);
  expect([calls[0]!.traceId, calls.at(-1)!.traceId]).toEqual([opened.body.traceId, cleared.body.traceId]);
  expect((await owner.call(cleared)).outcome).toBe('closed');
  expect(await outsider.incidents()).toEqual([]);
});

import { expect, test } from 'vitest';
import { trackIncidents } from '../../../services/incident/changes.ts';
import { aHouse } from './incident-rig.ts';

/* What a watch finds at each look (incident-watch.test.ts: what it tells whom). */

test('what opened and closed between two looks is told as both, once', async () => {
  const { world, owner, act } = await aHouse();
  const changes = trackIncidents(world.store.pool, owner.accountId, '');
  await changes.begin();
  for (const action of ['trigger', 'clear', 'trigger']) await act(action);
  await world.settle();
  const incidents = await owner.incidents();
  const [first, second] = ['closed', 'open'].map(state => incidents.find(({ status }) => status === state)!.id);
  const found = await changes.look();
  expect(found.filter(({ incidentId }) => incidentId === first).map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  expect(found.filter(({ incidentId }) => incidentId === second).map(({ kind }) => kind)).toEqual(['opened']);
  expect(await changes.look()).toEqual([]);
});

/** An incident that is open when the watch begins, and what a look finds once it has changed. */
async function watched() {
  const house = await aHouse();
  const incidentId = await house.fire();
  const changes = trackIncidents(house.world.store.pool, house.owner.accountId, '');
  await changes.begin();
  return { ...house, incidentId, changes, changed: [{ kind: 'changed', incidentId }] };
}

test('a delivery, a further trigger and a person change it, and nothing else does', async () => {
  const { world, client, asOwner, act, incidentId, changes, changed } = await watched();
  await world.advance(600);
  expect(await changes.look()).toEqual(changed);
  await act('trigger');
  await world.settle();
  expect(await changes.look()).toEqual(changed);
  await act('arm');
  await world.advance(60);
  expect(await changes.look()).toEqual([]);
  await client.acknowledge({ incidentId }, asOwner);
  expect(await changes.look()).toEqual(changed);
  await client.acknowledge({ incidentId }, asOwner);
  expect(await changes.look()).toEqual([]);
});

test('that nobody answered changes it, and so does a step that was found late', async () => {
  const { world, incidentId, changes, changed } = await watched();
  await world.advance(600);
  expect(await changes.look()).toEqual(changed);
  await world.advance(300);
  expect(await world.rows('SELECT outcome FROM incident')).toEqual([{ outcome: 'exhausted' }]);
  expect(await changes.look()).toEqual(changed);
  expect(await changes.look()).toEqual([]);
  await world.rows("UPDATE delivery SET audited = 'late' WHERE incident_id = $1 AND step = 1", [incidentId]);
  expect(await changes.look()).toEqual(changed);
});

test('what was there before it began is not told', async () => {
  const { world, owner, act, fire } = await aHouse();
  await fire();
  await act('clear');
  await fire();
  const changes = trackIncidents(world.store.pool, owner.accountId, '');
  await changes.begin();
  expect(await changes.look()).toEqual([]);
});

test('an incident whose transaction commits late is told, however many came and were told meanwhile', async () => {
  const { world, owner, act, fire } = await aHouse();
  const model = await fire();
  await act('clear');
  await world.settle();
  const changes = trackIncidents(world.store.pool, owner.accountId, '');
  await changes.begin();

  const late = await world.store.pool.connect();
  const lateId = 'l'.repeat(32);
  await late.query('BEGIN');
  await late.query(
    `INSERT INTO incident SELECT (jsonb_populate_record(i, jsonb_build_object('id', $2::text,
       'seq', nextval(pg_get_serial_sequence('incident', 'seq'))))).*
     FROM incident i WHERE i.id = $1`,
    [model, lateId],
  );
  await late.query(
    "INSERT INTO incident_entry (account_id, incident_id, at, kind) VALUES ($1, $2, tocsin_now(), 'closed')",
    [owner.accountId, lateId],
  );
  for (let round = 0; round < 3; round++) {
    await act('trigger');
    await act('clear');
    await world.settle();
    expect((await changes.look()).map(({ kind }) => kind)).toEqual(['opened', 'closed']);
  }
  await late.query('COMMIT');
  late.release();
  expect(await changes.look()).toEqual([
    { kind: 'opened', incidentId: lateId },
    { kind: 'closed', incidentId: lateId },
  ]);
  for (let round = 0; round < 3; round++) expect(await changes.look()).toEqual([]);
});

import { expect, test } from 'vitest';
import { LOCKS } from '../../services/store/lock.ts';
import { holdLock } from '../support/waiting.ts';
import { startWorld } from '../support/world.ts';

const DAY = 24 * 60 * 60;

async function anAlarm(settings = {}) {
  const world = await startWorld();
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId, channels: ['email'] }] },
    { delayS: 600, contacts: [{ contactId, channels: ['email'] }] },
  ]);
  const id = await owner.alarm({ modes: { away: { policyId } }, ...settings });
  const key = await owner.key();
  return { world, owner, id, key, do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key) };
}

test('a second trigger folds: still 202, recorded, and no new alert cycle (SPEC.md 3)', async () => {
  const { world, owner, do: act } = await anAlarm();
  const first = await act('trigger');
  await world.advance(60);
  const second = await act('trigger');
  await world.settle();
  const [incident, ...more] = await owner.incidents();
  expect([first.status, second.status, more.length]).toEqual([202, 202, 0]);
  expect(incident).toMatchObject({ triggerCount: 2, traceId: first.body.traceId });
  expect(incident!.deliveries.length).toBe(2);
  expect(await owner.call(second)).toMatchObject({ outcome: 'folded', incidentId: incident!.id });
});

test('clear closes, leaves nothing to send, and the next trigger alerts again', async () => {
  const { world, owner, do: act } = await anAlarm();
  await act('trigger');
  await world.settle();
  const cleared = await act('clear');
  await world.advance(3600);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ status: 'closed', closeReason: 'clear' });
  expect(incident!.deliveries.map(delivery => delivery.status)).toEqual(['no_carrier', 'cancelled']);
  expect(await owner.call(cleared)).toMatchObject({ outcome: 'closed', incidentId: incident!.id });

  await act('trigger');
  await world.settle();
  expect((await owner.incidents()).map(one => one.status)).toEqual(['open', 'closed']);
});

test('clear without an open incident is still a success', async () => {
  const { world, owner, do: act } = await anAlarm();
  const cleared = await act('clear');
  expect(cleared.status).toBe(202);
  await world.settle();
  expect((await owner.call(cleared)).outcome).toBe('nothing_open');
});

test('disarm leaves the incident open unless clear on disarm is on', async () => {
  for (const clearOnDisarm of [false, true]) {
    const { world, owner, do: act } = await anAlarm({ clearOnDisarm });
    await act('arm');
    await act('trigger');
    const disarmed = await act('disarm');
    await world.settle();
    const [incident] = await owner.incidents();
    expect(incident).toMatchObject(
      clearOnDisarm ? { status: 'closed', closeReason: 'disarm' } : { status: 'open', closeReason: '' },
    );
    expect((await owner.call(disarmed)).incidentId).toBe(clearOnDisarm ? incident!.id : '');
  }
});

test('an incident closes by itself 24 hours after its escalation ends, not before', async () => {
  const { world, owner, key, id, do: act } = await anAlarm();
  await act('trigger');
  await world.settle();
  await world.advance(600 + DAY - 0.001);
  expect(await owner.incidents()).toMatchObject([{ status: 'open' }]);
  await world.advance(0.001);
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'auto_close' }]);
  const { body } = await world.get('/v1/integration/state', key);
  expect(body.data.alarms).toEqual([{ id, state: 'disarmed' }]);
});

test('a mode without a policy, or a policy that names nobody: 202, triggered, and the incident says nobody_to_alert', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const empty = await owner.policy([{ delayS: 0, contacts: [] }]);
  const key = await owner.key();
  for (const modes of [{}, { away: { policyId: empty } }]) {
    const id = await owner.alarm({ modes });
    expect((await world.get(`/v1/alarm/${id}/trigger`, key)).status).toBe(202);
    await world.advance(1);
    const [incident] = await owner.incidents();
    expect(incident).toMatchObject({ sourceId: id, status: 'open', outcome: 'nobody_to_alert', deliveries: [] });
    expect(incident!.timeline.map(({ entry }) => (entry.case === 'change' ? entry.value.kind : entry.case))).toEqual([
      'call',
      'opened',
      'nobody_to_alert',
    ]);
  }
});

test('a hundred triggers at once open one incident and fold ninety-nine', async () => {
  const { world, owner, do: act } = await anAlarm();
  const answers = await Promise.all(Array.from({ length: 100 }, () => act('trigger')));
  await world.settle();
  expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([202]));
  const incidents = await owner.incidents();
  expect(incidents).toMatchObject([{ triggerCount: 100 }]);
  expect(incidents[0]!.deliveries.filter(delivery => delivery.step === 0).length).toBe(1);
  const outcomes = await world.rows<{ outcome: string; n: number }>(
    'SELECT outcome, count(*)::int AS n FROM call_log GROUP BY outcome ORDER BY n',
  );
  expect(outcomes).toEqual([
    { outcome: 'opened', n: 1 },
    { outcome: 'folded', n: 99 },
  ]);
});

test('every trigger counts, however many batches the engine needs for them', async () => {
  const { world, owner, do: act } = await anAlarm();
  await act('trigger');
  await world.settle();
  const letGo = await holdLock(world.databaseUrl, LOCKS.apply);
  // One by one, so that each is a group of the journal, and more of them than one batch reads.
  for (let nth = 0; nth < 230; nth++) expect((await act('trigger')).status).toBe(202);
  const settled = world.settle();
  await letGo();
  await settled;
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 231 }]);
});

test('what an incident tells is what held when it opened: later edits of the policy do not reach into it', async () => {
  const { world, owner, do: act } = await anAlarm();
  await act('trigger');
  await world.settle();
  await world.rows("UPDATE policy SET steps = '[]', name = 'Another'");
  await world.rows("UPDATE contact SET name = 'Somebody else'");
  await world.advance(600);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ policyName: 'A policy' });
  expect(incident!.deliveries.map(one => [one.contactName, one.status])).toEqual([
    ['Anna', 'no_carrier'],
    ['Anna', 'no_carrier'],
  ]);
});

import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { holdApplying } from '../support/waiting.ts';
import { startWorld } from '../support/world.ts';

/** A live alarm whose away mode has a window of 30 s and night one of 10 s; home has none. */
async function aWindow(alarm: { clearOnDisarm?: boolean; test?: boolean } = {}) {
  const world = await startWorld();
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const modes = { away: { windowS: 30, policyId }, night: { windowS: 10, policyId }, home: { policyId } };
  const id = await owner.alarm({ ...alarm, modes });
  const key = await owner.key();
  return { world, owner, id, do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key) };
}

test('a trigger waits in its false-alarm window and opens the incident when the window ends, not before', async () => {
  const { world, owner, do: act } = await aWindow();
  const fired = await act('trigger');
  expect(fired.status).toBe(202);
  await world.settle();
  expect((await owner.call(fired)).outcome).toBe('pending');

  await world.advance(29.999);
  expect(await owner.incidents()).toEqual([]);
  await world.advance(0.001);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ status: 'open', mode: 'away', traceId: fired.body.traceId });
  expect(await owner.call(fired)).toMatchObject({ outcome: 'opened', incidentId: incident!.id });
});

test('a disarm inside the window cancels: no incident, no alert, and the call says so', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('arm');
  const fired = await act('trigger');
  await world.advance(29.999);
  const disarmed = await act('disarm');
  await world.advance(3600);
  expect(await owner.incidents()).toEqual([]);
  expect((await owner.call(fired)).outcome).toBe('cancelled');
  expect(await owner.call(disarmed)).toMatchObject({ outcome: 'disarmed', cancelledPending: true });
  expect(await world.rows('SELECT 1 FROM delivery')).toEqual([]);
});

test('a new window counts from one, whatever the cancelled one before it had counted', async () => {
  const { world, owner, id, do: act } = await aWindow();
  await act('arm');
  await act('trigger');
  const second = await act('trigger');
  await eventually(async () => (await owner.call(second)).outcome === 'folded', { what: 'the second to be counted' });
  // What comes for a source that somebody holds goes to the queue, beside the journal and what that counts.
  const holder = await world.store.pool.connect();
  onTestFinished(() => holder.release());
  await holder.query('BEGIN');
  await holder.query('SELECT FROM source_state WHERE source_id = $1 FOR UPDATE', [id]);
  await act('disarm');
  const third = await act('trigger');
  await eventually(async () => (await world.rows('SELECT FROM queued_action')).length === 2, {
    what: 'both to be queued',
  });
  await holder.query('ROLLBACK');
  await eventually(async () => (await owner.call(third)).outcome === 'pending', { what: 'the third to be applied' });
  await world.advance(30);
  expect(await owner.incidents()).toMatchObject([{ triggerCount: 1, traceId: third.body.traceId }]);
});

test('at the same instant the window end goes first: a disarm on the deadline is too late', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('arm');
  await act('trigger');
  await world.settle();
  // The clock reaches the deadline, and the disarm is accepted before the engine has looked.
  await world.rows("UPDATE test_clock SET at = at + interval '30 s'");
  await act('disarm');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ status: 'open' }]);
});

test('an engine that is late honours the accepted time: a disarm just before the deadline cancels', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('arm');
  await act('trigger');
  await world.settle();
  const letGo = await holdApplying(world.databaseUrl);
  await world.rows("UPDATE test_clock SET at = at + interval '29.9 s'");
  await act('disarm');
  await world.rows("UPDATE test_clock SET at = at + interval '10 s'");
  await letGo();
  await world.settle();
  expect(await owner.incidents()).toEqual([]);
});

test('a second trigger shortens the wait and never extends it: the earliest deadline and its mode hold', async () => {
  const { world, owner, do: act } = await aWindow();
  const first = await act('trigger/away');
  await world.advance(5);
  const second = await act('trigger/night');
  await world.advance(5);
  const third = await act('trigger/away');
  await world.advance(4.999);
  expect(await owner.incidents()).toEqual([]);
  await world.advance(0.001);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ mode: 'night', triggerCount: 3, traceId: second.body.traceId });
  const outcomes = await Promise.all([first, second, third].map(async fired => (await owner.call(fired)).outcome));
  expect(outcomes).toEqual(['folded', 'opened', 'folded']);
});

test('a mode without a window fires at once, also while another one’s trigger is pending', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('trigger/away');
  await act('trigger/home');
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ mode: 'home', triggerCount: 2 }]);
  await world.advance(60);
  expect((await owner.incidents()).length).toBe(1);
});

test('clear while pending changes nothing: the window goes on (DECISIONS.md "Clear while pending")', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('trigger');
  const cleared = await act('clear');
  await world.advance(30);
  expect((await owner.call(cleared)).outcome).toBe('nothing_open');
  expect(await owner.incidents()).toMatchObject([{ status: 'open' }]);
});

test('while pending, state shows the armed mode and not triggered', async () => {
  const { world, owner, do: act, id } = await aWindow();
  await act('arm');
  await act('trigger');
  await world.settle();
  const { body } = await world.get('/v1/integration/state', await owner.key());
  expect(body.data.alarms).toEqual([{ id, state: 'away' }]);
});

test('arming another mode leaves the pending trigger and its mode alone', async () => {
  const { world, owner, do: act } = await aWindow();
  await act('arm');
  await act('trigger');
  await act('arm/home');
  await world.advance(30);
  expect(await owner.incidents()).toMatchObject([{ mode: 'away', status: 'open' }]);
});

test('a live trigger makes a pending test trigger live: test never swallows live', async () => {
  const { world, owner, id, do: act } = await aWindow({ test: true });
  await act('trigger');
  await world.settle();
  await world.rows('UPDATE source SET test = false WHERE id = $1', [id]);
  await act('trigger');
  await world.advance(30);
  expect(await owner.incidents()).toMatchObject([{ environment: 'live', triggerCount: 2 }]);
});

import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

async function aGatedAlarm(modes = {}) {
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.alarm({ onlyWhenArmed: true, modes });
  const key = await owner.key();
  return { world, owner, id, do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key) };
}

test('disarmed, the gate holds a trigger: the generic 404, never a 202, and its owner sees why', async () => {
  const { world, owner, do: act } = await aGatedAlarm();
  for (const action of ['trigger', 'trigger/night']) {
    const { status, body } = await act(action);
    expect([status, body.error, body.data, body.links]).toEqual([404, true, {}, {}]);
    await world.settle();
    expect((await owner.call({ body } as never)).outcome).toBe('held_by_gate');
  }
  expect(await owner.incidents()).toEqual([]);
});

test('the gate asks the state that the accepted calls lead to, applied or not', async () => {
  const { do: act } = await aGatedAlarm();
  for (let round = 0; round < 10; round++) {
    await act('arm');
    expect((await act('trigger')).status).toBe(202);
    await act('clear');
    await act('disarm');
    expect((await act('trigger')).status).toBe(404);
  }
});

test('a trigger of a disarmed alarm folds into its open incident: 202', async () => {
  const { world, owner, do: act } = await aGatedAlarm();
  await act('arm');
  await act('trigger');
  await act('disarm');
  expect((await act('trigger')).status).toBe(202);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ status: 'open', triggerCount: 2 }]);
});

test('a disarm cancels the pending trigger, and from then on the gate holds', async () => {
  const { world, owner, do: act } = await aGatedAlarm({ away: { windowS: 30 } });
  await act('arm');
  await act('trigger');
  expect((await act('trigger')).status).toBe(202);
  await act('disarm');
  expect((await act('trigger')).status).toBe(404);
  await world.advance(60);
  expect(await owner.incidents()).toEqual([]);
});

test('with the gate off a disarmed alarm fires away’s policy (SPEC.md 4)', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const id = await owner.alarm();
  expect((await world.get(`/v1/alarm/${id}/trigger`, await owner.key())).status).toBe(202);
  await world.settle();
  expect(await owner.incidents()).toMatchObject([{ mode: 'away', status: 'open' }]);
});

test('arms, disarms and triggers at once: every trigger that was accepted ends opened, folded or held_by_gate', async () => {
  const { world, do: act } = await aGatedAlarm();
  await act('arm');
  await world.settle();
  const actions = Array.from({ length: 120 }, (_, i) => ['arm', 'trigger', 'disarm', 'trigger', 'clear'][i % 5]!);
  const answers = await Promise.all(actions.map(async action => ({ action, status: (await act(action)).status })));
  await world.settle();
  expect(answers.filter(one => one.action !== 'trigger').every(one => one.status === 202)).toBe(true);
  const accepted = 1 + answers.filter(one => one.status === 202).length;
  const [applied] = await world.rows<{ n: number; words: string[] | null }>(
    `SELECT count(*)::int AS n, array_agg(DISTINCT outcome) FILTER (WHERE verb = 'trigger') AS words
     FROM call_log WHERE applied_at IS NOT NULL`,
  );
  expect(applied!.n).toBe(accepted);
  const triggered = answers.some(one => one.action === 'trigger' && one.status === 202);
  expect(applied!.words !== null).toBe(triggered);
  for (const word of applied!.words ?? []) expect(['opened', 'folded', 'held_by_gate']).toContain(word);
});

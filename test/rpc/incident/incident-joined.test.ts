import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { enqueueOwnActions } from '../../../services/store/statements/queue.ts';
import { startWorld } from '../../support/world.ts';

test('a rehearsal that joins an earlier one while a live trigger waits in its window shows in the incident that it joined', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const [alarmId, key] = [await owner.alarm({ modes: { away: { windowS: 30 } } }), await owner.key()];
  const rehearse = async () => {
    const own = {
      accountId: owner.accountId,
      sourceId: alarmId,
      verb: 'trigger',
      mode: 'home',
      environment: 'test',
    } as const;
    await enqueueOwnActions(world.store.pool, [{ ...own, traceId: randomUUID(), incidentId: null, actor: 'Anna' }]);
    await world.settle();
  };
  await rehearse();
  await world.get(`/v1/alarm/${alarmId}/trigger/away`, key);
  await world.advance(1);
  await rehearse();
  await world.advance(30);
  const [live, rehearsal] = await owner.incidents();
  expect(live).toMatchObject({ environment: 'live', status: 'open' });
  expect(rehearsal).toMatchObject({ environment: 'test', closeReason: 'superseded', triggerCount: 2 });
  const calls = rehearsal!.timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value.outcome] : []));
  expect(calls).toEqual(['opened', 'folded']);
});

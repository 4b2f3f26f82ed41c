import { expect, test } from 'vitest';
import { type Told, told } from '../../../facade/console/page/parts/told.ts';
import { aHouse } from '../../rpc/incident/incident-rig.ts';

/** A row in words: what it is, and whom it concerns. */
function inWords(row: Told): string {
  if (row.is === 'noise') return `${row.calls.length} folded`;
  if (row.is === 'call') return `${row.call.verb} ${row.call.outcome}`;
  if (row.is === 'messages') {
    return `${row.deliveries.map(({ channel }) => channel).join('+')} to ${row.deliveries[0].contactName}`;
  }
  const off = row.calledOff.length === 0 ? '' : `, nothing more to ${row.calledOff.join(', ')}`;
  return `${row.change.kind} ${row.change.detail}`.trim() + off;
}

test('a timeline is told by people, each thing once: no call beside its change, no step beside its people, no time that never came', async () => {
  const { world, client, asOwner, owner, act } = await aHouse();
  await act('trigger/night');
  await world.advance(30);
  for (let at = 0; at < 17; at++) {
    await world.advance(1);
    await act('trigger/night');
  }
  const incidentId = (await owner.incidents())[0]!.id;
  const read = async () => told((await client.getIncident({ incidentId }, asOwner)).timeline);
  const before = await read();
  expect(before.planned.map(inWords)).toEqual(['email to Anna']);
  await client.acknowledge({ incidentId, by: 'Ben' }, asOwner);
  await client.close({ incidentId }, asOwner);
  const { happened, planned } = await read();
  expect(planned).toEqual([]);
  expect(happened.map(inWords)).toEqual([
    'window began',
    'opened live',
    'email to Anna',
    'nobody_reached all_failed',
    '17 folded',
    'acknowledged Ben, nothing more to Anna',
    'closed console',
  ]);
});

test('what joins at the very moment at which an incident opens is told after that', async () => {
  const { client, asOwner, world, owner, act } = await aHouse();
  for (let at = 0; at < 3; at++) await act('trigger/away');
  await world.settle();
  const { timeline } = await client.getIncident({ incidentId: (await owner.incidents())[0]!.id }, asOwner);
  expect(told(timeline).happened.map(inWords).slice(0, 2)).toEqual(['opened live', '2 folded']);
});

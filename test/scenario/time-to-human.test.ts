import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { expect, test } from 'vitest';
import type { TimeToHuman } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import { consoleOf } from '../support/console.ts';
import type { Owner } from '../support/owner.ts';
import { startPeer } from '../support/peer.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/** Each moment in seconds after the call was accepted; null: it has not come. */
function inSeconds(moments: TimeToHuman): Record<string, number | null> {
  const accepted = timestampDate(moments.acceptedAt!).getTime();
  const after = (moment: Timestamp | undefined) =>
    moment === undefined ? null : (timestampDate(moment).getTime() - accepted) / 1000;
  return {
    applied: after(moments.appliedAt),
    firstAttempt: after(moments.firstAttemptAt),
    firstSent: after(moments.firstSentAt),
    firstDelivered: after(moments.firstDeliveredAt),
    acknowledged: after(moments.acknowledgedAt),
  };
}

async function asOwner(world: World, { accountId }: Owner) {
  const { incidents } = consoleOf(world, world.operator, accountId);
  const newest = async () => (await incidents.listIncidents({})).incidents[0]!.id;
  return {
    incidents,
    newest,
    moments: async () => inSeconds((await incidents.getIncident({ incidentId: await newest() })).timeToHuman!),
  };
}

test('from a call to a person: applied, first attempt, first accepted by a carrier, acknowledged, each as soon as it came', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 30, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const { incidents, newest, moments } = await asOwner(world, owner);
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  const nothing = { applied: 0, firstAttempt: null, firstSent: null, firstDelivered: null, acknowledged: null };
  expect(await moments()).toEqual(nothing);

  smtp.failNext(451);
  await world.advance(30);
  expect(await moments()).toEqual({ ...nothing, firstAttempt: 30 });
  await world.advance(5);
  expect(await moments()).toEqual({ ...nothing, firstAttempt: 30, firstSent: 35 });
  await world.advance(25);
  await incidents.acknowledge({ incidentId: await newest(), by: 'Anna' });
  await world.settle();
  expect(await moments()).toEqual({ ...nothing, firstAttempt: 30, firstSent: 35, acknowledged: 60 });

  const { timeline } = await incidents.getIncident({ incidentId: await newest() });
  const alert = timeline.flatMap(({ entry }) =>
    entry.case === 'delivery' && entry.value.kind === 'alert' ? [entry.value] : [],
  );
  const at = (seconds: number) => new Date(timestampDate(timeline[0]!.at!).getTime() + seconds * 1000);
  expect(alert).toHaveLength(1);
  expect(timestampDate(alert[0]!.plannedAt!)).toEqual(at(30));
  expect(timestampDate(alert[0]!.firstAttemptAt!)).toEqual(at(30));
  expect(timestampDate(alert[0]!.sentAt!)).toEqual(at(35));
  expect(alert[0]).toMatchObject({ status: 'sent', attempts: 2 });
  expect(alert[0]!.deliveredAt).toBeUndefined();
  expect(alert[0]!.providerRef).toMatch(/queued as/);
  await smtp.stop();
});

test('the first message that arrived counts, over whichever channel; what arrives later changes nothing', async () => {
  const receiver = await startPeer((_heard, response) => response.writeHead(204).end());
  const world = await startWorld();
  const owner = await world.account();
  const contactId = await owner.contact('Desk', { webhook: `${receiver.url}/alarms` });
  const contacts = [{ contactId, channels: ['webhook' as const] }];
  const policyId = await owner.policy([10, 10].map(delayS => ({ delayS, contacts })));
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  for (let step = 0; step < 2; step++) await world.advance(10);
  const { moments } = await asOwner(world, owner);
  expect(await moments()).toMatchObject({ firstAttempt: 10, firstSent: 10, firstDelivered: 10 });
  const [first] = (await owner.incidents())[0]!.deliveries;
  expect(first).toMatchObject({ status: 'delivered', deliveredAt: first!.plannedAt });
  await receiver.stop();
});

test('a pending trigger is accepted when its window ends, and what no carrier got is no attempt', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId, windowS: 30 } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  await world.advance(40);
  const { moments } = await asOwner(world, owner);
  expect(await moments()).toMatchObject({ applied: 10, firstAttempt: null, firstSent: null });
  const [kept] = (await owner.incidents())[0]!.deliveries;
  expect([kept!.status, kept!.firstAttemptAt]).toEqual(['no_carrier', undefined]);
});

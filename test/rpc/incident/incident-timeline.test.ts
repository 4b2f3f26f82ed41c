import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { startSmtp } from '../../support/smtp.ts';
import { aHouse } from './incident-rig.ts';

/** A line in words: what it is, and what of it a reader looks for. */
function inWords({ entry }: TimelineEntry): string {
  if (entry.case === 'call') return `call ${entry.value.verb} ${entry.value.outcome}`;
  if (entry.case === 'change' && entry.value.kind === 'step') return `step ${entry.value.round}/${entry.value.step}`;
  if (entry.case === 'change') return `${entry.value.kind} ${entry.value.detail}`.trim();
  return `${entry.value?.channel} ${entry.value?.status}: ${entry.value?.explanation}`;
}

test('call, window, opened, step, delivery, acknowledged, closed: in order, with why each message alerted nobody', async () => {
  const { world, client, asOwner, owner, act } = await aHouse();
  await act('trigger/night');
  await world.advance(10);
  await act('trigger/night');
  await world.advance(20);
  const incidentId = (await owner.incidents())[0]!.id;
  await world.advance(60);
  await client.acknowledge({ incidentId, by: 'Ben' }, asOwner);
  await world.advance(60);
  await client.close({ incidentId }, asOwner);
  const { timeline } = await client.getIncident({ incidentId }, asOwner);
  const start = Number(timeline[0]!.at!.seconds);
  expect(timeline.map(line => [Number(line.at!.seconds) - start, inWords(line)])).toEqual([
    [0, 'call trigger opened'],
    [0, 'window began'],
    [10, 'call trigger folded'],
    [30, 'window ended'],
    [30, 'opened live'],
    [30, 'step 0/0'],
    [30, 'email no_carrier: Not sent: no carrier is configured for email: set SMTP_URL to send it.'],
    [30, 'nobody_reached all_failed'],
    [90, 'call acknowledge acknowledged'],
    [90, 'acknowledged Ben'],
    [150, 'call close closed'],
    [150, 'closed console'],
    [630, 'email cancelled: Not sent: the incident was acknowledged.'],
  ]);
});

test('in test every message says that nobody is alerted, and why it would not have gone live', async () => {
  const { world, client, asOwner, owner } = await aHouse();
  const contactId = await owner.contact('Ben', { email: 'ben@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text', 'email'] }] }]);
  const id = await owner.alarm({ test: true, modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  const [incident] = (await client.listIncidents({ sourceId: id }, asOwner)).incidents;
  const { timeline } = await client.getIncident({ incidentId: incident!.id }, asOwner);
  expect(timeline.map(inWords)).toEqual([
    'call trigger opened',
    'opened test',
    'step 0/0',
    'text suppressed: Not sent in test; live it would not have gone: the contact has no address for this channel.',
    'email suppressed: Not sent in test; live it would not have gone: no carrier is set up for email.',
  ]);
});

test('a step comes up once in each round, at its time, whatever becomes of its messages', async () => {
  const { world, client, asOwner, owner } = await aHouse();
  const contactId = await owner.contact('Ben', { email: 'ben@example.com' });
  const policyId = await owner.policy([{ delayS: 60, contacts: [{ contactId, channels: ['text', 'email'] }] }], {
    times: 1,
    delayS: 300,
  });
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.advance(60);
  const [incident] = (await client.listIncidents({ sourceId: id }, asOwner)).incidents;
  const { timeline } = await client.getIncident({ incidentId: incident!.id }, asOwner);
  const start = Number(timeline[0]!.at!.seconds);
  const steps = timeline.filter(({ entry }) => entry.case === 'change' && entry.value.kind === 'step');
  expect(steps.map(line => [Number(line.at!.seconds) - start, inWords(line)])).toEqual([
    [60, 'step 0/0'],
    [420, 'step 1/0'],
  ]);
  const failed = timeline.map(inWords).find(line => line.startsWith('text failed'));
  expect(failed).toBe('text failed: Failed: the contact has no address for this channel.');
});

test('that it goes on and that somebody has it are told after what they follow from, and belong to no step', async () => {
  const smtp = await startSmtp();
  const { world, client, asOwner, owner, act, fire } = await aHouse({}, { smtpUrl: smtp.url });
  await world.rows('UPDATE account SET still_happening_s = 60 WHERE id = $1', [owner.accountId]);
  const incidentId = await fire();
  await world.advance(60);
  await act('trigger');
  await world.settle();
  await world.advance(60);
  await client.acknowledge({ incidentId, by: 'Ben' }, asOwner);
  await world.settle();
  const { incident, timeline } = await client.getIncident({ incidentId }, asOwner);
  const start = Number(timeline[0]!.at!.seconds);
  const sent = 'email sent: The carrier accepted it; whether it arrived is not known.';
  expect(timeline.map(line => [Number(line.at!.seconds) - start, inWords(line)])).toEqual([
    [0, 'call trigger opened'],
    [0, 'opened live'],
    [0, 'step 0/0'],
    [0, sent],
    [60, 'call trigger folded'],
    [60, 'still_happening'],
    [60, sent],
    [120, 'call acknowledge acknowledged'],
    [120, 'acknowledged Ben'],
    [120, sent],
    [600, 'email cancelled: Not sent: the incident was acknowledged.'],
  ]);
  const kinds = timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value.kind] : []));
  expect(kinds).toEqual(['alert', 'still_happening', 'acknowledged', 'alert']);
  expect(incident).toMatchObject({ acknowledgedBy: 'Ben', acknowledgedVia: 'console' });
  await smtp.stop();
});

test('news of an acknowledgement that is cancelled when the incident closes says what closed it, not who acknowledged it', async () => {
  const smtp = await startSmtp();
  const { world, client, asOwner, act, fire } = await aHouse({}, { smtpUrl: smtp.url });
  const incidentId = await fire();
  smtp.failNext(451);
  await client.acknowledge({ incidentId }, asOwner);
  await world.settle();
  await act('clear');
  await world.settle();
  const { timeline } = await client.getIncident({ incidentId }, asOwner);
  const news = timeline.flatMap(({ entry }) =>
    entry.case === 'delivery' && entry.value.kind === 'acknowledged' ? [entry.value] : [],
  );
  expect(news).toMatchObject([
    { status: 'cancelled', reason: 'clear', explanation: 'Not sent: the incident was cleared.' },
  ]);
  await smtp.stop();
});

test('each message says whom it is for, so that two of one name are not taken for one', async () => {
  const { world, client, asOwner, owner } = await aHouse();
  const ids = [
    await owner.contact('Ben', { email: 'ben@example.com' }),
    await owner.contact('Ben', { email: 'b@example.com' }),
  ];
  const policyId = await owner.policy([
    { delayS: 0, contacts: ids.map(contactId => ({ contactId, channels: ['email'] })) },
  ]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  const [incident] = (await client.listIncidents({ sourceId: id }, asOwner)).incidents;
  const { timeline } = await client.getIncident({ incidentId: incident!.id }, asOwner);
  const told = timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value.contactId] : []));
  expect(told).toEqual(ids);
});

import { expect, onTestFinished, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { startPeer } from '../support/peer.ts';
import { startSmtp } from '../support/smtp.ts';
import { holdApplying } from '../support/waiting.ts';
import { startWorld } from '../support/world.ts';

/*
 * What is fixed when a call is accepted, and what is decided only when it applies (DECISIONS.md "What is fixed at accept time",
 * "Disabled or deactivated source"), beside a neighbour who must not notice.
 */

/** A live alarm that tells Anna at once, in away after a window of 30 s; its console; and a neighbour's alarm like it. */
async function aHouse() {
  const [smtp, hook] = [await startSmtp(), await startPeer((_heard, response) => response.writeHead(204).end())];
  onTestFinished(async () => void (await Promise.all([smtp.stop(), hook.stop()])));
  const world = await startWorld({ smtpUrl: smtp.url, carriers: { outboundNetworks: ['127.0.0.0/8'] } });
  const house = async (name: string) => {
    const owner = await world.account();
    const addresses = { email: `${name}@example.com`, webhook: `${hook.url}/${name}` };
    const contactId = await owner.contact(name, addresses);
    const tell = [{ contactId, channels: ['email' as const, 'webhook' as const] }];
    const policyId = await owner.policy([
      { delayS: 0, contacts: tell },
      { delayS: 300, contacts: tell },
    ]);
    const alarmId = await owner.alarm({ modes: { away: { policyId, windowS: 30 }, night: { policyId } } });
    const key = await owner.keyWithId();
    return {
      owner,
      contactId,
      policyId,
      alarmId,
      keyId: key.id,
      console: consoleOf(world, world.operator, owner.accountId),
      act: (action: string) => world.get(`/v1/alarm/${alarmId}/${action}`, key.secret),
    };
  };
  const [mine, neighbours] = [await house('anna'), await house('ben')];
  /** Changes the alarm as its owner does. */
  const change = async (fields: { test?: boolean; disabled?: boolean; modes?: object[] }, force = false) => {
    const { version } = (await mine.console.alarms.getAlarm({ alarmId: mine.alarmId })).alarm!;
    const alarm = { id: mine.alarmId, version, ...fields };
    await mine.console.alarms.updateAlarm({ alarm, updateMask: { paths: Object.keys(fields) }, force });
  };
  const mailed = (name: string) => smtp.mails.filter(({ envelope }) => envelope.to.includes(`${name}@example.com`));
  const hooked = (name: string) => hook.heard.filter(({ path }) => path === `/${name}`);
  /** How many messages went out to somebody. */
  const told = (name: string) => mailed(name).length + hooked(name).length;
  return { world, ...mine, neighbours, change, told, mailed };
}

test('a call keeps its key, environment, mode and window, whatever its owner changes before it applies', async () => {
  const { world, owner, console, keyId, policyId, change, act, told, neighbours } = await aHouse();
  const letGo = await holdApplying(world.databaseUrl);
  const [fired, theirs] = [await act('trigger'), await neighbours.act('trigger')];
  expect([fired.status, fired.body.data.environment]).toEqual([202, 'live']);
  await change({
    test: true,
    modes: [
      { id: 'away', policyId, windowS: 120 },
      { id: 'night', policyId },
    ],
  });
  await act('arm/night');
  await console.apiKeys.revokeApiKey({ apiKeyId: keyId });
  await letGo();
  await world.settle();
  await world.advance(29.999);
  expect(await owner.incidents()).toEqual([]);
  await world.advance(0.001);
  expect(await owner.incidents()).toMatchObject([{ environment: 'live', mode: 'away', traceId: fired.body.traceId }]);
  expect(await owner.call(fired)).toMatchObject({ outcome: 'opened', environment: 'live', mode: 'away', keyId });
  expect(told('anna')).toBe(2);
  expect(await neighbours.owner.call(theirs)).toMatchObject({ outcome: 'opened' });
});

test('the policy is read when the incident opens: one that was bound meanwhile runs, and without the mode nobody is told', async () => {
  const { world, owner, console, contactId, change, act, told, neighbours } = await aHouse();
  await act('trigger');
  await neighbours.act('trigger');
  await world.advance(10);
  const contacts = [{ contactId, channels: ['email'] }];
  const { policy } = await console.policies.createPolicy({ policy: { name: 'Another', steps: [{ contacts }] } });
  await change({ modes: [{ id: 'away', policyId: policy!.id, windowS: 30 }] }, true);
  await world.advance(20);
  expect(await owner.incidents()).toMatchObject([{ policyName: 'Another', deliveries: [{ channel: 'email' }] }]);
  expect(told('anna')).toBe(1);

  await act('clear');
  const fired = await act('trigger');
  expect(fired.status).toBe(202);
  await world.settle();
  await change({ modes: [{ id: 'home' }] }, true);
  await world.advance(30);
  const [newest] = await owner.incidents();
  expect(newest).toMatchObject({ mode: 'away', status: 'open', outcome: 'nobody_to_alert', deliveries: [] });
  expect(await owner.call(fired)).toMatchObject({ outcome: 'opened' });
  expect(told('anna')).toBe(1);
  expect(await neighbours.owner.incidents()).toMatchObject([{ policyName: 'A policy', outcome: 'alerting' }]);
});

test('a trigger that was accepted before its source was disabled opens its incident, which the disabling closes', async () => {
  const { world, owner, change, act, told, neighbours } = await aHouse();
  const letGo = await holdApplying(world.databaseUrl);
  const [fired, waits] = [await act('trigger/night'), await act('trigger/night')];
  await neighbours.act('trigger/night');
  await change({ disabled: true });
  expect((await act('trigger/night')).status).toBe(404);
  await letGo();
  await world.advance(1);
  expect(await owner.incidents()).toMatchObject([
    { status: 'closed', closeReason: 'source_disabled', triggerCount: 2, traceId: fired.body.traceId },
  ]);
  expect([(await owner.call(fired)).outcome, (await owner.call(waits)).outcome]).toEqual(['opened', 'folded']);
  expect(told('anna')).toBe(0);
  expect(await neighbours.owner.incidents()).toMatchObject([{ status: 'open' }]);
  await change({ disabled: false });
  expect((await act('trigger/night')).status).toBe(202);
  await world.settle();
  expect(told('anna')).toBe(2);
});

test('what is pending when its source is disabled is cancelled', async () => {
  const { world, owner, change, act, told, neighbours } = await aHouse();
  const fired = await act('trigger');
  await neighbours.act('trigger');
  await world.settle();
  await change({ disabled: true });
  await world.advance(60);
  expect(await owner.call(fired)).toMatchObject({ outcome: 'cancelled' });
  expect([await owner.incidents(), told('anna')]).toEqual([[], 0]);
  expect(told('ben')).toBe(2);
});

test('nothing is sent at the moment of the answer, and by no action but a trigger that fires', async () => {
  const { world, owner, act, told } = await aHouse();
  for (const action of ['arm/home', 'arm', 'clear', 'disarm', 'disarm']) {
    expect((await act(action)).status).toBe(202);
    await world.settle();
  }
  expect(told('anna')).toBe(0);
  const letGo = await holdApplying(world.databaseUrl);
  expect((await act('trigger/night')).status).toBe(202);
  expect([await owner.incidents(), told('anna')]).toEqual([[], 0]);
  await letGo();
  await world.settle();
  expect(told('anna')).toBe(2);
  for (const action of ['trigger/night', 'arm', 'disarm', 'clear', 'clear']) {
    expect((await act(action)).status).toBe(202);
    await world.settle();
  }
  await world.advance(3_600);
  expect(told('anna')).toBe(2);
  expect(told('ben')).toBe(0);
});

test('an incident keeps its people and their addresses as they were, and tells all of its record', async () => {
  const { world, owner, console, alarmId, contactId, policyId, change, act, mailed } = await aHouse();
  const fired = await act('trigger');
  await world.advance(30);
  const { contact } = await console.contacts.getContact({ contactId });
  await console.contacts.updateContact({
    contact: { id: contactId, version: contact!.version, channels: [{ channel: 'email', address: 'new@example.com' }] },
    updateMask: { paths: ['channels'] },
  });
  await change({ modes: [{ id: 'away' }] }, true);
  await console.policies.deletePolicy({ policyId });
  const second = await act('trigger');
  await world.advance(300);
  expect([mailed('anna').length, mailed('new').length]).toEqual([2, 0]);
  await console.incidents.acknowledge({ incidentId: (await owner.incidents())[0]!.id, by: 'Cleo' });
  await act('clear');
  await world.settle();
  const [incident] = await owner.incidents();
  const since = (moment: { seconds: bigint } | undefined) => Number(moment!.seconds - incident!.openedAt!.seconds);
  expect(incident).toMatchObject({
    id: expect.stringMatching(/^[a-z0-9]{32}$/),
    sourceId: alarmId,
    locationId: owner.locationId,
    mode: 'away',
    environment: 'live',
    status: 'closed',
    closeReason: 'clear',
    acknowledgedBy: 'Cleo',
    triggerCount: 2,
    traceId: fired.body.traceId,
    policyName: 'A policy',
  });
  expect(since(incident!.lastTriggerAt)).toBe(0);
  expect([incident!.escalationEndsAt, incident!.acknowledgedAt, incident!.closedAt].map(since)).toEqual([
    300, 300, 300,
  ]);
  expect((await owner.call(second)).incidentId).toBe(incident!.id);
});

test('an incident that is acknowledged before its escalation ends closes by itself 24 hours after the acknowledgement', async () => {
  const { world, owner, console, act, told } = await aHouse();
  await act('trigger/night');
  await world.advance(100);
  const [open] = await owner.incidents();
  await console.incidents.acknowledge({ incidentId: open!.id, by: 'Cleo' });
  await world.settle();
  const [acknowledged] = await owner.incidents();
  expect(Number(acknowledged!.escalationEndsAt!.seconds - acknowledged!.openedAt!.seconds)).toBe(100);
  const before = told('anna');
  await world.advance(86_399.999);
  expect(await owner.incidents()).toMatchObject([{ status: 'open' }]);
  await world.advance(0.001);
  expect(await owner.incidents()).toMatchObject([{ status: 'closed', closeReason: 'auto_close' }]);
  expect(told('anna')).toBe(before);
});

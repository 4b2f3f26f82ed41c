import { expect, test } from 'vitest';
import { newOwner, refusal } from '../support/console.ts';
import { startSmtp } from '../support/smtp.ts';
import { verifiedByMail } from '../support/verified.ts';
import { startWorld } from '../support/world.ts';

/** An account configured through the console alone: a live alarm and a panic button that write to Anna. */
async function aHouse() {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const { console: own } = await newOwner(world);
  await own.locations.createLocation({ location: { name: 'Home' } });
  await own.contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'email', address: 'anna@example.com' }] },
  });
  await verifiedByMail(own, smtp, { contactId: 'anna', address: 'anna@example.com' });
  /** To whom mails went after the one that carried the code. */
  const alerted = () => smtp.mails.slice(1).map(({ to }) => to?.[0]?.address);
  await own.policies.createPolicy({
    policy: { name: 'Family', steps: [{ contacts: [{ contactId: 'anna', channels: ['email'] }] }] },
  });
  const modes = [
    { id: 'away', policyId: 'family' },
    { id: 'night', policyId: 'family', windowS: 60 },
  ];
  const alarm = (await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home', modes } })).alarm!;
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const set = async (change: { test?: boolean; disabled?: boolean }) => {
    const { version } = (await own.alarms.getAlarm({ alarmId: alarm.id })).alarm!;
    const paths = Object.keys(change);
    return own.alarms.updateAlarm({ alarm: { id: alarm.id, version, ...change }, updateMask: { paths } });
  };
  const act = (what: string) => world.get(`/v1/alarm/${alarm.id}/${what}`, secret);
  const incidents = async () => {
    await world.settle();
    return (await own.incidents.listIncidents({})).incidents;
  };
  return { alerted, world, own, alarm, set, act, incidents, secret, stop: () => smtp.stop() };
}

test('an alarm set live alerts people; what was open in test closes as went_live', async () => {
  const { alerted, world, set, act, incidents, stop } = await aHouse();
  expect((await act('trigger')).body.data.environment).toBe('test');
  expect(await incidents()).toMatchObject([{ status: 'open', environment: 'test' }]);
  await set({ test: false });
  expect(await incidents()).toMatchObject([{ status: 'closed', closeReason: 'went_live' }]);
  await world.advance(1);
  expect((await act('trigger')).body.data.environment).toBe('live');
  expect(await incidents()).toMatchObject([{ status: 'open', environment: 'live' }, { status: 'closed' }]);
  expect(alerted()).toEqual(['anna@example.com']);
  await stop();
});

test('a trigger that waits in its window in test is cancelled when its location goes live', async () => {
  const { own, set, act, incidents, world, stop } = await aHouse();
  const { location } = await own.locations.updateLocation({
    location: { id: 'home', version: 1, name: 'Home', test: true },
  });
  await set({ test: false });
  const waiting = await act('trigger/night');
  await world.settle();
  await own.locations.updateLocation({ location: { ...location!, test: false } });
  await world.advance(60);
  expect(await incidents()).toEqual([]);
  expect((await own.incidents.findCall({ traceId: waiting.body.traceId })).call).toMatchObject({
    outcome: 'cancelled',
  });
  await stop();
});

test('a live incident is untouched by the test switch (DECISIONS.md "Test switch flipped while a live one is pending or open")', async () => {
  const { set, act, incidents, stop } = await aHouse();
  await set({ test: false });
  await act('trigger');
  await incidents();
  await set({ test: true });
  await set({ test: false });
  expect(await incidents()).toMatchObject([{ status: 'open', environment: 'live' }]);
  await stop();
});

test('disabling closes what is open, answers 404 from then on and hides the alarm; enabling brings it back', async () => {
  const { world, set, act, incidents, secret, stop } = await aHouse();
  await set({ test: false });
  await act('trigger');
  await world.settle();
  await set({ disabled: true });
  expect(await incidents()).toMatchObject([{ status: 'closed', closeReason: 'source_disabled' }]);
  expect((await act('trigger')).status).toBe(404);
  expect((await world.get('/v1/integration/state', secret)).body.data.alarms).toEqual([]);
  await set({ disabled: false });
  expect((await act('trigger')).status).toBe(202);
  await stop();
});

test('a deleted alarm closes its incident, answers like one that never was, and its history stays', async () => {
  const { world, own, alarm, act, incidents, secret, stop } = await aHouse();
  await act('trigger');
  await world.settle();
  await own.alarms.deleteAlarm({ alarmId: alarm.id });
  expect(await incidents()).toMatchObject([{ status: 'closed', closeReason: 'source_disabled', sourceName: 'House' }]);
  const gone = await act('trigger');
  const never = await world.get(`/v1/alarm/${'q'.repeat(32)}/trigger`, secret);
  expect({ ...gone.body, traceId: '' }).toEqual({ ...never.body, traceId: '' });
  expect((await world.get('/v1/integration/describe', secret)).body.data.locations).toEqual([]);
  await stop();
});

test('the mode that an alarm is armed in is deleted only by force; the alarm then falls back to away', async () => {
  const { world, own, alarm, act, stop } = await aHouse();
  await act('arm/night');
  const without = {
    alarm: { id: alarm.id, version: alarm.version, modes: [{ id: 'away' }] },
    updateMask: { paths: ['modes'] },
  };
  expect(await refusal(own.alarms.updateAlarm(without))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('armed in "night"'),
  });
  await world.settle();
  expect(await refusal(own.alarms.updateAlarm(without))).toMatchObject({ code: 'FailedPrecondition' });
  const { alarm: forced } = await own.alarms.updateAlarm({ ...without, force: true });
  expect(forced!.modes.map(one => one.id)).toEqual(['away']);
  await act('trigger');
  await world.settle();
  expect((await own.incidents.listIncidents({})).incidents).toMatchObject([{ mode: 'away' }]);
  await stop();
});

test('renaming changes no identifier, and integrations see it in describe', async () => {
  const { world, own, alarm, secret, stop } = await aHouse();
  const before = (await world.get('/v1/integration/describe', secret)).body.data.locations as { id: string }[];
  await own.locations.updateLocation({ location: { id: 'home', version: 1, name: 'Cottage' } });
  await own.alarms.updateAlarm({ alarm: { id: alarm.id, version: 1, name: 'Barn' }, updateMask: { paths: ['name'] } });
  expect((await world.get('/v1/integration/describe', secret)).body.data.locations).toMatchObject([
    { id: before[0]!.id, name: 'Cottage', alarms: [{ id: alarm.id, name: 'Barn' }] },
  ]);
  await stop();
});

test('a change of contact or policy does not reach into an escalation that runs', async () => {
  const { alerted, world, own, set, act, stop } = await aHouse();
  await own.contacts.createContact({
    contact: { name: 'Bo', channels: [{ channel: 'email', address: 'bo@example.com' }] },
  });
  const steps = [
    { contacts: [{ contactId: 'anna', channels: ['email'] }] },
    { delayS: 300, contacts: [{ contactId: 'anna', channels: ['email'] }] },
  ];
  await own.policies.updatePolicy({ policy: { id: 'family', version: 1, steps }, updateMask: { paths: ['steps'] } });
  await set({ test: false });
  await act('trigger');
  await world.settle();
  const others = [{ contacts: [{ contactId: 'bo', channels: ['email'] }] }];
  await own.policies.updatePolicy({
    policy: { id: 'family', version: 2, steps: others },
    updateMask: { paths: ['steps'] },
  });
  await world.advance(300);
  expect(alerted()).toEqual(['anna@example.com', 'anna@example.com']);
  await stop();
});

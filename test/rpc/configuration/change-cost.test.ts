import pg from 'pg';
import { expect, test, vi } from 'vitest';
import { newOwner } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

/** What a change reads and writes: what is asked, what differs, and no more. */
async function anAccount() {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const channels = [{ channel: 'email', address: 'anna@example.com' }];
  const { contact } = await own.contacts.createContact({ contact: { name: 'Anna', channels } });
  const steps = [{ contacts: [{ contactId: contact!.id, channels: ['email'] }] }];
  const { policy } = await own.policies.createPolicy({ policy: { name: 'First', steps } });
  const modes = [{ id: 'away', policyId: policy!.id, windowS: 30 }, { id: 'night' }];
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: location!.id, modes } });
  const button = { name: 'Bedside', locationId: location!.id, responseKind: 'fire', policyId: policy!.id };
  const { panicButton } = await own.panicButtons.createPanicButton({ panicButton: button });
  const { apiKey } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera', alarmId: alarm!.id } });
  await world.settle();
  return {
    world,
    own,
    location: location!,
    contact: contact!,
    policy: policy!,
    alarm: alarm!,
    panicButton: panicButton!,
    apiKey: apiKey!,
  };
}

const NAME = { updateMask: { paths: ['name'] } };

test('renaming an alarm takes 12 statements at most, from the caller to the findings', async () => {
  const { own, alarm } = await anAccount();
  const asked: string[][] = [];
  let now = alarm;
  // The engine looks around beside it now and then: the leanest of some counts.
  for (const name of ['Cabin', 'Shed', 'Barn', 'House']) {
    const query = vi.spyOn(pg.Client.prototype, 'query');
    try {
      now = (await own.alarms.updateAlarm({ alarm: { ...now, name }, ...NAME })).alarm!;
      asked.push(query.mock.calls.map(([one]) => (one as { text?: string }).text ?? String(one)));
    } finally {
      query.mockRestore();
    }
  }
  const leanest = asked.toSorted((one, other) => one.length - other.length)[0]!;
  expect(leanest.length, leanest.join('\n')).toBeLessThanOrEqual(12);
  expect(leanest.filter(text => /INSERT/.test(text))).toHaveLength(2);
});

test('the answer to a change is what is read then, of every kind; a change that changes nothing moves no version', async () => {
  const { own, location, contact, policy, alarm, panicButton, apiKey } = await anAccount();
  const changed = {
    location: (await own.locations.updateLocation({ location: { ...location, name: 'Cabin' }, ...NAME })).location,
    contact: (await own.contacts.updateContact({ contact: { ...contact, name: 'Ann' }, ...NAME })).contact,
    policy: (await own.policies.updatePolicy({ policy: { ...policy, name: 'Other' }, ...NAME })).policy,
    alarm: (await own.alarms.updateAlarm({ alarm: { ...alarm, name: 'Shed' }, ...NAME })).alarm,
    panicButton: (await own.panicButtons.updatePanicButton({ panicButton: { ...panicButton, name: 'Hall' }, ...NAME }))
      .panicButton,
    apiKey: (await own.apiKeys.updateApiKey({ apiKey: { ...apiKey, label: 'Gate' }, updateMask: { paths: ['label'] } }))
      .apiKey,
  };
  const read = {
    location: (await own.locations.getLocation({ locationId: location.id })).location,
    contact: (await own.contacts.getContact({ contactId: contact.id })).contact,
    policy: (await own.policies.getPolicy({ policyId: policy.id })).policy,
    alarm: (await own.alarms.getAlarm({ alarmId: alarm.id })).alarm,
    panicButton: (await own.panicButtons.getPanicButton({ panicButtonId: panicButton.id })).panicButton,
    apiKey: (await own.apiKeys.getApiKey({ apiKeyId: apiKey.id })).apiKey,
  };
  expect(changed).toEqual(read);
  expect(Object.values(read).map(thing => thing!.version)).toEqual([2, 2, 2, 2, 2, 2]);
  const again = await own.alarms.updateAlarm({ alarm: { ...read.alarm!, name: 'Shed' }, ...NAME });
  expect(again.alarm).toEqual(read.alarm);
});

test('of the modes of an alarm those that differ are written, and keys are still taken for ids', async () => {
  const { own, world, alarm, policy } = await anAccount();
  const versions = async () =>
    (await world.rows<{ id: string; row: string }>('SELECT id, xmin::text AS row FROM mode ORDER BY id')).map(
      ({ row }) => row,
    );
  const before = await versions();
  const [away, night] = alarm.modes;
  const modes = [away!, { ...night!, policyId: policy.key }];
  const changed = await own.alarms.updateAlarm({ alarm: { ...alarm, modes }, updateMask: { paths: ['modes'] } });
  expect(changed.alarm!.modes.map(({ policyId }) => policyId)).toEqual([policy.id, policy.id]);
  const after = await versions();
  expect(after[0]).toBe(before[0]);
  expect(after[1]).not.toBe(before[1]);
  expect((await own.alarms.getAlarm({ alarmId: alarm.id })).alarm).toEqual(changed.alarm);
});

import { expect, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

async function anOwner() {
  const world = await startWorld();
  const owner = await newOwner(world);
  const { location } = await owner.console.locations.createLocation({ location: { name: 'Home' } });
  return { world, ...owner, location: location! };
}

test('a location is made, read by id and by key, listed, changed and deleted', async () => {
  const {
    console: { locations },
    location,
  } = await anOwner();
  expect(location).toMatchObject({ key: 'home', name: 'Home', address: '', test: false, version: 1 });
  expect(location.id).toMatch(/^[a-z0-9]{32}$/);
  for (const locationId of [location.id, 'home']) {
    expect((await locations.getLocation({ locationId })).location).toEqual(location);
  }
  const changed = await locations.updateLocation({
    location: { ...location, name: 'Cottage', address: '1 Elm\nTown' },
  });
  expect(changed.location).toMatchObject({
    id: location.id,
    key: 'home',
    name: 'Cottage',
    address: '1 Elm\nTown',
    version: 2,
  });
  expect((await locations.listLocations({})).locations).toEqual([changed.location]);
  await locations.deleteLocation({ locationId: 'home', version: 2 });
  expect((await locations.listLocations({})).locations).toEqual([]);
  expect(await refusal(locations.getLocation({ locationId: location.id }))).toMatchObject({ code: 'NotFound' });
  // Its key is free again, its id never comes back.
  const again = await locations.createLocation({ location: { name: 'Home' } });
  expect(again.location).toMatchObject({ key: 'home' });
  expect(again.location!.id).not.toBe(location.id);
});

test('a new alarm starts in test with the four modes, ungated and unbound (DECISIONS.md "A new alarm")', async () => {
  const {
    console: { alarms },
    location,
  } = await anOwner();
  const { alarm } = await alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  expect(alarm).toMatchObject({
    key: 'house',
    locationId: location.id,
    test: true,
    disabled: false,
    onlyWhenArmed: false,
    clearOnDisarm: false,
    armedMode: 'disarmed',
    deactivated: false,
  });
  expect(alarm!.modes.map(({ id, name, policyId, windowS }) => [id, name, policyId, windowS])).toEqual([
    ['home', 'Home', '', 0],
    ['away', 'Away', '', 0],
    ['night', 'Night', '', 0],
    ['vacation', 'Vacation', '', 0],
  ]);
});

test('contacts, policies, panic buttons and alarms name each other by key and are stored by id', async () => {
  const { console: own, location } = await anOwner();
  const { contact } = await own.contacts.createContact({
    contact: {
      name: 'Anna Example',
      timeZone: 'Europe/Vienna',
      channels: [
        { channel: 'email', address: ' anna@example.com ' },
        { channel: 'text', address: '+436601234567', disabledReason: 'abroad' },
      ],
    },
  });
  expect(contact).toMatchObject({ key: 'anna-example', locale: 'en', timeZone: 'Europe/Vienna' });
  expect(contact!.channels.map(one => [one.channel, one.address, one.disabledReason])).toEqual([
    ['email', 'anna@example.com', ''],
    ['text', '+436601234567', 'abroad'],
  ]);
  const { policy } = await own.policies.createPolicy({
    policy: { name: 'Family', steps: [{ contacts: [{ contactId: 'anna-example', channels: ['email'] }] }] },
  });
  expect(policy).toMatchObject({ repeat: 0, repeatDelayS: 300 });
  expect(policy!.steps[0]!.contacts[0]!.contactId).toBe(contact!.id);
  const { panicButton } = await own.panicButtons.createPanicButton({
    panicButton: { name: 'Bedside', locationId: 'home', responseKind: 'medical', policyId: 'family' },
  });
  expect(panicButton).toMatchObject({ locationId: location.id, policyId: policy!.id, test: true });
  const { alarm } = await own.alarms.createAlarm({
    alarm: { name: 'House', locationId: 'home', modes: [{ id: 'away', policyId: 'family', windowS: 30 }] },
  });
  expect(alarm!.modes).toMatchObject([{ id: 'away', name: 'Away', policyId: policy!.id, windowS: 30 }]);
});

test('an update changes what its mask names; without a mask a list that is empty stays', async () => {
  const {
    console: { alarms },
  } = await anOwner();
  const { alarm } = await alarms.createAlarm({
    alarm: { name: 'House', locationId: 'home', onlyWhenArmed: true, modes: [{ id: 'away' }, { id: 'night' }] },
  });
  const { id, version } = alarm!;
  const live = await alarms.updateAlarm({ alarm: { id, version, test: false }, updateMask: { paths: ['test'] } });
  expect(live.alarm).toMatchObject({ name: 'House', test: false, onlyWhenArmed: true, version: 2 });
  const renamed = await alarms.updateAlarm({ alarm: { id, version: 2, name: 'Barn', locationId: 'home' } });
  expect(renamed.alarm).toMatchObject({
    id,
    name: 'Barn',
    test: false,
    onlyWhenArmed: false,
    key: 'house',
    version: 3,
  });
  expect(renamed.alarm!.modes.map(one => one.id)).toEqual(['away', 'night']);
  const bare = await alarms.updateAlarm({ alarm: { id, version: 3 }, updateMask: { paths: ['modes'] } });
  expect(bare.alarm!.modes).toEqual([]);
  expect(
    await refusal(alarms.updateAlarm({ alarm: { id, version: 4 }, updateMask: { paths: ['armed_mode'] } })),
  ).toMatchObject({
    code: 'InvalidArgument',
    fields: { updateMask: expect.stringContaining('got "armedMode"') },
  });
});

test('an update that names no modes leaves none, and unbinds a policy by force alone (DECISIONS.md "A new alarm")', async () => {
  const { world, console: own } = await anOwner();
  await own.contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'email', address: 'anna@example.com' }] },
  });
  await own.policies.createPolicy({
    policy: { name: 'Family', steps: [{ contacts: [{ contactId: 'anna', channels: ['email'] }] }] },
  });
  const modes = [{ id: 'away', policyId: 'family' }, { id: 'night' }];
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home', modes } });
  const { id, version } = alarm!;
  const update = (left: { id: string; policyId?: string }[], force = false) =>
    own.alarms.updateAlarm({ alarm: { id, version, modes: left }, updateMask: { paths: ['modes'] }, force });
  const outsider = await newOwner(world, 'Another owner');
  expect(
    await refusal(outsider.console.alarms.updateAlarm({ alarm: { id, version }, updateMask: { paths: ['modes'] } })),
  ).toMatchObject({ code: 'NotFound' });
  for (const left of [[], [{ id: 'night' }], [{ id: 'away' }, { id: 'night' }]]) {
    expect(await refusal(update(left))).toMatchObject({
      code: 'FailedPrecondition',
      message: expect.stringMatching(/leaves "House" without a policy in away: .* send the change with force/),
    });
  }
  expect((await own.alarms.getAlarm({ alarmId: id })).alarm).toEqual(alarm);
  const key = await own.apiKeys.createApiKey({ apiKey: { label: 'A key' } });
  const { alarm: bare, findings } = await update([], true);
  expect(bare!.modes).toEqual([]);
  expect(findings.map(({ code }) => code)).toContain('no_away_mode');
  expect((await world.get(`/v1/alarm/${id}/trigger`, key.secret)).status).toBe(404);
});

test('an update that states another version than the one that is there is refused; one that changes nothing counts nothing', async () => {
  const {
    console: { locations },
    location,
  } = await anOwner();
  const both = await Promise.allSettled([
    locations.updateLocation({ location: { ...location, name: 'One' } }),
    locations.updateLocation({ location: { ...location, name: 'Two' } }),
  ]);
  expect(both.map(one => one.status).sort()).toEqual(['fulfilled', 'rejected']);
  expect(await refusal(locations.updateLocation({ location: { ...location, name: 'Three' } }))).toMatchObject({
    code: 'Aborted',
    message: expect.stringContaining('has version 2, but the change was made for version 1'),
  });
  const now = (await locations.getLocation({ locationId: 'home' })).location!;
  expect((await locations.updateLocation({ location: now })).location).toMatchObject({ version: 2 });
});

test('what is in use is not deleted, and says by what', async () => {
  const { console: own } = await anOwner();
  await own.contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'email', address: 'a@example.com' }] },
  });
  await own.policies.createPolicy({
    policy: { name: 'Family', steps: [{ contacts: [{ contactId: 'anna', channels: ['email'] }] }] },
  });
  await own.alarms.createAlarm({
    alarm: { name: 'House', locationId: 'home', modes: [{ id: 'away', policyId: 'family' }] },
  });
  await own.panicButtons.createPanicButton({
    panicButton: { name: 'Bed', locationId: 'home', responseKind: 'fire', policyId: 'family' },
  });
  await own.apiKeys.createApiKey({ apiKey: { label: 'Camera', alarmId: 'house' } });
  const used = async (call: Promise<unknown>) => (await refusal(call)).users.sort();
  expect(await used(own.contacts.deleteContact({ contactId: 'anna' }))).toEqual(['policy family']);
  expect(await used(own.policies.deletePolicy({ policyId: 'family' }))).toEqual(['alarm house', 'panic_button bed']);
  expect(await used(own.locations.deleteLocation({ locationId: 'home' }))).toEqual(['alarm house', 'panic_button bed']);
  expect(await used(own.alarms.deleteAlarm({ alarmId: 'house' }))).toEqual(['api_key camera']);
  await own.apiKeys.revokeApiKey({ apiKeyId: 'camera' });
  await own.alarms.deleteAlarm({ alarmId: 'house' });
  await own.panicButtons.deletePanicButton({ panicButtonId: 'bed' });
  await own.policies.deletePolicy({ policyId: 'family' });
  await own.contacts.deleteContact({ contactId: 'anna' });
  await own.locations.deleteLocation({ locationId: 'home' });
});

test('lists come in pages in the order of creation, and narrowed to a location', async () => {
  const { console: own } = await anOwner();
  await own.locations.createLocation({ location: { name: 'Shop' } });
  for (const [name, locationId] of [
    ['A', 'home'],
    ['B', 'shop'],
    ['C', 'home'],
    ['D', 'home'],
  ] as const) {
    await own.alarms.createAlarm({ alarm: { name, locationId } });
  }
  const first = await own.alarms.listAlarms({ pageSize: 3 });
  expect(first.alarms.map(one => one.name)).toEqual(['A', 'B', 'C']);
  const second = await own.alarms.listAlarms({ pageSize: 3, pageToken: first.nextPageToken });
  expect([second.alarms.map(one => one.name), second.nextPageToken]).toEqual([['D'], '']);
  expect((await own.alarms.listAlarms({ locationId: 'shop' })).alarms.map(one => one.name)).toEqual(['B']);
  expect(await refusal(own.alarms.listAlarms({ pageToken: 'nonsense' }))).toMatchObject({ code: 'InvalidArgument' });
  expect(await refusal(own.alarms.listAlarms({ pageSize: 201 }))).toMatchObject({
    fields: { pageSize: 'takes 0 to 200, got 201.' },
  });
});

test('lists of sources are narrowed to names that hold a text, whatever characters it has', async () => {
  const { console: own } = await anOwner();
  for (const name of ['Front door', 'Back door', '100 % sure_', 'Garage']) {
    await own.alarms.createAlarm({ alarm: { name, locationId: 'home' } });
    await own.panicButtons.createPanicButton({ panicButton: { name, locationId: 'home', responseKind: 'fire' } });
  }
  const found = async (search: string) => {
    const { alarms } = await own.alarms.listAlarms({ search, pageSize: 2 });
    const { panicButtons } = await own.panicButtons.listPanicButtons({ search, pageSize: 2 });
    const names = alarms.map(({ name }) => name);
    expect(panicButtons.map(({ name }) => name)).toEqual(names);
    return names;
  };
  expect(await found('DOOR')).toEqual(['Front door', 'Back door']);
  expect(await found('0 %')).toEqual(['100 % sure_']);
  expect(await found('e_')).toEqual(['100 % sure_']);
  expect(await found('\\')).toEqual([]);
  for (const search of ['x'.repeat(101), 'a\0b'])
    expect(await refusal(own.alarms.listAlarms({ search }))).toMatchObject({ code: 'InvalidArgument' });
});

test("keys: the owner's choice stands and is unique, a made one gives way", async () => {
  const {
    console: { contacts },
  } = await anOwner();
  const chosen = await contacts.createContact({ contact: { name: 'Anna', key: 'boss' } });
  expect(chosen.contact!.key).toBe('boss');
  expect(await refusal(contacts.createContact({ contact: { name: 'Bo', key: 'boss' } }))).toMatchObject({
    code: 'AlreadyExists',
    message: 'The key "boss" is taken by another contact of this account: choose another key.',
  });
  const [one, two] = [
    await contacts.createContact({ contact: { name: 'Zoë Müller' } }),
    await contacts.createContact({ contact: { name: 'Zoe Muller' } }),
  ];
  expect(one.contact!.key).toBe('zoe-muller');
  expect(two.contact!.key).toMatch(/^zoe-muller-[a-z0-9]{6}$/);
});

test('every change is in the audit: who, when, before and after, without readable addresses in the table', async () => {
  const { world, console: own, accountId } = await anOwner();
  const { contact } = await own.contacts.createContact({
    contact: { name: 'Anna', channels: [{ channel: 'email', address: 'anna@example.com' }] },
  });
  await consoleOf(world, world.operator, accountId).contacts.updateContact({ contact: { ...contact!, name: 'Anne' } });
  await own.contacts.deleteContact({ contactId: 'anna' });
  const { changes } = await own.audit.listChanges({ thingId: contact!.id });
  expect(changes.map(one => [one.action, one.actor, one.kind, one.name])).toEqual([
    ['delete', 'Owner', 'contact', 'Anne'],
    ['update', 'Operator', 'contact', 'Anne'],
    ['create', 'Owner', 'contact', 'Anna'],
  ]);
  expect(changes[1]!.before).toMatchObject({ name: 'Anna', channels: [{ address: 'anna@example.com' }] });
  expect(changes[1]!.after).toMatchObject({ name: 'Anne' });
  expect(JSON.stringify(await world.rows('SELECT before, after FROM audit'))).not.toContain('anna@example.com');
  const first = await own.audit.listChanges({ pageSize: 2 });
  const rest = await own.audit.listChanges({ pageSize: 200, pageToken: first.nextPageToken });
  expect([first.changes.length, rest.changes.length]).toEqual([2, 4]);
  const made = rest.changes.slice(-2).map(one => [one.action, one.actor, one.kind]);
  expect(made).toEqual([
    ['create', 'Operator', 'token'],
    ['create', 'Operator', 'account'],
  ]);
});

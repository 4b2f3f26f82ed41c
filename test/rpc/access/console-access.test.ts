import { expect, test } from 'vitest';
import { type Console, consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

/** One reading call of every service of the console and of incidents. */
const READS: Record<string, (console: Console) => Promise<unknown>> = {
  account: ({ accounts }) => accounts.getAccount({}),
  plan: ({ accounts }) => accounts.getPlan({}),
  notices: ({ accounts }) => accounts.listNotices({}),
  spend: ({ accounts }) => accounts.getSpend({}),
  'webhook secret': ({ accounts }) => accounts.getWebhookSecret({}),
  tokens: ({ accounts }) => accounts.listTokens({}),
  locations: ({ locations }) => locations.listLocations({}),
  alarms: ({ alarms }) => alarms.listAlarms({}),
  'panic buttons': ({ panicButtons }) => panicButtons.listPanicButtons({}),
  contacts: ({ contacts }) => contacts.listContacts({}),
  policies: ({ policies }) => policies.listPolicies({}),
  'api keys': ({ apiKeys }) => apiKeys.listApiKeys({}),
  audit: ({ audit }) => audit.listChanges({}),
  deployment: ({ deployment }) => deployment.getDeployment({}),
  incidents: ({ incidents }) => incidents.listIncidents({}),
};

test('an API key, a revoked token, a made-up one and none at all open nothing of the console', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world);
  const { secret: apiKey } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const { token, secret: revoked } = await consoleOf(world, world.operator, accountId).accounts.createToken({
    label: 'Tablet',
  });
  expect((await consoleOf(world, revoked).locations.listLocations({})).locations).toEqual([]);
  await own.accounts.revokeToken({ tokenId: token!.id });
  for (const secret of [apiKey, revoked, 'tcn_000000000000000000000000000000000000', '']) {
    for (const [name, read] of Object.entries(READS)) {
      for (const account of [undefined, accountId]) {
        expect(await refusal(read(consoleOf(world, secret, account))), name).toMatchObject({ code: 'Unauthenticated' });
      }
    }
  }
});

test('a console token opens nothing under /v1', async () => {
  const world = await startWorld();
  const { token, console: own } = await newOwner(world);
  await own.locations.createLocation({ location: { name: 'Home' } });
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  for (const secret of [token, world.operator]) {
    for (const path of [`/v1/alarm/${alarm!.id}/trigger`, '/v1/integration/describe', '/v1/integration/state']) {
      expect((await world.get(path, secret)).status).toBe(401);
    }
  }
});

test("an account's token sees its own rows and no others, even when it names another account", async () => {
  const world = await startWorld();
  const [mine, theirs] = [await newOwner(world, 'Mine'), await newOwner(world, 'Theirs')];
  const { location } = await theirs.console.locations.createLocation({ location: { name: 'Home' } });
  const { contact } = await theirs.console.contacts.createContact({ contact: { name: 'Anna' } });
  const { policy } = await theirs.console.policies.createPolicy({
    policy: { name: 'All', steps: [{ contacts: [{ contactId: 'anna', channels: ['email'] }] }] },
  });
  const { alarm } = await theirs.console.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  const { panicButton } = await theirs.console.panicButtons.createPanicButton({
    panicButton: { name: 'Bed', locationId: 'home', responseKind: 'fire' },
  });
  const own = mine.console;
  const lists = [
    (await own.locations.listLocations({})).locations,
    (await own.contacts.listContacts({})).contacts,
    (await own.policies.listPolicies({})).policies,
    (await own.alarms.listAlarms({})).alarms,
    (await own.panicButtons.listPanicButtons({})).panicButtons,
    (await own.audit.listChanges({ thingId: location!.id })).changes,
  ];
  expect(lists).toEqual(lists.map(() => []));
  const nobody = 'z'.repeat(32);
  /** Every call that names a thing of theirs answers exactly as for one that never was. */
  const calls: [string, (id: string) => Promise<unknown>][] = [
    [location!.id, id => own.locations.getLocation({ locationId: id })],
    [location!.id, id => own.locations.updateLocation({ location: { id, version: 1, name: 'Gone' } })],
    [location!.id, id => own.locations.deleteLocation({ locationId: id })],
    [contact!.id, id => own.contacts.getContact({ contactId: id })],
    [contact!.id, id => own.contacts.deleteContact({ contactId: id })],
    [policy!.id, id => own.policies.getPolicy({ policyId: id })],
    [alarm!.id, id => own.alarms.getAlarm({ alarmId: id })],
    [alarm!.id, id => own.alarms.deleteAlarm({ alarmId: id })],
    [panicButton!.id, id => own.panicButtons.getPanicButton({ panicButtonId: id })],
    [location!.id, id => own.alarms.listAlarms({ locationId: id })],
  ];
  for (const [id, call] of calls) {
    expect(await refusal(call(id))).toMatchObject({ code: 'NotFound' });
    expect(await refusal(call(id))).toEqual(await refusal(call(nobody)));
  }
  // Nor can a thing of theirs be named in one of mine.
  await own.locations.createLocation({ location: { name: 'Mine' } });
  const hung = own.alarms.createAlarm({
    alarm: { name: 'X', locationId: 'mine', modes: [{ id: 'away', policyId: policy!.id }] },
  });
  expect(await refusal(hung)).toMatchObject({
    code: 'InvalidArgument',
    fields: { 'modes[0].policyId': expect.any(String) },
  });
  const stood = own.alarms.createAlarm({ alarm: { name: 'X', locationId: location!.id } });
  expect(await refusal(stood)).toMatchObject({ code: 'InvalidArgument', fields: { locationId: expect.any(String) } });
  expect(await refusal(consoleOf(world, mine.token, theirs.accountId).locations.listLocations({}))).toEqual(
    await refusal(consoleOf(world, mine.token, nobody).locations.listLocations({})),
  );
});

test('accounts: only the operator makes, lists and deletes them and changes plans', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world, 'Home');
  expect((await own.accounts.getAccount({})).account).toMatchObject({
    id: accountId,
    name: 'Home',
    plan: 'paid',
    version: 1,
  });
  const made = own.accounts.createAccount({ account: { name: 'X' } });
  expect(await refusal(made)).toMatchObject({ code: 'PermissionDenied' });
  expect(await refusal(own.accounts.listAccounts({}))).toMatchObject({ code: 'PermissionDenied' });
  expect(await refusal(own.accounts.deleteAccount({ accountId }))).toMatchObject({ code: 'PermissionDenied' });
  const free = { version: 1, plan: 'free', name: 'Home' };
  expect(await refusal(own.accounts.updateAccount({ account: free }))).toMatchObject({ code: 'PermissionDenied' });
  const renamed = await own.accounts.updateAccount({ account: { version: 1, name: 'House' } });
  expect(renamed.account).toMatchObject({ name: 'House', plan: 'paid', version: 2 });

  const operator = consoleOf(world, world.operator, accountId);
  const planned = await operator.accounts.updateAccount({
    account: { version: 2, plan: 'free' },
    updateMask: { paths: ['plan'] },
  });
  expect(planned.account).toMatchObject({ name: 'House', plan: 'free', version: 3 });
  expect(await own.accounts.getPlan({})).toMatchObject({
    plan: 'free',
    channels: ['text', 'call', 'email', 'push', 'chat', 'webhook'],
    channelsUntilTrialEnds: ['text', 'call'],
  });
  const other = await newOwner(world, 'Other');
  const mistaken = operator.accounts.updateAccount({ account: { id: other.accountId, version: 3, name: 'Oops' } });
  expect((await refusal(mistaken)).fields).toHaveProperty(['account.id'], expect.stringContaining('x-tocsin-account'));
  expect((await own.accounts.getAccount({})).account).toMatchObject({ name: 'House', version: 3 });
  const listed = (await operator.accounts.listAccounts({ pageSize: 200 })).accounts;
  expect(listed.map(one => one.name)).toContain('House');
  expect(await refusal(consoleOf(world, world.operator).locations.listLocations({}))).toMatchObject({
    code: 'InvalidArgument',
    message: expect.stringContaining('x-tocsin-account'),
  });
});

test('an account is deleted only when nothing of it is live, its tokens end with it', async () => {
  const world = await startWorld();
  const { console: own, accountId, token } = await newOwner(world);
  const operator = consoleOf(world, world.operator, accountId).accounts;
  await own.locations.createLocation({ location: { name: 'Home' } });
  await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home', test: false } });
  await own.alarms.createAlarm({ alarm: { name: 'Shed', locationId: 'home' } });
  expect(await refusal(operator.deleteAccount({ accountId }))).toMatchObject({
    code: 'FailedPrecondition',
    users: ['alarm house'],
  });
  expect((await own.alarms.listAlarms({})).alarms).toHaveLength(2);
  const empty = await newOwner(world);
  await empty.console.locations.createLocation({ location: { name: 'Home' } });
  await empty.console.alarms.createAlarm({ alarm: { name: 'In test', locationId: 'home' } });
  await empty.console.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const wrong = consoleOf(world, world.operator, empty.accountId).accounts.deleteAccount({ accountId });
  expect(await refusal(wrong)).toMatchObject({ code: 'InvalidArgument' });
  await consoleOf(world, world.operator, empty.accountId).accounts.deleteAccount({ accountId: empty.accountId });
  expect(await refusal(empty.console.accounts.getAccount({}))).toMatchObject({ code: 'Unauthenticated' });
  expect((await consoleOf(world, token).accounts.getAccount({})).account!.id).toBe(accountId);
});

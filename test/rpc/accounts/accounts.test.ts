import { expect, test } from 'vitest';
import { consoleOf, newOwner, refusal } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

const settings = { ownerEmail: 'owner@example.com', stillHappeningS: 900, dailySpendCapCents: 250 };

test('a new account has no owner’s email, is not told again while it is still happening, and has a daily cap of 10 dollars and a ceiling of 250', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  expect((await own.accounts.getAccount({})).account).toMatchObject({
    ownerEmail: '',
    ownerLocale: 'en',
    ownerTimeZone: 'UTC',
    stillHappeningS: 0,
    dailySpendCapCents: 1000,
    dailySpendCeilingCents: 25_000,
  });
});

test('the operator may say all of it at once; the list of accounts shows it', async () => {
  const world = await startWorld();
  const operator = consoleOf(world, world.operator);
  const { account } = await operator.accounts.createAccount({
    account: { name: 'Elms', plan: 'free', ...settings, dailySpendCapCents: 0 },
  });
  expect(account).toMatchObject({ name: 'Elms', plan: 'free', ...settings, dailySpendCapCents: 0, version: 1 });
  expect((await operator.accounts.listAccounts({})).accounts).toEqual([account]);
});

test('an update takes what is given, and with a mask also what is empty', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world, 'Elms');
  const { account: first } = await own.accounts.updateAccount({ account: { name: 'Elms', version: 1, ...settings } });
  expect(first).toMatchObject({ ...settings, version: 2 });
  // Nothing given: all of it stays, and no version is spent.
  const { account: same } = await own.accounts.updateAccount({ account: { name: 'Elms', version: 2 } });
  expect(same).toEqual(first);
  const { account: cleared } = await own.accounts.updateAccount({
    account: { version: 2 },
    updateMask: { paths: ['owner_email', 'still_happening_s'] },
  });
  expect(cleared).toMatchObject({ name: 'Elms', ownerEmail: '', stillHappeningS: 0, dailySpendCapCents: 250 });
  // A cap of 0 has presence: it is given without a mask too, and means that there is none, which takes the operator.
  const operator = consoleOf(world, world.operator, accountId);
  const { account: uncapped } = await operator.accounts.updateAccount({
    account: { name: 'Elms', version: 3, dailySpendCapCents: 0 },
  });
  expect(uncapped).toMatchObject({ dailySpendCapCents: 0, version: 4 });
  expect((await own.accounts.getAccount({})).account).toEqual(uncapped);
  expect(await refusal(own.accounts.updateAccount({ account: { name: 'Oaks', version: 3 } }))).toMatchObject({
    code: 'Aborted',
  });
});

test('an account’s own token lowers the cap and does nothing else about what a day may cost (DECISIONS.md "Spending cap")', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world, 'Elms');
  const beside = await newOwner(world, 'Oaks');
  const operator = consoleOf(world, world.operator, accountId);
  const set = async (by: typeof own, fields: { dailySpendCapCents?: number; dailySpendCeilingCents?: number }) => {
    const { account } = await own.accounts.getAccount({});
    return (await by.accounts.updateAccount({ account: { ...account!, ...fields } })).account!;
  };
  expect(await set(own, { dailySpendCapCents: 900 })).toMatchObject({ dailySpendCapCents: 900 });
  for (const fields of [
    { dailySpendCapCents: 901 },
    { dailySpendCapCents: 0 },
    { dailySpendCeilingCents: 25_001 },
    { dailySpendCeilingCents: 24_999 },
    { dailySpendCeilingCents: 0 },
  ]) {
    expect(await refusal(set(own, fields)), JSON.stringify(fields)).toMatchObject({
      code: 'PermissionDenied',
      message: expect.stringMatching(
        /^(Raising or removing|Changing) the daily spend (cap|ceiling) takes the operator's token/,
      ),
    });
  }
  expect(await set(operator, { dailySpendCapCents: 0, dailySpendCeilingCents: 500 })).toMatchObject({
    dailySpendCapCents: 0,
    dailySpendCeilingCents: 500,
  });
  // From no cap on any cap is lower.
  expect(await set(own, { dailySpendCapCents: 1_000_000 })).toMatchObject({ dailySpendCapCents: 1_000_000 });
  const { account: untouched } = await beside.console.accounts.getAccount({});
  expect(untouched).toMatchObject({ dailySpendCapCents: 1000, dailySpendCeilingCents: 25_000, version: 1 });
});

test('everything that is wrong is said by field, and nothing of it is stored', async () => {
  const world = await startWorld();
  const { console: own } = await newOwner(world, 'Elms');
  const { account: before } = await own.accounts.getAccount({});
  const set = (account: object, paths: string[]) =>
    refusal(own.accounts.updateAccount({ account: { version: 1, ...account }, updateMask: { paths } }));
  expect(
    await set({ ownerEmail: 'nobody', stillHappeningS: 59, dailySpendCapCents: 1_000_001, name: '' }, [
      'name',
      'owner_email',
      'still_happening_s',
      'daily_spend_cap_cents',
    ]),
  ).toMatchObject({
    code: 'InvalidArgument',
    fields: {
      name: expect.stringContaining('1 to 100 characters'),
      ownerEmail: 'takes an email address such as someone@example.com, or nothing for none, got "nobody".',
      stillHappeningS: 'takes 0 for never, or 60 to 86400 seconds, got 59.',
      dailySpendCapCents: 'takes a whole number from 0 to 1000000 cents, got 1000001.',
    },
  });
  const addresses = [
    'a@b\r\nBcc: x@example.com',
    'Anna <anna@example.com>',
    'a@b, c@d',
    'a b@example.com',
    `${'a'.repeat(251)}@b.c`,
    'anna@example.com\u0000',
  ];
  for (const ownerEmail of addresses) {
    const refused = await set({ ownerEmail }, ['owner_email']);
    expect(refused, ownerEmail).toMatchObject({ code: 'InvalidArgument' });
    expect(Object.keys(refused.fields), ownerEmail).toEqual(['ownerEmail']);
  }
  for (const stillHappeningS of [-1, 1, 86_401]) {
    expect(Object.keys((await set({ stillHappeningS }, ['still_happening_s'])).fields)).toEqual(['stillHappeningS']);
  }
  for (const dailySpendCapCents of [-1, 2 ** 31 - 1]) {
    const { fields } = await set({ dailySpendCapCents }, ['daily_spend_cap_cents']);
    expect(Object.keys(fields)).toEqual(['dailySpendCapCents']);
  }
  expect(await set({}, ['seq'])).toMatchObject({
    code: 'InvalidArgument',
    fields: { updateMask: expect.stringContaining('owner_email') },
  });
  expect((await own.accounts.getAccount({})).account).toEqual(before);
});

test('the owner’s email is sealed in the table and in the audit, and readable for who holds a token', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world, 'Elms');
  const { ownerEmail } = settings;
  await own.accounts.updateAccount({ account: { name: 'Elms', version: 1, ownerEmail } });
  await own.accounts.updateAccount({ account: { version: 2 }, updateMask: { paths: ['owner_email'] } });
  await own.accounts.updateAccount({ account: { name: 'Elms', version: 3, ownerEmail } });
  for (const table of ['account', 'audit']) {
    const text = JSON.stringify(await world.rows(`SELECT * FROM ${table}`));
    expect(text, table).not.toContain('owner@');
    expect(text, table).toContain('v1.');
  }
  const { changes } = await own.audit.listChanges({ thingId: accountId });
  expect(changes.map(({ action, before, after }) => [action, before?.ownerEmail, after?.ownerEmail])).toEqual([
    ['update', '', ownerEmail],
    ['update', ownerEmail, ''],
    ['update', '', ownerEmail],
    ['create', undefined, ''],
  ]);
});

test('the webhook secret is one for each account, and stays', async () => {
  const world = await startWorld();
  const [one, other] = [await newOwner(world), await newOwner(world)];
  const { secret } = await one.console.accounts.getWebhookSecret({});
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect((await one.console.accounts.getWebhookSecret({})).secret).toBe(secret);
  expect((await other.console.accounts.getWebhookSecret({})).secret).not.toBe(secret);
});

test('an outsider learns and changes nothing: not settings, plan, spending, notices or the webhook secret', async () => {
  const world = await startWorld();
  const { console: own, accountId } = await newOwner(world, 'Elms');
  const { token: foreign } = await newOwner(world, 'An outsider');
  const outsider = consoleOf(world, foreign, accountId).accounts;
  const { account } = await own.accounts.getAccount({});
  const calls = {
    getAccount: () => outsider.getAccount({}),
    updateAccount: () => outsider.updateAccount({ account: { name: 'Mine', version: 1 } }),
    getPlan: () => outsider.getPlan({}),
    getSpend: () => outsider.getSpend({}),
    listNotices: () => outsider.listNotices({}),
    getWebhookSecret: () => outsider.getWebhookSecret({}),
  };
  for (const [name, call] of Object.entries(calls)) {
    expect(await refusal(call()), name).toMatchObject({
      code: 'NotFound',
      message: 'There is no account with the id in x-tocsin-account (--account).',
    });
  }
  expect((await own.accounts.getAccount({})).account).toEqual(account);
});

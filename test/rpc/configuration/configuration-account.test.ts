import { expect, test } from 'vitest';
import { consoleOf } from '../../support/console.ts';
import type { World } from '../../support/world.ts';
import { type Configured, changed, HOME, SECRETS, startConfigured, told } from './configuration-rig.ts';

const SETTINGS = {
  name: 'Elms',
  ownerEmail: 'owner@example.com',
  ownerLocale: 'de-AT',
  ownerTimeZone: 'Europe/Vienna',
  stillHappeningS: 900,
  drills: 'monthly',
};

const FILE = `version: 1
account:
  name: Elms
  ownerEmail: owner@example.com
  ownerLocale: de-AT
  ownerTimeZone: Europe/Vienna
  stillHappeningS: 900
  drills: monthly
`;

const BY_REFERENCE = FILE.replace('owner@example.com', '{ env: OWNER_EMAIL }');

/** The account as the console shows it. */
async function stored(world: World, { accountId }: Configured) {
  return (await consoleOf(world, world.operator, accountId).accounts.getAccount({})).account!;
}

test('a file carries the settings of the account (DECISIONS.md "The account in a file")', async () => {
  const { world, account } = await startConfigured();
  const [home, copy, outsider] = [await account('Home'), await account('Copy'), await account('Outsider')];
  const before = await stored(world, outsider);
  const would = await home.check(FILE);
  const { changes, outcome } = await home.apply(FILE);
  expect(outcome).toBe('applied');
  expect(changed(changes)).toEqual(['update account name,ownerEmail,ownerLocale,ownerTimeZone,stillHappeningS,drills']);
  expect(changed(would.changes)).toEqual(changed(changes));
  expect(await stored(world, home)).toMatchObject({ ...SETTINGS, version: 2 });

  const exported = await home.export();
  expect(exported.replace(/^#.*\n/gm, '')).toBe(FILE);
  expect(await home.apply(exported, { prune: true })).toMatchObject({ outcome: 'unchanged', problems: [] });
  await copy.apply(exported);
  expect(await copy.export()).toBe(exported);
  expect(await stored(world, outsider)).toEqual(before);
});

test('a setting of the account that the file leaves out stays as it is, pruned or not; an empty one is removed', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  await home.apply(FILE);
  for (const text of ['version: 1\n', 'version: 1\naccount: {}\n', 'version: 1\naccount: { name: Elms }\n']) {
    expect(await home.apply(text, { prune: true }), text).toMatchObject({ outcome: 'unchanged', problems: [] });
  }
  const { changes } = await home.apply('version: 1\naccount: { ownerEmail: "", stillHappeningS: 0 }\n');
  expect(changed(changes)).toEqual(['update account ownerEmail,stillHappeningS']);
  expect(await stored(world, home)).toMatchObject({ ...SETTINGS, ownerEmail: '', stillHappeningS: 0 });
});

test("the owner's email may be a reference, which is shown in its place and sealed wherever it is kept", async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  expect(told((await home.check(BY_REFERENCE)).problems)).toEqual([
    '4 account.ownerEmail takes the secret that env:OWNER_EMAIL names, got nothing.',
  ]);
  expect((await home.check(BY_REFERENCE)).missingSecrets).toEqual(['env:OWNER_EMAIL']);
  const secrets = { 'env:OWNER_EMAIL': 'owner@example.com' };
  const { changes } = await home.apply(BY_REFERENCE, { secrets });
  const email = changes[0]!.fields.find(({ field }) => field === 'ownerEmail');
  expect(email).toMatchObject({ before: '"…"', after: '{"env":"OWNER_EMAIL"}' });
  expect(await stored(world, home)).toMatchObject(SETTINGS);
  expect(await home.apply(BY_REFERENCE, { secrets })).toMatchObject({ outcome: 'unchanged' });
  expect(JSON.stringify(await world.rows('SELECT before, after FROM audit'))).not.toContain('owner@example.com');
  const audit = await consoleOf(world, world.operator, home.accountId).audit.listChanges({});
  expect(audit.changes.find(({ kind }) => kind === 'account')).toMatchObject({ after: SETTINGS });
});

test('a wrong setting of the account is told with its place, and what is the operator’s has none', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const before = await stored(world, home);
  const text = `version: 1
account:
  ownerEmail: nobody
  ownerLocale: [de]
  ownerTimeZone: Vienna
  stillHappeningS: 59
  plan: paid
  dailySpendCapCents: 0
  ownerEmial: a@b.cd
`;
  const known = 'name, ownerEmail, ownerLocale, ownerTimeZone, stillHappeningS, drills';
  const { outcome, problems } = await home.apply(text);
  expect(outcome).toBe('refused');
  expect(told(problems)).toEqual([
    '3 account.ownerEmail takes an email address such as someone@example.com, or nothing for none, got "nobody".',
    '4 account.ownerLocale takes a text, got a list.',
    '5 account.ownerTimeZone takes an IANA time zone such as "Europe/Vienna", got "Vienna".',
    '6 account.stillHappeningS takes 0 for never, or 60 to 86400 seconds, got 59.',
    `7 account.plan is not a known field: takes ${known}, got "plan".`,
    `8 account.dailySpendCapCents is not a known field: takes ${known}, got "dailySpendCapCents".`,
    `9 account.ownerEmial is not a known field: takes ${known}, got "ownerEmial". (ownerEmail)`,
  ]);
  const secret = await home.check(BY_REFERENCE, { secrets: { 'env:OWNER_EMAIL': 'hunter2' } });
  expect(told(secret.problems)).toEqual([
    '4 account.ownerEmail takes an email address such as someone@example.com, or nothing for none, got something else from env:OWNER_EMAIL.',
  ]);
  expect(await stored(world, home)).toEqual(before);
});

test('the settings of the account are written with everything else of the file, or not at all', async () => {
  const { world, account } = await startConfigured();
  const home = await account();
  const before = await stored(world, home);
  const whole = HOME.replace('account: { name: Home }', 'account: { name: Elms, stillHappeningS: 900 }');
  await world.rows("ALTER TABLE source ADD CONSTRAINT no_house CHECK (key <> 'house')");
  await expect(home.apply(whole, { secrets: SECRETS })).rejects.toThrow();
  expect(await stored(world, home)).toEqual(before);
});

import { expect, test } from 'vitest';
import { addSpend } from '../../services/store/statements/spend.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

const DAYS_S = 14 * 24 * 3600;

/** An account on the free plan in its first days, and the command lines of its owner and of the operator who means it. */
async function elms() {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json } = await operator.json('accounts', 'create', '--name', 'Elms', '--plan', 'free');
  const accountId: string = json.account.id;
  const as = (token: string) =>
    commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token, TOCSIN_ACCOUNT: accountId });
  return { world, accountId, owner: as(json.token), asOperator: as(world.operator) };
}

test('an owner sets where they are told, what a day may cost and when they are told that it is still happening, and undoes it', async () => {
  const { owner, asOperator } = await elms();
  expect((await owner.text('accounts', 'show')).out).toMatch(
    /Owner's email +none \(tocsin members list shows the owners\)\nOwner's language +en\nOwner's time zone +UTC\nStill happening +never notified\nDrills +off\nDaily spend cap +\$10\.00\nDaily spend ceiling +\$250\.00, a fifth of it for each source\n/,
  );
  const language = ['--owner-locale', 'de-AT', '--owner-time-zone', 'Europe/Vienna'];
  const limits = ['--still-happening', '15m', '--drills', 'monthly', '--daily-spend-cap-cents', '550'];
  const settings = ['--owner-email', 'owner@example.com', ...language, ...limits];
  const { json } = await owner.json('accounts', 'update', ...settings);
  expect(json.account).toMatchObject({
    name: 'Elms',
    ownerEmail: 'owner@example.com',
    stillHappeningS: 900,
    dailySpendCapCents: 550,
    version: 2,
  });
  const shown = (await owner.text('accounts', 'show')).out;
  expect(shown).toMatch(
    /owner@example\.com\nOwner's language +de-AT\nOwner's time zone +Europe\/Vienna\nStill happening +notified again after 15m\nDrills +monthly\nDaily spend cap +\$5\.50\n/,
  );
  const cleared = ['--owner-email', '', '--still-happening', '0'];
  expect((await owner.json('accounts', 'update', ...cleared)).json.account).toMatchObject({
    ownerEmail: '',
    stillHappeningS: 0,
  });
  // What a day may cost more takes the operator.
  const more = ['--daily-spend-cap-cents', '0', '--daily-spend-ceiling-cents', '0'];
  const refused = await owner.text('accounts', 'update', ...more);
  expect(refused).toMatchObject({ exit: 4, err: expect.stringContaining("takes the operator's token") });
  expect((await asOperator.json('accounts', 'update', ...more)).exit).toBe(0);
  expect((await owner.text('accounts', 'show')).out).toMatch(/Daily spend cap +none\nDaily spend ceiling +none\n/);
});

test('a value that is refused is named by its flag', async () => {
  const { owner } = await elms();
  const wrong = ['--owner-email', 'nobody', '--still-happening', '5s', '--daily-spend-cap-cents', '1000001'];
  const { exit, err } = await owner.text('accounts', 'update', ...wrong);
  expect(exit).toBe(2);
  expect(err).toContain('--owner-email takes an email address');
  expect(err).toContain('--still-happening takes 0 for never, or 60 to 86400 seconds, got 5.');
  expect(err).toContain('--daily-spend-cap-cents takes a whole number from 0 to 1000000 cents');
  for (const cents of ['-1', '1.5', 'ten', '']) {
    const refused = await owner.text('accounts', 'update', '--daily-spend-cap-cents', cents);
    expect(refused, cents).toMatchObject({ exit: 2, out: '' });
  }
  expect((await owner.json('accounts', 'show')).json.account).toMatchObject({ version: 1 });
});

test('the plan is told before and after the first days, and one source too many is refused in its words', async () => {
  const { world, owner, asOperator } = await elms();
  await owner.text('locations', 'create', '--name', 'Home');
  for (const name of ['A', 'B', 'C', 'D']) await owner.text('alarms', 'create', '--name', name, '--location', 'home');
  const before = (await owner.text('accounts', 'plan')).out;
  expect(before).toMatch(/Alarms and buttons +4 active, any number\nFirst days +end 2026-01-29 20:00:00 UTC\n/);
  expect(before).toMatch(/Then ends +text, call\nThen covered +3 at most\n/);
  const line =
    /^The first 14 days .*: then the free plan switches off messages by text and call, and D \(.*before then, or disable .*\n/m;
  expect((await owner.text('readiness')).out).toMatch(line);
  await world.advance(DAYS_S);
  const after = (await owner.text('accounts', 'plan')).out;
  expect(after).toMatch(
    /Alarms and buttons +3 active, 3 at most\nSwitched off +1 by the plan: those in test first, then the newest\n/,
  );
  expect(after).not.toContain('Then');
  expect((await owner.text('readiness')).out).not.toContain('first 14 days');
  const refused = await owner.text('alarms', 'create', '--name', 'E', '--location', 'home');
  expect(refused).toMatchObject({
    exit: 5,
    err: expect.stringContaining('The free plan covers 3 alarms and panic buttons together; with this change 5'),
  });
  const listed = await owner.text('notices', 'list');
  expect(listed.out).toMatch(
    /sources_deactivated +failed: no_listener +- +Your plan covers fewer .* Switched off: D\./,
  );
  expect((await owner.json('notices', 'list')).json.items).toMatchObject([
    { kind: 'sources_deactivated', incidentId: '' },
  ]);
  // Only who runs the deployment sells plans.
  expect((await owner.text('accounts', 'update', '--plan', 'paid')).exit).toBe(4);
  await asOperator.text('accounts', 'update', '--plan', 'paid');
  expect((await owner.json('accounts', 'plan')).json).toMatchObject({ sourcesActive: 4, sourcesDeactivated: 0 });
  expect((await owner.text('accounts', 'plan')).out).toMatch(/Alarms and buttons +4 active, any number\n/);
});

test('spending and the webhook secret are shown; without any there is a sentence', async () => {
  const { world, accountId, owner } = await elms();
  expect((await owner.text('accounts', 'spend')).out).toBe(
    'No text and no call went out.\nThe daily cap is $10.00; it never holds back live incidents.\nThe daily ceiling is $250.00, a fifth of it for each source; over it live incidents take other channels.\n',
  );
  await addSpend(world.store.pool, { accountId, about: null, channel: 'text', units: 3 });
  await addSpend(world.store.pool, { accountId, about: null, channel: 'call', units: 1 });
  expect((await owner.text('accounts', 'spend', '--days', '30')).out).toMatch(/2026-01-15 +3 parts +1 +\$0\.25\n/);
  expect((await owner.json('accounts', 'spend')).json).toMatchObject({
    days: [{ cents: 25 }],
    capCents: 1000,
    ceilingCents: 25_000,
  });
  expect(await owner.text('accounts', 'spend', '--days', '91')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('--days takes 1 to 90'),
  });
  expect((await owner.text('accounts', 'webhook-secret')).out).toMatch(/^whsec_[A-Za-z0-9+/]{43}=\n$/);
  expect((await owner.text('notices', 'list')).out).toBe('No notices.\n');
});

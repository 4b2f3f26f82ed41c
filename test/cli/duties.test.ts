import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

async function aShop() {
  const world = await startWorld({ publicUrl: 'https://tocsin.example' });
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: account } = await operator.json('accounts', 'create', '--name', 'A shop');
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: account.token });
  for (const name of ['Anna', 'Noah', 'Mia']) await owner.text('contacts', 'create', '--name', name);
  return { world, owner };
}

const CREATE = [
  ...['duties', 'create', '--name', 'Shop phone', '--time-zone', 'Europe/Vienna', '--otherwise', 'anna'],
  ...['--hours', 'mon-fri 08:00-18:00 anna by call'],
  ...['--hours', 'sat-sun 00:00-24:00 noah>mia weekly sat 08:00 since 2026-11-28'],
  ...['--except', '2026-12-24..2026-12-27 mia Christmas'],
];

test('a duty is created, shown, changed and deleted', async () => {
  const { owner } = await aShop();
  const created = await owner.text(...CREATE);
  expect(created).toMatchObject({ exit: 0, err: '' });
  expect(created.out).toMatch(/^Created the duty Shop phone\.\n/);
  const shown = await owner.text('duties', 'show', 'shop-phone');
  expect(shown.out).toContain('  except 2026-12-24 to 2026-12-27: Mia (mia) (Christmas)\n');
  expect(shown.out).toContain('  mon-fri 08:00-18:00: Anna (anna) by call alone\n');
  expect(shown.out).toContain(
    '  sat-sun 00:00-24:00: Noah (noah) > Mia (mia), weekly sat 08:00 since 2026-11-28\n  otherwise: Anna (anna)\n',
  );
  expect(shown.out).toMatch(/On duty, as clocks show it in Europe\/Vienna:\nFROM +UNTIL +WHO +BY\n/i);
  const { json } = await owner.json('duties', 'show', 'shop-phone');
  expect(json.shifts.length).toBeGreaterThan(10);
  expect((await owner.text('duties', 'list')).out).toMatch(/shop-phone +Shop phone +Europe\/Vienna +2 +1/);

  const changed = await owner.json('duties', 'update', 'shop-phone', '--otherwise', 'anna,noah', '--quiet');
  expect(changed.json.duty).toMatchObject({ version: 2, tell: false });
  expect(changed.json.duty.otherwise.contactIds).toHaveLength(2);
  expect(changed.json.duty.hours).toHaveLength(2);
  const wrong = await owner.text('duties', 'update', 'shop-phone', '--hours', 'mo-fr 08:00-18:00 anna');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringMatching(/--hours number 1 takes days such as "mon-fri"/) });
  for (const hours of ['mon-fri anna', 'mon-fri 08:00-18:00', 'mon-fri 08:00-18:00 noah>mia']) {
    expect((await owner.text('duties', 'update', 'shop-phone', '--hours', hours)).exit, hours).toBe(2);
  }
  expect(await owner.text('duties', 'delete', 'shop-phone')).toMatchObject({
    exit: 0,
    out: 'Deleted the duty Shop phone.\n',
  });
});

test('on-duty says who is on duty at a time, and shifts lists them', async () => {
  const { owner } = await aShop();
  await owner.text(...CREATE);
  const at = ['--at', '2026-12-05T09:00+01:00'];
  expect((await owner.text('duties', 'on-duty', 'shop-phone', ...at)).out).toBe(
    'Mia (mia) until Mon 2026-12-07 00:00 (Europe/Vienna)\nby turns, number 2\n',
  );
  expect((await owner.json('duties', 'on-duty', 'shop-phone', ...at)).json).toMatchObject({
    contacts: [{ key: 'mia', name: 'Mia' }],
    until: '2026-12-06T23:00:00Z',
    because: 'turns',
    entry: 1,
  });
  const { out } = await owner.text('duties', 'shifts', 'shop-phone', '--from', '2026-12-23T19:00+01:00', '--days', '3');
  expect(out).toMatch(/Thu 2026-12-24 00:00 +Mon 2026-12-28 00:00 +Mia \(mia\) +an exception: Christmas/);
  const wrong = await owner.text('duties', 'on-duty', 'shop-phone', '--at', 'tomorrow');
  expect(wrong).toMatchObject({ exit: 2, err: expect.stringContaining('--at takes a time such as') });
});

test('cover and swap add what others do', async () => {
  const { owner } = await aShop();
  await owner.text(...CREATE);
  const span = ['--from', '2199-12-05T20:00+01:00', '--until', '2199-12-06T08:00+01:00'];
  const covered = await owner.text(
    'duties',
    'cover',
    'shop-phone',
    '--by',
    'anna,noah',
    ...span,
    '--note',
    'Mia is ill',
  );
  expect(covered.out).toMatch(
    /^Changed the duty Shop phone\.\n {2}except 2199-12-05T20:00 to 2199-12-06T08:00: Anna \(anna\), Noah \(noah\) \(Mia is ill\)\n/,
  );
  const swapped = await owner.json(
    ...['duties', 'swap', 'shop-phone', '--at', '2199-11-30T12:00Z', '--with', '2199-12-07T12:00Z'],
  );
  expect(swapped.json.duty.except).toHaveLength(4);
});

test('covers and exceptions say over what people are told, as hours do', async () => {
  const { owner } = await aShop();
  await owner.text(...CREATE);
  const span = ['--from', '2199-12-05T20:00+01:00', '--until', '2199-12-06T08:00+01:00'];
  const covered = await owner.text('duties', 'cover', 'shop-phone', '--by', 'anna', ...span, '--channels', 'call,push');
  expect(covered.out).toMatch(/except 2199-12-05T20:00 to 2199-12-06T08:00: Anna \(anna\) by call, push alone\n/);
  const excepted = await owner.json(
    ...['duties', 'update', 'shop-phone', '--except', '2190-12-24..2190-12-27 mia by call Christmas'],
    ...['--except', '2190-12-30 mia by the way'],
  );
  expect(excepted.json.duty.except).toMatchObject([{ channels: ['call'], note: 'Christmas' }, { note: 'by the way' }]);
});

test('the address of a feed is shown once, replaced and ended', async () => {
  const { world, owner } = await aShop();
  await owner.text(...CREATE);
  const { out } = await owner.text('duties', 'feed', 'shop-phone');
  const [, secret] = /^ {2}https:\/\/tocsin\.example\/duty\/([a-z0-9]{40})\.ics$/m.exec(out) ?? [];
  const status = async (secret: string | undefined) => (await fetch(`${world.url}/duty/${secret}.txt`)).status;
  expect(await status(secret)).toBe(200);
  const second = (await owner.json('duties', 'feed', 'shop-phone', '--yes')).json.secret;
  expect([await status(secret), await status(second)]).toEqual([404, 200]);
  expect(await owner.text('duties', 'feed', 'shop-phone', '--revoke', '--yes')).toMatchObject({
    out: 'The duty Shop phone has no feed.\n',
  });
  expect(await status(second)).toBe(404);
});

test('a policy names a duty with an @', async () => {
  const { owner } = await aShop();
  await owner.text(...CREATE);
  await owner.text('policies', 'create', '--name', 'Shop', '--step', '0s @shop-phone:call', '--step', '5m anna:email');
  expect((await owner.text('policies', 'show', 'shop')).out).toContain(
    '  after 0s: whoever is on duty as Shop phone (shop-phone) by call\n  then after 5m: Anna (anna) by email\n',
  );
  const refused = await owner.text('duties', 'delete', 'shop-phone');
  expect(refused.exit).not.toBe(0);
  expect(refused.err).toContain('is used by policy "Shop" (shop)');
});

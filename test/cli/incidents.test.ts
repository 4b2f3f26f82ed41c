import { expect, onTestFinished, test } from 'vitest';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

async function aShop(channels: ('email' | 'text')[] = ['email']) {
  const smtp = await startSmtp();
  onTestFinished(() => smtp.stop());
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550101' });
  const contacts = [{ contactId, channels }];
  const policyId = await owner.policy([
    { delayS: 0, contacts },
    { delayS: 60, contacts },
  ]);
  const id = await owner.alarm({ name: 'Shop', modes: { away: { policyId } } });
  const key = await owner.key();
  const { rpcUrl: TOCSIN_RPC_URL, operator: TOCSIN_TOKEN } = world;
  return {
    world,
    shell: commandLine({ TOCSIN_RPC_URL, TOCSIN_TOKEN, TOCSIN_ACCOUNT: owner.accountId }),
    /** A device with a key of its own, made on the command line, triggers it. */
    trip: async (label: string, ...flags: string[]) => {
      const shell = commandLine({ TOCSIN_RPC_URL, TOCSIN_TOKEN, TOCSIN_ACCOUNT: owner.accountId });
      const { json } = await shell.json('keys', 'create', '--label', label, ...flags);
      await world.get(`/v1/alarm/${id}/trigger`, json.secret);
      await world.settle();
    },
    act: async (verb: string) => {
      await world.get(`/v1/alarm/${id}/${verb}`, key);
      await world.settle();
    },
  };
}

test('incidents show says how long it took to reach a person, how it was acknowledged, and what ran late', async () => {
  const { world, shell, act } = await aShop();
  await act('trigger');
  const { id } = (await shell.json('incidents', 'list')).json.items[0];
  const open = await shell.text('incidents', 'show', id);
  expect(open.out).toMatch(/First attempt +after 0 ms\n/);
  expect(open.out).toMatch(/Acknowledged by a person +not yet\n/);
  expect(open.out).toMatch(/Acknowledged +by nobody\n/);
  expect(open.out).toMatch(/\+1m +scheduled: step 2\n.*\+1m +scheduled: email to Anna → scheduled/);
  expect(open.out).not.toMatch(/scheduled: (step 1|email to Anna → sent)/);

  await world.advance(72);
  await shell.text('incidents', 'ack', id, '--by', 'Anna');
  await world.settle();
  const acknowledged = await shell.text('incidents', 'show', id);
  expect(acknowledged.out).toMatch(/Acknowledged by a person +after 1m 12s\n/);
  expect(acknowledged.out).toMatch(/Acknowledged +by Anna, 2026-01-15 20:01:12 UTC\n/);
  // Nobody gets a text.
  expect(acknowledged.out).not.toContain('Reply code');
  expect(acknowledged.out).not.toContain('scheduled:');
  expect(acknowledged.out).toMatch(/\+1m 12s +step 2 ran 12s late\n/);
  const { timeToHuman } = (await shell.json('incidents', 'show', id)).json;
  expect(timeToHuman).toMatchObject({
    acceptedAt: '2026-01-15T20:00:00Z',
    firstAttemptAt: '2026-01-15T20:00:00Z',
    acknowledgedAt: '2026-01-15T20:01:12Z',
  });
  expect(timeToHuman).not.toHaveProperty('firstDeliveredAt');
});

test('incidents that nobody acknowledged stand out in the list, in words', async () => {
  const { world, shell, act } = await aShop();
  await act('trigger');
  await world.advance(60);
  await world.advance(300);
  const list = await shell.text('incidents', 'list');
  expect(list.out).toMatch(/ALERTS .*\n.* exhausted /);
  const { id } = (await shell.json('incidents', 'list')).json.items[0];
  const shown = await shell.text('incidents', 'show', id);
  expect(shown.out).toMatch(/Alerts +A policy: everyone who could be reached was alerted, and nobody acknowledged\n/);
  expect(shown.out).toMatch(
    /\+6m +the policy has ended and nobody acknowledged\. Tried: 2 messages by email; carriers took 2/,
  );
});

test('incidents totals prints each month in figures, and the same as JSON', async () => {
  const { world, shell, act } = await aShop();
  await act('trigger');
  await world.advance(5);
  const { id } = (await shell.json('incidents', 'list')).json.items[0];
  await shell.text('incidents', 'ack', id);
  await world.settle();
  const totals = await shell.text('incidents', 'totals', '--months', '2');
  expect(totals).toMatchObject({ exit: 0, err: '' });
  expect(totals.out).toMatch(/^2026-01 +1 +1 +0 +0 +- +0 +0 +0 ms \/ 0 ms +0 ms \/ 0 ms +- +5\.0 s \/ 5\.0 s +0$/m);
  expect(totals.out).toMatch(/^2025-12 +0 +0 +0 +0 +- +0 +0 +- +- +- +- +0$/m);
  expect(totals.out).toMatch(/^2026-01 +email +2 +0 +0$/m);
  const { months } = (await shell.json('incidents', 'totals', '--months', '1', '--last-month', '2026-01')).json;
  expect(months).toMatchObject([
    { month: '2026-01', incidents: 1, acknowledged: 1, toAcknowledged: { count: 1, p50Ms: 5000 } },
  ]);

  const wrong = await shell.text('incidents', 'totals', '--last-month', 'May');
  expect(wrong.exit).not.toBe(0);
  expect(wrong.err).toContain(
    '--last-month takes a month of the years 1970 to 2999 such as 2026-11, or nothing for this one, got "May".',
  );
});

test('lists and incidents show name what tripped, and so does each call', async () => {
  const { world, shell, trip } = await aShop();
  for (const label of ['Front door', 'Hall', 'Kitchen']) await trip(label);
  const list = await shell.text('incidents', 'list');
  expect(list.out).toMatch(/TRIPPED BY\n.* Front door, then Hall, Kitchen\n/);
  const { id, trippedBy } = (await shell.json('incidents', 'list')).json.items[0];
  expect(trippedBy).toEqual(['Front door', 'Hall', 'Kitchen']);
  const shown = await shell.text('incidents', 'show', id);
  expect(shown.out).toMatch(/Tripped by +Front door, then Hall, Kitchen\n/);
  expect(shown.out).toMatch(/ {2}Front door: trigger in away → opened \(/);
  expect(shown.out).toMatch(/ {2}incident opened, live\. Tripped by Front door\.\n/);
  expect(shown.out).toMatch(/ {2}Kitchen: trigger in away → folded \(/);
  const calls = await shell.text('calls', 'list');
  expect(calls.out).toMatch(/opened +live +Front door +/);
  const { traceId, keyId } = (await shell.json('calls', 'list')).json.items[2];
  expect((await shell.text('calls', 'find', traceId)).out).toMatch(
    new RegExp(`By +API key Front door \\(${keyId}\\)\n`),
  );
  const stranger = await world.account();
  const outsider = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: stranger.accountId,
  });
  for (const args of [
    ['incidents', 'list'],
    ['calls', 'list'],
    ['keys', 'list'],
  ]) {
    expect((await outsider.text(...(args as [string, string]))).out).not.toContain('Front door');
  }
});

test('a key says where to look, changes it and gives it up; what is no such link is refused by its flag', async () => {
  const { shell, trip } = await aShop();
  await trip('Front door', '--look-url', 'https://cameras.example.com/front');
  expect((await shell.text('keys', 'show', 'front-door')).out).toMatch(
    /Look here +https:\/\/cameras\.example\.com\/front\n/,
  );
  const wrong = await shell.text('keys', 'update', 'front-door', '--look-url', 'http://example.com/');
  expect(wrong.exit).not.toBe(0);
  expect(wrong.err).toContain('--look-url takes an https URL without a login, at most 500 characters, or nothing');
  const { json } = await shell.json('keys', 'update', 'front-door', '--look-url', 'http://10.0.0.7/');
  expect(json.apiKey).toMatchObject({ label: 'Front door', lookUrl: 'http://10.0.0.7/' });
  expect((await shell.text('keys', 'update', 'front-door', '--look-url', '')).out).not.toContain('Look here');
});

test('a key says what follows if it is silent; what is nothing of the kind, or has no alarm to trigger, is refused by its flag', async () => {
  const { shell, trip } = await aShop();
  await trip('Front door', '--supervision', '5m');
  expect((await shell.text('keys', 'show', 'front-door')).out).toMatch(/If silent +notify\n/);
  const whole = await shell.text('keys', 'update', 'front-door', '--on-silence', 'alert');
  expect(whole.exit).not.toBe(0);
  expect(whole.err).toContain('--on-silence can be alert only where the key reaches one alarm');
  const wrong = await shell.text('keys', 'update', 'front-door', '--on-silence', 'shout');
  expect(wrong.err).toContain('--on-silence takes notify (owners are told), or alert');
  const [alarm] = (await shell.json('alarms', 'list')).json.items;
  const args = ['--label', 'Camera', '--alarm', alarm.key, '--supervision', '5m', '--on-silence', 'alert'];
  await shell.json('keys', 'create', ...args);
  expect((await shell.text('keys', 'show', 'camera')).out).toMatch(/If silent +alert\n/);
});

test('next, note and hand-over: what each does is said, and stands in the timeline with who did it', async () => {
  const { world, shell, act } = await aShop();
  await shell.json('contacts', 'create', '--name', 'Noah', '--email', 'noah@example.com');
  await world.rows('UPDATE contact_channel SET verified_at = tocsin_now()');
  await act('trigger');
  await world.rows("UPDATE source SET key = 'shop'");
  const next = await shell.text('incidents', 'next', 'shop', '--by', 'Carla');
  expect(next).toMatchObject({ exit: 0, out: expect.stringContaining('The next step was sent') });
  await world.settle();
  expect((await shell.text('incidents', 'next', 'shop')).out).toContain('Nothing was sent');
  const noted = await shell.json('incidents', 'note', 'shop', 'It was the cat', '--by', 'Carla');
  expect(noted.json).toMatchObject({ outcome: 'noted' });
  expect(await shell.text('incidents', 'note', 'shop', 'x'.repeat(501))).toMatchObject({ exit: 2 });
  // Nothing here sends texts.
  await shell.json('contacts', 'create', '--name', 'Dora', '--text', '+12025550155');
  const unreached = await shell.text('incidents', 'hand-over', 'shop', 'dora');
  expect(unreached).toMatchObject({ exit: 1, err: expect.stringContaining('no message would reach') });
  expect((await shell.text('incidents', 'hand-over', 'shop', 'noah', '--by', 'Carla')).out).toContain('Handed over');
  expect((await shell.text('incidents', 'hand-over', 'shop', 'nobody')).exit).toBe(3);
  const shown = await shell.text('incidents', 'show', 'shop');
  expect(shown.out).toContain('Carla sent the next step at once');
  expect(shown.out).toContain('Carla noted: It was the cat');
  expect(shown.out).toContain('Carla handed it over to Noah');
});

test('incidents list shows those of a key and of a contact, by id or key; what is not there is said', async () => {
  const { world, shell, trip, act } = await aShop();
  await act('trigger');
  await act('clear');
  await world.advance(60);
  await trip('Front door');
  const { items } = (await shell.json('incidents', 'list')).json;
  const listed = async (...flags: string[]) =>
    (await shell.json('incidents', 'list', ...flags)).json.items.map(({ id }: { id: string }) => id);
  const { id, key } = (await shell.json('keys', 'list')).json.items.find(
    ({ label }: { label: string }) => label === 'Front door',
  );
  for (const reference of [id, key]) expect(await listed('--api-key', reference)).toEqual([items[0].id]);
  const [anna] = (await shell.json('contacts', 'list')).json.items;
  expect(await listed('--contact', anna.id)).toEqual(items.map(({ id }: { id: string }) => id));
  expect(await listed('--contact', anna.id, '--status', 'closed')).toEqual([items[1].id]);
  expect(await listed('--contact', 'a'.repeat(32))).toEqual([]);
  const unknown = await shell.text('incidents', 'list', '--contact', 'nobody');
  expect([unknown.exit, unknown.err]).toEqual([3, 'There is no such contact in this account.\n']);
});

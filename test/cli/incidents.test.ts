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
  expect(shown.out).toMatch(/Alerts +A policy: it has ended and nobody acknowledged\n/);
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
  expect(totals.out).toMatch(/^2026-01 +1 +1 +0 +0 +0 +0 +0 ms \/ 0 ms +0 ms \/ 0 ms +- +5\.0 s \/ 5\.0 s +0$/m);
  expect(totals.out).toMatch(/^2025-12 +0 +0 +0 +0 +0 +0 +- +- +- +- +0$/m);
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

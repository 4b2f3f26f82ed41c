import { expect, onTestFinished, test } from 'vitest';
import type { Owner } from '../support/owner.ts';
import { startPeer } from '../support/peer.ts';
import { type Smtp, startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

/** A live alarm with a policy over three people, and the mail server that they read. */
async function threePeople(repeat?: { times: number; delayS: number }) {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const [anna, ben, cleo] = await Promise.all(
    ['Anna', 'Ben', 'Cleo'].map(name => owner.contact(name, { email: `${name.toLowerCase()}@example.com` })),
  );
  const policyId = await owner.policy(
    [
      { delayS: 0, contacts: [{ contactId: anna!, channels: ['email'] }] },
      {
        delayS: 120,
        contacts: [
          { contactId: ben!, channels: ['email'] },
          { contactId: cleo!, channels: ['email'] },
        ],
      },
    ],
    repeat,
  );
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  return { smtp, world, owner, do: (action: string) => world.get(`/v1/alarm/${id}/${action}`, key) };
}

const told = (smtp: Smtp) => smtp.mails.map(mail => mail.envelope.to[0]!.split('@')[0]);

test('steps tell people at their times and in their order, and not a moment earlier', async () => {
  const { smtp, world, do: act } = await threePeople();
  await act('trigger');
  await world.settle();
  expect(told(smtp)).toEqual(['anna']);
  await world.advance(119.999);
  expect(told(smtp)).toEqual(['anna']);
  await world.advance(0.001);
  expect(told(smtp).slice(1).sort()).toEqual(['ben', 'cleo']);
  await smtp.stop();
});

test('a policy with rounds begins again after its repeat delay, and ends after the last', async () => {
  const { smtp, world, owner, do: act } = await threePeople({ times: 2, delayS: 300 });
  await act('trigger');
  await world.settle();
  await world.advance(120 + 300 - 0.001);
  expect(told(smtp).length).toBe(3);
  await world.advance(0.001);
  expect(told(smtp).length).toBe(4);
  await world.advance(7200);
  expect(told(smtp).length).toBe(9);
  expect((await owner.incidents())[0]!.deliveries.map(one => one.status)).toEqual(Array(9).fill('sent'));
  await smtp.stop();
});

test('clear stops the escalation for everybody who was not told yet', async () => {
  const { smtp, world, do: act } = await threePeople();
  await act('trigger');
  await world.settle();
  await act('clear');
  await world.advance(3600);
  expect(told(smtp)).toEqual(['anna']);
  await smtp.stop();
});

test('a mail server that is busy is tried again after 5, 15 and 45 seconds and so on, and the next step does not wait for it', async () => {
  const { smtp, world, owner, do: act } = await threePeople();
  smtp.greylist('anna@example.com');
  await act('trigger');
  await world.settle();
  const first = async () => (await owner.incidents())[0]!.deliveries.find(one => one.step === 0)!;
  for (const [attempts, wait] of [
    [1, 5],
    [2, 15],
    [3, 45],
  ] as const) {
    expect(await first()).toMatchObject({ attempts, status: 'scheduled' });
    await world.advance(wait - 0.001);
    expect(await first()).toMatchObject({ attempts });
    await world.advance(0.001);
  }
  expect(await first()).toMatchObject({ attempts: 4, status: 'scheduled' });
  expect((await first()).reason).toContain('come back later');
  await smtp.stop();
});

test('a send that fails for good goes over to the contact’s next channel at once, and is not tried again', async () => {
  const smtp = await startSmtp();
  const hook = await startPeer((_heard, response) => void response.writeHead(204).end());
  onTestFinished(hook.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  smtp.failNext(550, { message: 'no such mailbox' });
  const addresses = { email: 'anna@example.com', text: '+12025550100', webhook: hook.url };
  const delivered = await fire(world, owner, addresses, ['email']);
  expect(delivered).toMatchObject([
    { channel: 'email', status: 'failed', attempts: 1, insteadOf: '' },
    { channel: 'webhook', status: 'delivered', attempts: 1, step: 0, insteadOf: 'email' },
  ]);
  expect(delivered[0]!.reason).toContain('no such mailbox');
  await smtp.stop();
});

test('a channel that the contact has no address for fails by name and goes over to one that works', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const delivered = await fire(world, owner, { email: 'anna@example.com' }, ['call']);
  expect(delivered).toMatchObject([
    { channel: 'call', status: 'failed', reason: 'no_address' },
    { channel: 'email', status: 'sent' },
  ]);
  await smtp.stop();
});

test('where nothing is configured for a channel the message is no_carrier, keeps its text and is never called sent', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const delivered = await fire(world, owner, { email: 'anna@example.com', text: '+12025550100' }, ['email', 'text']);
  expect(delivered.map(one => [one.channel, one.status, one.sentAt])).toEqual([
    ['email', 'no_carrier', undefined],
    ['text', 'no_carrier', undefined],
  ]);
  for (const one of delivered) {
    expect(one.reason).not.toBe('');
    expect(one.keptMessage).toContain('House');
  }
});

test('text and call need the paid plan after the first 14 days; email goes out (SPEC.md 8)', async () => {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ plan: 'free' });
  const addresses = { text: '+12025550100', email: 'anna@example.com' };
  const inTrial = await fire(world, owner, addresses, ['text', 'email']);
  expect(inTrial.map(one => one.status)).toEqual(['no_carrier', 'sent']);

  await world.advance(14 * 24 * 3600);
  const after = await fire(world, owner, addresses, ['text', 'email']);
  expect(after).toMatchObject([
    { channel: 'text', status: 'failed', reason: 'plan_required' },
    { channel: 'email', status: 'sent' },
  ]);
  const rehearsed = await fire(world, owner, addresses, ['text', 'email'], { test: true });
  expect(rehearsed).toMatchObject([
    { channel: 'text', status: 'suppressed', reason: 'plan_required' },
    { channel: 'email', status: 'suppressed', reason: '' },
  ]);
  await smtp.stop();
});

test('a slow mail server holds up its own messages and nobody else’s', async () => {
  const smtp = await startSmtp({ mode: 'hang' });
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com', text: '+12025550100' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email', 'text'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await smtp.next();
  await expect
    .poll(async () => (await owner.incidents())[0]?.deliveries.map(one => one.status).sort())
    .toEqual(['no_carrier', 'sending']);
  smtp.cut();
  await smtp.stop();
});

/** Fires a fresh alarm whose one step tells one contact, and gives the deliveries. */
async function fire(
  world: Awaited<ReturnType<typeof startWorld>>,
  owner: Owner,
  addresses: Parameters<Owner['contact']>[1],
  channels: ('email' | 'text' | 'call')[],
  alarm: { test?: boolean } = {},
) {
  const contactId = await owner.contact('Anna', addresses);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels }] }]);
  const id = await owner.alarm({ ...alarm, modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  return (await owner.incidents()).find(incident => incident.sourceId === id)!.deliveries;
}

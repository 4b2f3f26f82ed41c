import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { createLinks } from '../../services/responder/links.ts';
import { NO_CARRIERS } from '../support/carriers.ts';
import { consoleOf } from '../support/console.ts';
import { startHook } from '../support/hook.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { PEPPER, startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Would it reach": a channel that would not reach somebody is passed over, and another goes in its place. */

/** A deployment with a mail server, without a carrier for text, and a receiver of webhooks that works. */
async function aPlace() {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const secret = NO_CARRIERS.webhookSecret('');
  const hook = await startHook({ secret });
  onTestFinished(hook.stop);
  const carriers = { outboundNetworks: ['127.0.0.0/8'], webhookSecret: () => secret };
  return { smtp, hook, world: await startWorld({ smtpUrl: smtp.url, carriers }) };
}

/** Fires an alarm whose one step tells Anna over these channels, and gives what was recorded. */
async function fire(
  world: World,
  owner: Owner,
  { has, told }: { has: readonly [ChannelKind, string][]; told: ChannelKind[] },
) {
  const contactId = await owner.contact('Anna', Object.fromEntries(has));
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: told }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  const incident = (await owner.incidents()).find(({ sourceId }) => sourceId === id)!;
  return { incident, rows: incident.deliveries.map(({ channel, status }) => `${channel} ${status}`), id };
}

const ORDERS = [
  ['email', 'text', 'webhook'],
  ['email', 'webhook', 'text'],
  ['text', 'email', 'webhook'],
  ['text', 'webhook', 'email'],
  ['webhook', 'email', 'text'],
  ['webhook', 'text', 'email'],
] as const;

test.each(
  ORDERS,
)('email refused, no carrier for text: however they were typed (%s, %s, %s), the webhook is asked and gets it', async (...order) => {
  const { smtp, hook, world } = await aPlace();
  for (let nth = 0; nth < 10; nth++) smtp.failNext(550, { message: 'no such mailbox' });
  const owner = await world.account();
  const addresses = { email: 'anna@example.com', text: '+12025550100', webhook: hook.url };
  const has = order.map((channel): [ChannelKind, string] => [channel, addresses[channel]]);
  for (const told of [['email'], ['text'], ['email', 'text'], ['text', 'email']] satisfies ChannelKind[][]) {
    const before = hook.heard.length;
    const { rows, incident } = await fire(world, owner, { has, told });
    expect(rows, String(told)).toContain('webhook delivered');
    expect(hook.heard).toHaveLength(before + 1);
    expect(incident.outcome).toBe('alerting');
    for (const channel of told) expect(rows).toContain(channel === 'text' ? 'text no_carrier' : 'email failed');
  }
});

test('a step that names text alone, where text has no carrier: a good email goes in its place, and every word says so', async () => {
  const { smtp, world } = await aPlace();
  const owner = await world.account();
  const has: [ChannelKind, string][] = [
    ['text', '+12025550100'],
    ['email', 'anna@example.com'],
  ];
  const { incident, rows, id } = await fire(world, owner, { has, told: ['text'] });
  expect(rows).toEqual(['text no_carrier', 'email sent']);
  expect(smtp.mails).toHaveLength(1);
  expect(incident.outcome).toBe('alerting');
  const [text, email] = incident.deliveries;
  expect(text).toMatchObject({ insteadOf: '', keptMessage: expect.stringContaining('House') });
  expect(email).toMatchObject({ insteadOf: 'text', explanation: expect.stringMatching(/It stands in for text\.$/) });

  const { readiness } = consoleOf(world, world.operator, owner.accountId);
  const { sources } = await readiness.getReadiness({ sourceId: id });
  expect(sources[0]!.findings.find(({ code }) => code === 'no_carrier')?.problem).toBe(
    'No carrier is set up for text, by which the policy "A policy" alerts Anna. Instead, the alert goes by email to Anna.',
  );
});

test('preview, rehearsal, test record and live: the same messages, with the same reasons', async () => {
  const { world, smtp } = await aPlace();
  const owner = await world.account({ plan: 'free' });
  await world.rows("UPDATE account SET created_at = created_at - interval '30 days'");
  const contactId = await owner.contact('Anna', {
    call: '+12025550100',
    push: 'anna',
    email: 'anna@example.com',
    webhook: 'https://hook.example.com/x',
  });
  await world.rows("UPDATE contact_channel SET disabled_reason = 'moved' WHERE channel = 'webhook'");
  const channels = ['text', 'call', 'push', 'webhook'] as const;
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: [...channels] }] }]);
  const alarmId = await owner.alarm({ test: true, modes: { away: { policyId } } });
  const { readiness, drills } = consoleOf(world, world.operator, owner.accountId);
  const expected = [
    ['text', 'no_address', ''],
    ['call', 'plan_required', ''],
    ['push', 'no_carrier', ''],
    ['webhook', 'disabled', ''],
    ['email', '', 'text'],
  ];
  const previewed = async () =>
    (await readiness.preview({ sourceId: alarmId })).deliveries.map(({ channel, outcome, insteadOf }) => [
      channel,
      outcome === 'suppressed' || outcome === 'sent' ? '' : outcome,
      insteadOf,
    ]);
  expect(await previewed()).toEqual(expected);

  const rehearsed = await drills.rehearse({ sourceId: alarmId, keepOpen: true });
  expect(rehearsed.lines.map(({ text }) => text).slice(2, -1)).toEqual([
    'Anna is not alerted by text, because there is no usable address (step 1).',
    'Anna is not alerted by call, because the plan of the account does not cover it (step 1).',
    'Anna is not alerted by push, because no carrier is set up for it (step 1).',
    'Anna is not alerted by webhook, because the address is disabled (step 1).',
    'Anna is alerted by email instead of text (step 1).',
  ]);
  const [tested] = await owner.incidents();
  expect(tested!.deliveries.map(({ channel, reason, insteadOf }) => [channel, reason, insteadOf])).toEqual(expected);
  expect(tested!.deliveries.map(({ explanation }) => explanation)).toEqual([
    'Not sent in test; live it would not have gone: the contact has no address for this channel.',
    'Not sent in test; live it would not have gone: the plan does not cover this channel.',
    'Not sent in test; live it would not have gone: no carrier is set up for push.',
    'Not sent in test; live it would not have gone: the address is disabled.',
    'Not sent in test; live, it would have been sent. It stands in for text.',
  ]);
  // In test nobody is sent a link: this is the one that they would have.
  const links = createLinks({ pepper: PEPPER, publicUrl: () => world.url });
  const page = await (await fetch(links.wayBackOf(tested!.deliveries[0]!.id, 1)!.pageUrl)).text();
  expect(page).toContain('push message: would not be sent (no carrier is set up)');
  expect(page).toContain('webhook: would not be sent (address disabled)');
  expect(page).toMatch(/email: would be sent at/);
  expect(smtp.mails).toEqual([]);

  await world.rows('UPDATE source SET test = false');
  expect(await previewed()).toEqual(expected);
  await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
  await world.settle();
  const [live] = await owner.incidents();
  const said = live!.deliveries.map(({ channel, status, reason, insteadOf }) => [
    channel,
    status === 'sent' ? '' : status === 'no_carrier' ? status : reason,
    insteadOf,
  ]);
  // Of several that are passed over at once it takes the place of the one that ended first.
  const passedOver = expect.stringMatching(/^(text|call|push|webhook)$/);
  expect(said).toEqual([...expected.slice(0, -1), ['email', '', passedOver]]);
  expect(smtp.mails).toHaveLength(1);
});

test('two channels of a step that both reach nobody never both settle for the same third: each finds its own', async () => {
  const { smtp, hook, world } = await aPlace();
  const owner = await world.account();
  const has: [ChannelKind, string][] = [
    ['text', '+12025550100'],
    ['call', '+12025550100'],
    ['email', 'anna@example.com'],
    ['webhook', hook.url],
  ];
  for (let nth = 1; nth <= 4; nth++) {
    const { rows } = await fire(world, owner, { has, told: ['text', 'call'] });
    expect(rows.toSorted()).toEqual(['call no_carrier', 'email sent', 'text no_carrier', 'webhook delivered']);
    expect([smtp.mails.length, hook.heard.length]).toEqual([nth, nth]);
    await world.advance(901);
  }
});

test('a process that dies between keeping a message and passing over leaves neither: both are done again', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url, tables: 'fresh' });
  const owner = await world.account();
  await world.rows(`CREATE FUNCTION no_stand_ins() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE 'the process is gone'; END $$`);
  await world.rows(`CREATE TRIGGER no_stand_ins BEFORE INSERT ON delivery FOR EACH ROW WHEN (NEW.instead_of IS NOT NULL)
    EXECUTE FUNCTION no_stand_ins()`);
  const has: [ChannelKind, string][] = [
    ['text', '+12025550100'],
    ['email', 'anna@example.com'],
  ];
  const cut = await fire(world, owner, { has, told: ['text'] });
  expect(cut.rows).toEqual(['text sending']);
  expect(cut.incident.outcome).toBe('alerting');
  await world.rows('DROP TRIGGER no_stand_ins ON delivery');
  // Its lease runs out.
  await world.advance(60);
  const [incident] = await owner.incidents();
  expect(incident!.deliveries.map(({ channel, status }) => `${channel} ${status}`)).toEqual([
    'text no_carrier',
    'email sent',
  ]);
  expect(smtp.mails).toHaveLength(1);
});

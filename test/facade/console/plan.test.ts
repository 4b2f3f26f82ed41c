import { expect, test } from 'vitest';
import { planOf } from '../../../facade/console/page/policies/plan.ts';
import type { PreviewResponse } from '../../../gen/tocsin/console/v1/readiness_pb.ts';
import { consoleOf } from '../../support/console.ts';
import { startSmtp } from '../../support/smtp.ts';
import { startWorld } from '../../support/world.ts';

const told = ({ deliveries, escalationEndsS, leftOut }: PreviewResponse) => ({
  deliveries: deliveries.map(({ afterS, round, step, contactName, channel, outcome, insteadOf }) =>
    [afterS, round, step, contactName, channel, outcome, insteadOf].join(' ').trim(),
  ),
  escalationEndsS,
  leftOut,
});

test('a policy that is being edited is shown as the services preview it once it is saved', async () => {
  await using smtp = await mailServer();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { email: 'anna@example.com' });
  const noah = await owner.contact('Noah', { text: '+12025550101', push: 'noah', email: 'noah@example.com' });
  const olga = await owner.contact('Olga', { push: 'olga' });
  const mute = await owner.contact('Mute', {});
  await world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1', [olga]);
  const steps = [
    {
      delayS: 30,
      contacts: [
        { contactId: anna, channels: ['email' as const] },
        { contactId: mute, channels: ['call' as const] },
      ],
    },
    {
      delayS: 300,
      contacts: [
        { contactId: noah, channels: ['text' as const] },
        { contactId: olga, channels: ['push' as const] },
      ],
    },
  ];
  const policyId = await owner.policy(steps, { times: 2, delayS: 600 });
  const alarm = await owner.alarm({ modes: { away: { policyId } } });
  const seen = consoleOf(world, world.operator, owner.accountId);
  const preview = await seen.readiness.preview({ sourceId: alarm, mode: 'away' });
  const { policy } = await seen.policies.getPolicy({ policyId });
  const people = new Map((await seen.contacts.listContacts({})).contacts.map(person => [person.id, person]));
  const plan = told(planOf(policy!, people));
  expect(plan).toEqual(told(preview));
  expect(plan.deliveries.slice(0, 5)).toEqual([
    '30 0 0 Anna email sent',
    '30 0 0 Mute call no_address',
    '330 0 1 Noah text no_carrier',
    '330 0 1 Noah email sent text',
    '330 0 1 Olga push not_verified',
  ]);
  expect(plan.escalationEndsS).toBe(30 + 300 + 2 * (600 + 30 + 300));
});

test('a step that names a duty tells whoever is on duty, under its name, and is kept as it was', () => {
  const ways = ['call', 'text'].map(channel => ({ channel, reach: 'goes', disabledReason: '' }));
  const people = new Map([['d1', { name: 'whoever is on duty: Shop phone', channels: ways }]]);
  const steps = [{ delayS: 0, contacts: [{ contactId: '', dutyId: 'd1', channels: ['call'] }] }];
  const policy = { id: '', key: '', version: 1, name: 'Shop', steps, repeat: 0, repeatDelayS: 60, askAgainAfterS: 0 };
  expect(told(planOf(policy, people)).deliveries).toEqual(['0 0 0 whoever is on duty: Shop phone call sent']);
});

test('says how many messages one incident would leave out', () => {
  const channels = ['text', 'call', 'email', 'push', 'webhook'];
  const crowd = Array.from({ length: 20 }, (_, at) => ({ contactId: `${at}`, dutyId: '', channels }));
  const steps = [
    { delayS: 0, contacts: crowd },
    { delayS: 60, contacts: crowd },
  ];
  const policy = {
    id: '',
    key: '',
    version: 1,
    name: 'Everybody',
    steps,
    repeat: 5,
    repeatDelayS: 60,
    askAgainAfterS: 0,
  };
  const { deliveries, leftOut } = planOf(policy, new Map());
  expect([deliveries.length, leftOut]).toEqual([500, 700]);
});

async function mailServer() {
  const smtp = await startSmtp();
  return { url: smtp.url, [Symbol.asyncDispose]: () => smtp.stop() };
}

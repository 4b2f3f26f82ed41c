import { expect, test } from 'vitest';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import type { PolicyStep } from '../../services/store/entities/policy.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/** Twenty steps of twenty people, a minute apart, in six rounds: as no console takes it any more, and an earlier one did. */
async function largestPolicy(owner: Owner, channels: ChannelKind[]): Promise<string> {
  const names = Array.from({ length: 20 }, (_, nth) => `P${nth}`);
  const ids = await Promise.all(names.map(name => owner.contact(name, { text: '+12025550100' })));
  const contacts = ids.map(contactId => ({ contactId, channels }));
  const steps: PolicyStep[] = Array.from({ length: 20 }, () => ({ delayS: 60, contacts }));
  return owner.policy(steps, { times: 5, delayS: 300 });
}

/** Another account whose alarm tells Anna by email. */
async function aNeighbour(world: World) {
  const owner = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  const key = await owner.key();
  return { owner, trigger: () => world.get(`/v1/alarm/${id}/trigger`, key) };
}

const stored = (world: World, { accountId }: Owner) =>
  world.rows('SELECT status, count(*)::int AS count FROM delivery WHERE account_id = $1 GROUP BY status', [accountId]);

async function aWorld() {
  const smtp = await startSmtp();
  const world = await startWorld({ smtpUrl: smtp.url });
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const told = (who: string) =>
    smtp.mails.filter(({ envelope }) => envelope.to.includes(who)).map(({ subject }) => subject);
  return { smtp, world, owner, told, key: await owner.key(), neighbour: await aNeighbour(world) };
}

test('a policy from before the limit plans 500 messages; the timeline says how many are left out, and the owner is told', async () => {
  const { smtp, world, owner, told, key, neighbour } = await aWorld();
  const policyId = await largestPolicy(owner, ['text', 'call']);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await neighbour.trigger();
  await world.settle();
  expect(await stored(world, owner)).toEqual([{ status: 'scheduled', count: 500 }]);
  expect(told('anna@example.com')).toHaveLength(1);

  const [incident] = await owner.incidents();
  const changes = incident!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
  expect(changes.slice(0, 2)).toMatchObject([{ kind: 'opened' }, { kind: 'escalation_capped', detail: '4300' }]);
  // Forty to a step: the thirteenth is the last, and has room for half of its people.
  expect(changes.filter(({ kind }) => kind === 'step').map(({ step }) => step)).toEqual([...Array(13).keys()]);
  expect(incident!.deliveries.filter(({ step }) => step === 12)).toHaveLength(20);
  expect(Number(incident!.escalationEndsAt!.seconds - incident!.openedAt!.seconds)).toBe(13 * 60);
  expect(told('owner@example.com')).toEqual([expect.stringContaining('NOT ALL MESSAGES SCHEDULED: House')]);

  for (let minute = 1; minute <= 13; minute++) await world.advance(60);
  await world.advance(300);
  const [over] = await owner.incidents();
  expect(over).toMatchObject({ outcome: 'nobody_reached', status: 'open' });
  expect(over!.deliveries).toHaveLength(500);
  // Texts and calls have no carrier here.
  expect(told('owner@example.com').slice(1)).toEqual([
    expect.stringContaining('NOBODY WAS ALERTED: House'),
    expect.stringContaining('NOBODY ACKNOWLEDGED: House'),
  ]);
  expect((await neighbour.owner.incidents())[0]!.timeline.some(isCapped)).toBe(false);
  await smtp.stop();
});

test('in test the same limit holds, however often it is fired, and the alarm of a neighbour goes out', async () => {
  const { smtp, world, owner, told, key, neighbour } = await aWorld();
  const policyId = await largestPolicy(
    owner,
    CHANNELS.filter(channel => channel !== 'chat'),
  );
  const id = await owner.alarm({ test: true, modes: { away: { policyId } } });
  for (let nth = 0; nth < 8; nth++) {
    await world.get(`/v1/alarm/${id}/trigger`, key);
    await world.get(`/v1/alarm/${id}/clear`, key);
  }
  await neighbour.trigger();
  await world.settle();
  expect(told('anna@example.com')).toHaveLength(1);

  const incidents = await owner.incidents();
  expect(incidents).toHaveLength(8);
  for (const { deliveries, timeline } of incidents) {
    expect(deliveries).toHaveLength(500);
    const capped = timeline.filter(isCapped).map(({ entry }) => entry.value);
    expect(capped).toMatchObject([{ detail: '11500' }]);
  }
  // Nobody is told in test, the owner neither.
  expect(told('owner@example.com')).toEqual([]);
  await smtp.stop();
});

function isCapped({ entry }: Awaited<ReturnType<Owner['incidents']>>[number]['timeline'][number]): boolean {
  return entry.case === 'change' && entry.value.kind === 'escalation_capped';
}

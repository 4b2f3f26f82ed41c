import { describe, expect, test } from 'vitest';
import { CHANNELS } from '../../../services/domain/delivery.ts';
import { type Console, consoleOf, newOwner, refusal } from '../../support/console.ts';
import type { Owner } from '../../support/owner.ts';
import { startWorld } from '../../support/world.ts';
import { tokenOf } from '../incident/incident-rig.ts';

/** Steps of twenty people each, over all five channels: a hundred messages. */
function stepsOf(count: number, people: readonly string[]) {
  const contacts = people.map(contactId => ({ contactId, channels: CHANNELS.filter(channel => channel !== 'chat') }));
  return Array.from({ length: count }, () => ({ delayS: 60, contacts }));
}

const says = (got: string) =>
  `takes at most 500 messages in one incident, got ${got}: use fewer rounds, steps, contacts or channels.`;

async function twenty({ contacts }: Console): Promise<string[]> {
  const keys = Array.from({ length: 20 }, (_, nth) => `p${nth}`);
  for (const key of keys) await contacts.createContact({ contact: { name: key, key } });
  return keys;
}

describe('a policy that asks for more than one incident plans is refused', () => {
  test('when it is made: with what it comes to, at the field that has to be smaller, and nothing is stored', async () => {
    const world = await startWorld();
    const { console: own } = await newOwner(world);
    const people = await twenty(own);
    const refusedFor = async (policy: object) =>
      (await refusal(own.policies.createPolicy({ policy: { name: 'All', ...policy } }))).fields;
    expect(await refusedFor({ steps: stepsOf(20, people), repeat: 5 })).toEqual({
      steps: says('12000 (6 rounds of 2000)'),
    });
    expect(await refusedFor({ steps: stepsOf(6, people) })).toEqual({ steps: says('600 (1 round of 600)') });
    expect(await refusedFor({ steps: stepsOf(1, people), repeat: 5 })).toEqual({
      repeat: says('600 (6 rounds of 100)'),
    });
    expect(await refusedFor({ steps: stepsOf(6, ['nobody', ...people.slice(1)]) })).toMatchObject({
      'steps[0].contacts[0].contactId': expect.stringContaining('got "nobody"'),
      steps: says('600 (1 round of 600)'),
    });
    expect((await own.policies.listPolicies({})).policies).toEqual([]);

    const { policy } = await own.policies.createPolicy({ policy: { name: 'All', steps: stepsOf(5, people) } });
    expect(policy).toMatchObject({ version: 1, repeat: 0 });
  });

  test('when it is changed so, and it stays as it was', async () => {
    const world = await startWorld();
    const { console: own } = await newOwner(world);
    const people = await twenty(own);
    const { policy } = await own.policies.createPolicy({ policy: { name: 'All', steps: stepsOf(2, people) } });
    const changed = { id: policy!.id, version: 1, repeat: 2 };
    const refused = await refusal(own.policies.updatePolicy({ policy: changed, updateMask: { paths: ['repeat'] } }));
    expect(refused).toMatchObject({ code: 'InvalidArgument', fields: { repeat: says('600 (3 rounds of 200)') } });
    expect((await own.policies.getPolicy({ policyId: 'all' })).policy).toEqual(policy);
  });

  test('only to whom it belongs: others hear that there is none, or that they may not', async () => {
    const world = await startWorld();
    const [{ console: own }, { console: outsider }] = [await newOwner(world), await newOwner(world, 'Somebody else')];
    const people = await twenty(own);
    const { policy } = await own.policies.createPolicy({ policy: { name: 'All', steps: stepsOf(2, people) } });
    const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
    const tooMuch = { policy: { id: policy!.id, version: 1, repeat: 5 }, updateMask: { paths: ['repeat'] } };
    expect(await refusal(outsider.policies.updatePolicy(tooMuch))).toMatchObject({ code: 'NotFound', fields: {} });
    const byKey = consoleOf(world, secret).policies;
    expect(await refusal(byKey.updatePolicy(tooMuch))).toMatchObject({ code: 'Unauthenticated', fields: {} });
    expect((await own.policies.getPolicy({ policyId: 'all' })).policy).toEqual(policy);
  });
});

/** An owner with a policy from before there was the limit: 20 steps of 20 people over 5 channels in 6 rounds. */
async function fromBefore(test = false) {
  const world = await startWorld({ smtpUrl: 'smtp://127.0.0.1:9' });
  const owner = await world.account();
  const people = await Promise.all(
    Array.from({ length: 20 }, (_, nth) => owner.contact(`P${nth}`, { email: `p${nth}@example.com` })),
  );
  const policyId = await owner.policy(stepsOf(20, people), { times: 5, delayS: 300 });
  const sourceId = await owner.panicButton({ policyId, test });
  return { world, owner, people, policyId, sourceId, own: await consoleFor(world, owner) };
}

async function consoleFor(world: Parameters<typeof tokenOf>[0], owner: Owner): Promise<Console> {
  return consoleOf(world, await tokenOf(world, owner, 'Anna’s laptop'));
}

describe('a policy from before the limit', () => {
  test('can be read, stays as long as nothing of it changes, and is changed to what is within', async () => {
    const { policyId, people, own } = await fromBefore();
    const { policy } = await own.policies.getPolicy({ policyId });
    expect(policy).toMatchObject({ version: 1, repeat: 5 });
    expect((await own.policies.listPolicies({})).policies).toEqual([policy]);
    expect((await own.policies.updatePolicy({ policy: policy! })).policy).toEqual(policy);

    const change = (fields: object) =>
      own.policies.updatePolicy({
        policy: { id: policyId, version: 1, ...fields },
        updateMask: { paths: Object.keys(fields) },
      });
    expect((await refusal(change({ name: 'Renamed' }))).fields).toEqual({ steps: says('12000 (6 rounds of 2000)') });
    expect((await refusal(change({ repeat: 4 }))).fields).toEqual({ steps: says('10000 (5 rounds of 2000)') });
    const changed = await change({ name: 'Renamed', repeat: 0, steps: stepsOf(5, people) });
    expect(changed.policy).toMatchObject({ name: 'Renamed', version: 2 });
    expect(changed.findings.map(({ code }) => code)).not.toContain('escalation_capped');
  });

  test('readiness warns of it, and the preview shows what is planned and how much is not', async () => {
    const { sourceId, own } = await fromBefore();
    const { sources } = await own.readiness.getReadiness({ sourceId });
    expect(sources[0]!.findings.find(({ code }) => code === 'escalation_capped')).toMatchObject({
      severity: 'warns',
      problem: 'The policy "A policy" asks for 12000 messages in one incident: only the first 500 are scheduled.',
    });
    const told = await own.readiness.preview({ sourceId });
    expect(told).toMatchObject({ leftOut: 11_500, escalationEndsS: 300 });
    expect(told.deliveries).toHaveLength(500);
  });

  test('a rehearsal plans as much as it would live, and its transcript says what is left out', async () => {
    const { sourceId, own } = await fromBefore(true);
    const { incident, lines } = await own.drills.rehearse({ sourceId });
    expect(incident!.timeline.filter(({ entry }) => entry.case === 'delivery')).toHaveLength(500);
    expect(lines.slice(-2).map(({ afterS, text }) => `${afterS} ${text}`)).toEqual([
      '300 That was the last message: nobody else is alerted.',
      '300 The policy "A policy" asks for more messages than one incident may have: the rest (11500) is left out.',
    ]);
  });
});

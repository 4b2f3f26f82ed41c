import { expect, test } from 'vitest';
import { CHANNELS } from '../../services/domain/delivery.ts';
import { startWorld } from '../support/world.ts';
import { commandLine } from './command-line.ts';

/** What the numbers below are counted with. */
const FIVE = CHANNELS.filter(channel => channel !== 'chat');

const RATHER = 'use fewer rounds, steps, contacts or channels.';

test('a policy that asks for more than one incident plans is refused by the flag that has to be smaller', async () => {
  const world = await startWorld();
  const operator = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: world.operator });
  const { json: account } = await operator.json('accounts', 'create', '--name', 'An owner');
  const owner = commandLine({ TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: account.token });
  const keys = Array.from({ length: 20 }, (_, nth) => `p${nth}`);
  for (const key of keys) await owner.text('contacts', 'create', '--name', key);
  const step = ['--step', `5m ${keys.map(key => `${key}:${FIVE.join()}`).join(' ')}`];
  const steps = (count: number) => Array(count).fill(step).flat();

  expect(await owner.text('policies', 'create', '--name', 'All', ...steps(6))).toMatchObject({
    exit: 2,
    err: expect.stringContaining(
      `--step takes at most 500 messages in one incident, got 600 (1 round of 600): ${RATHER}`,
    ),
  });
  expect((await owner.text('policies', 'create', '--name', 'All', ...steps(5))).exit).toBe(0);
  expect(await owner.text('policies', 'update', 'all', '--repeat', '1')).toMatchObject({
    exit: 2,
    err: expect.stringContaining(
      `--repeat takes at most 500 messages in one incident, got 1000 (2 rounds of 500): ${RATHER}`,
    ),
  });
});

test('of a policy from before the limit every command that tells what it does says what is left out', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const shell = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: owner.accountId,
  });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const contacts = [{ contactId, channels: [...FIVE] }];
  const policyId = await owner.policy(Array(20).fill({ delayS: 60, contacts }), { times: 5, delayS: 300 });
  const id = await owner.panicButton({ name: 'Bedside', policyId });
  const left = 'the policy asks for more messages than one incident may have: the rest (100) is left out';

  expect((await shell.text('preview', id)).out).toContain(`${left.replace('the', 'The')}.\n`);
  expect((await shell.text('readiness', id)).out).toMatch(
    /warns +Bedside: The policy "A policy" asks for 600 messages/,
  );
  await world.get(`/v1/panic/${id}/trigger`, await owner.key());
  await world.settle();
  const { id: incidentId } = (await shell.json('incidents', 'list')).json.items[0];
  expect((await shell.text('incidents', 'show', incidentId)).out).toContain(`${left}\n`);
  expect((await shell.text('notices', 'list')).out).toMatch(/escalation_capped .* asks for more than 500 messages/);
});

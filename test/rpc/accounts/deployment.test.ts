import { expect, test } from 'vitest';
import { readWaitingWork } from '../../../services/accounts/statements/waiting-work.ts';
import { consoleOf } from '../../support/console.ts';
import { holdApplying } from '../../support/waiting.ts';
import { startWorld } from '../../support/world.ts';

test('an account sees what waits of its own, and the operator what waits of all', async () => {
  const world = await startWorld();
  const [busy, idle] = [await world.account(), await world.account()];
  const operator = (accountId: string) => consoleOf(world, world.operator, accountId);
  const ownToken = async ({ accountId }: typeof busy) =>
    consoleOf(world, (await operator(accountId).accounts.createToken({ label: 'Tablet' })).secret);
  const [asBusy, asIdle] = [await ownToken(busy), await ownToken(idle)];
  const [alarm, key] = [await busy.alarm(), await busy.key()];
  const letGo = await holdApplying(world.databaseUrl);
  await Promise.all(Array.from({ length: 3 }, () => world.get(`/v1/alarm/${alarm}/trigger`, key)));

  expect(await asBusy.deployment.getDeployment({})).toMatchObject({ waitingCalls: 3 });
  expect(await asIdle.deployment.getDeployment({})).toMatchObject({ waitingCalls: 0, unappliedS: 0, overdueS: 0 });
  expect(await operator(idle.accountId).deployment.getDeployment({})).toMatchObject({ waitingCalls: 3 });

  await letGo();
  await world.settle();
  expect(await asBusy.deployment.getDeployment({})).toMatchObject({ waitingCalls: 0, unappliedS: 0 });
});

test('how long things wait is told of the account that is asked about', async () => {
  const world = await startWorld();
  const [late, other] = [await world.account(), await world.account()];
  const contact = await late.contact('Anna', { email: 'anna@example.com' });
  const policyId = await late.policy([{ delayS: 0, contacts: [{ contactId: contact, channels: ['email'] }] }]);
  const alarm = await late.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${alarm}/trigger`, await late.key());
  await world.settle();
  // Undone again: the engine, which would send what is due at once, sees nothing of it.
  const client = await world.store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query("UPDATE delivery SET status = 'scheduled', due_at = tocsin_now() - interval '90 seconds'");
    await client.query(
      `INSERT INTO queued_action (account_id, source_seq, id, due_at, verb, environment, trace_id, accepted_at)
       SELECT account_id, seq, 1, 'infinity', 'trigger', 'live', gen_random_uuid(), tocsin_now() - interval '70 seconds'
       FROM source WHERE id = $1`,
      [alarm],
    );
    const waiting = { calls: 1, unappliedS: expect.closeTo(70, -1), overdueS: 90 };
    expect(await readWaitingWork(client, late.accountId)).toEqual(waiting);
    expect(await readWaitingWork(client, null)).toEqual(waiting);
    expect(await readWaitingWork(client, other.accountId)).toEqual({ calls: 0, unappliedS: 0, overdueS: 0 });
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
});

import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { commandLine } from '../cli/command-line.ts';
import type { Owner } from '../support/owner.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Nobody reached": where every message failed or had no carrier, no word says that anybody was alerted. */

const EMAIL = 'anna@example.com';

/** A live alarm of an account: Anna by `channel` at once, Ben by email a minute later. */
async function aHouse(world: World, channel: ChannelKind, address: string, ownerEmail: string) {
  const owner = await world.account({ ownerEmail });
  const anna = await owner.contact('Anna', { [channel]: address });
  const ben = await owner.contact('Ben', { email: 'ben@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: [channel] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['email'] }] },
  ]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  return { owner, fire: fire(world, owner, alarmId) };
}

function fire(world: World, owner: Owner, alarmId: string) {
  return async () => {
    const answer = await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
    expect(answer.status).toBe(202);
    await world.settle();
    return answer;
  };
}

test('where nothing could be sent so far, every word says so, and the owner hears of it at once; a later message counts', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const { owner, fire } = await aHouse(world, 'text', '+12025550111', 'owner@example.com');
  const beside = await aHouse(world, 'email', EMAIL, 'beside@example.com');
  // The next step goes at once, and is not taken for now.
  smtp.refuse('ben@example.com', 450);
  const [answer, theirs] = [await fire(), await beside.fire()];

  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ outcome: 'nobody_reached', status: 'open' });
  expect((await owner.call(answer)).explanation).toMatch(/nobody was alerted/);
  expect((await owner.call(await fire())).explanation).toMatch(/was counted, and nobody has been alerted so far/);
  const told = (address: string) => smtp.mails.filter(({ envelope }) => envelope.to.includes(address));
  expect(told('owner@example.com')).toMatchObject([
    {
      subject: 'NOBODY WAS ALERTED: House',
      text: expect.stringContaining('every message so far failed or had no carrier'),
    },
  ]);
  const cli = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: owner.accountId,
  });
  expect((await cli.text('incidents', 'list')).out).toMatch(/nobody_reached/);
  const shown = (await cli.text('incidents', 'show', incident!.id)).out;
  expect(shown).toMatch(/Alerts +nobody: its messages failed, had no carrier or could not be scheduled/);
  expect(shown).toMatch(/nobody was reached: every message so far has failed or had no carrier/);
  const { out } = await cli.text('calls', 'find', answer.body.traceId);
  expect(out).not.toMatch(/people in its policy/);
  const { explanation, advice } = (await cli.json('calls', 'find', answer.body.traceId)).json.call;
  expect(advice).not.toBe('');
  expect(out).toContain(`\n${explanation}\n${advice}\n`);

  expect(await beside.owner.incidents()).toMatchObject([{ outcome: 'alerting' }]);
  expect((await beside.owner.call(theirs)).explanation).toMatch(/the people in its policy are alerted/);

  await world.advance(60);
  expect(told('ben@example.com')).toHaveLength(2);
  expect(await owner.incidents()).toMatchObject([{ outcome: 'alerting' }]);
  expect((await owner.call(answer)).explanation).toMatch(/the people in its policy are alerted/);
  expect(told('owner@example.com')).toHaveLength(1);
  expect(told('beside@example.com')).toEqual([]);
});

test('where all failed and the policy has ended it stays so: nobody was alerted who did not answer', async () => {
  const smtp = await startSmtp();
  onTestFinished(smtp.stop);
  const world = await startWorld({ smtpUrl: smtp.url });
  const { owner, fire } = await aHouse(world, 'email', EMAIL, 'owner@example.com');
  smtp.refuse(EMAIL, 550);
  smtp.refuse('ben@example.com', 550);
  const answer = await fire();
  expect(await owner.incidents()).toMatchObject([{ outcome: 'nobody_reached' }]);
  await world.advance(60);
  await world.advance(600);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ outcome: 'nobody_reached' });
  expect(incident!.deliveries.map(({ status }) => status)).toEqual(['failed', 'failed']);
  expect((await owner.call(answer)).explanation).toMatch(/nobody was alerted/);
});

test('in test nobody is alerted anyway, and nothing is said', async () => {
  const world = await startWorld();
  const { owner } = await aHouse(world, 'text', '+12025550111', 'owner@example.com');
  const contactId = await owner.contact('Anna', { text: '+12025550111' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['text'] }] }]);
  await fire(world, owner, await owner.alarm({ test: true, modes: { away: { policyId } } }))();
  expect(await owner.incidents()).toMatchObject([{ outcome: 'alerting', environment: 'test' }]);
  expect(await world.rows('SELECT kind FROM notice')).toEqual([]);
});

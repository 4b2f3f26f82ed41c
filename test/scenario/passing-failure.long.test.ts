import { expect, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { aHouse, mailsTo } from './passing-failure-rig.ts';

/* DECISIONS.md "A passing failure": what a carrier does not take for now is tried on while it is of use. */

test.each([
  ['two minutes', 120, 155, 'alerting'],
  // Nobody had answered five minutes after the only message had its chance.
  ['ten minutes', 600, 695, 'exhausted'],
] as const)('a mail server that greylists for %s takes the alarm as soon as it is asked again', async (_what, takesS, sentS, outcome) => {
  const { smtp, world, owner, house, act, told } = await aHouse(['email']);
  smtp.behave('greylist');
  await act(house, 'trigger');
  let at = 0;
  expect(await told()).toEqual(['email scheduled the mail server asked to come back later']);
  for (const wait of [5, 15, 45, 90, 180, 360]) {
    at += wait;
    if (at >= takesS) smtp.behave('ok');
    await world.advance(wait);
    if (at === sentS) break;
  }
  expect(mailsTo(smtp, 'anna@example.com')).toHaveLength(1);
  const [incident] = await owner.incidents();
  expect(incident).toMatchObject({ outcome, deliveries: [{ status: 'sent' }] });
});

test('the next channel goes after the second failed try, once, and the failed one is tried on beside it', async () => {
  const { smtp, twilio, ntfy, world, house, act, told, deliveries } = await aHouse(['email'], ['text', 'push']);
  smtp.behave('greylist');
  await act(house, 'trigger');
  expect(await told()).toEqual(['email scheduled the mail server asked to come back later']);
  await world.advance(5);
  expect((await told()).toSorted()).toEqual(['email scheduled the mail server asked to come back later', 'text sent']);
  for (const wait of [15, 45, 90, 180, 360]) await world.advance(wait);
  const [email] = (await deliveries()).filter(({ channel }) => channel === 'email');
  expect(email).toMatchObject({ status: 'scheduled', attempts: 7 });
  expect(email!.explanation).toMatch(
    /^Not taken yet, tried 7 times and to be tried again: .* by text went beside it\.$/,
  );
  expect(twilio.messages).toHaveLength(1);
  expect(ntfy.pushes).toEqual([]);
  smtp.behave('ok');
  await world.advance(720);
  expect((await told()).toSorted()).toEqual(['email sent', 'text sent']);
});

test('a worker that dies in its second try leaves a message that goes over once all the same', async () => {
  const { smtp, twilio, ntfy, world, owner, house, act, told } = await aHouse(['email'], ['text', 'push']);
  smtp.behave('greylist');
  await act(house, 'trigger');
  await world.rows(
    `UPDATE delivery SET status = 'sending', attempt = attempt + 1, lease_until = tocsin_now()
     WHERE account_id = $1 AND channel = 'email'`,
    [owner.accountId],
  );
  await world.settle();
  expect((await told()).toSorted()).toEqual(['email scheduled the mail server asked to come back later', 'text sent']);
  for (const wait of [45, 90]) await world.advance(wait);
  expect([twilio.messages.length, ntfy.pushes.length]).toEqual([1, 0]);
});

test.each([
  ['acknowledge', 'acknowledged'],
  ['close', 'somebody closed the incident'],
] as const)('%s ends the tries, and what is of no use any more is told as such', async (how, why) => {
  const { smtp, world, owner, house, act, deliveries } = await aHouse(['email']);
  smtp.behave('greylist');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45]) await world.advance(wait);
  const { incidents } = consoleOf(world, world.operator, owner.accountId);
  await incidents[how]({ incidentId: (await owner.incidents())[0]!.id });
  await world.settle();
  const [email] = await deliveries();
  expect(email).toMatchObject({ status: 'cancelled', reason: 'outdated', attempts: 4 });
  expect(email!.explanation).toContain('Outdated: tried 4 times');
  expect(email!.explanation).toContain(why);
  smtp.behave('ok');
  await world.advance(3_600);
  expect(mailsTo(smtp, 'anna@example.com')).toEqual([]);
});

test('a message that a later round has overtaken goes out no more', async () => {
  const { smtp, world, house, act, deliveries } = await aHouse(['email'], [], { times: 1, delayS: 600 });
  smtp.behave('greylist');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45, 90, 180]) await world.advance(wait);
  smtp.behave('ok');
  // The second round comes 95 s before the next try of the first.
  await world.advance(265);
  await world.advance(95);
  expect(mailsTo(smtp, 'anna@example.com')).toHaveLength(1);
  expect((await deliveries()).map(({ round, status, reason }) => [round, status, reason])).toEqual([
    [0, 'cancelled', 'outdated'],
    [1, 'sent', ''],
  ]);
  expect((await deliveries())[0]!.explanation).toContain('a later message to them went out');
});

test('of two that wait for the same person over the same channel only the later one goes out', async () => {
  const { smtp, world, owner, house, act, deliveries } = await aHouse(['email'], [], { times: 1, delayS: 60 });
  smtp.behave('greylist');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45, 90]) await world.advance(wait);
  smtp.behave('ok');
  // Both are due at the same moment.
  await world.rows('UPDATE delivery SET due_at = tocsin_now() WHERE account_id = $1', [owner.accountId]);
  await world.settle();
  expect(mailsTo(smtp, 'anna@example.com')).toHaveLength(1);
  expect((await deliveries()).map(({ round, status, reason }) => [round, status, reason])).toEqual([
    [0, 'cancelled', 'outdated'],
    [1, 'sent', ''],
  ]);
});

test('after a day it is given up with one reason, and nothing is tried any more', async () => {
  const { smtp, world, owner, house, act, deliveries } = await aHouse(['email'], [], { times: 5, delayS: 86_400 });
  smtp.behave('greylist');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45, 90, 180, 360, 720]) await world.advance(wait);
  // The rest of the tries are not waited for one by one.
  await world.rows(
    `UPDATE delivery SET planned_at = planned_at - interval '23 hours 50 minutes' WHERE account_id = $1 AND round = 0`,
    [owner.accountId],
  );
  await world.advance(900);
  const [email] = await deliveries();
  expect(email).toMatchObject({ status: 'failed', attempts: 9 });
  expect(email!.explanation).toMatch(/^Failed after 9 tries: the mail server asked to come back later/);
});

test('one that a carrier takes again brings the others forward: nobody waits for a pause of a quarter of an hour', async () => {
  const { smtp, world, owner, alarm, act } = await aHouse(['email']);
  smtp.behave('away');
  for (const name of ['House 1', 'House 2', 'House 3']) await act(await alarm(name), 'trigger');
  for (const wait of [5, 15, 45, 90, 180]) await world.advance(wait);
  smtp.behave('ok');
  // Only one of them is due.
  await world.rows(
    `UPDATE delivery SET due_at = tocsin_now() WHERE account_id = $1 AND seq =
    (SELECT min(seq) FROM delivery WHERE account_id = $1)`,
    [owner.accountId],
  );
  await world.settle();
  expect(mailsTo(smtp, 'anna@example.com')).toHaveLength(3);
});

test('what is tried on does not count as late: neither in a metric nor for doctor', async () => {
  const { smtp, world, house, act } = await aHouse(['email']);
  smtp.behave('greylist');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45, 90, 180, 360, 720, 900]) await world.advance(wait);
  const notices = await world.rows<{ kind: string }>('SELECT kind FROM notice ORDER BY seq');
  expect(notices.map(({ kind }) => kind)).not.toContain('step_missed');
  expect(notices.map(({ kind }) => kind)).not.toContain('step_late');
});

test('an owner is told for as long: the mail goes out once the server takes it', async () => {
  const { smtp, world, house, act } = await aHouse(['email']);
  smtp.behave('away');
  await act(house, 'trigger');
  for (const wait of [5, 15, 45, 90, 180, 360, 720, 900, 900]) await world.advance(wait);
  const status = () => world.rows("SELECT status FROM notice_delivery WHERE kind = 'nobody_reached'");
  expect(await status()).toEqual([{ status: 'scheduled' }]);
  smtp.behave('ok');
  await world.advance(900);
  expect(await status()).toEqual([{ status: 'sent' }]);
  expect(mailsTo(smtp, 'owner@example.com').map(({ subject }) => subject)).toContain('NOBODY WAS ALERTED: House');
});

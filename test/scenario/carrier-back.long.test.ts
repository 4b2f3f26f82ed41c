import { expect, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { aHouse, mailsTo } from './passing-failure-rig.ts';

/* DECISIONS.md "A passing failure": a carrier is back, with the messages of fifty incidents waiting for it. */

test('a carrier that is away for an hour: what is still of use goes, newest first, and the rest is told as outdated', async () => {
  const { smtp, world, owner, alarm, act } = await aHouse(['email']);
  smtp.behave('away');
  const names = Array.from({ length: 50 }, (_, n) => `House ${n + 1}`);
  await world.rows('UPDATE account SET owner_email = NULL');
  const alarms = new Map<string, string>();
  for (const name of names) alarms.set(name, await alarm(name));
  const key = await owner.key();
  for (const name of names) {
    await world.get(`/v1/alarm/${alarms.get(name)!}/trigger`, key);
    // Each a moment after the one before.
    await world.passTime(0.01);
  }
  await world.settle();
  for (const wait of [5, 1_260]) await world.advance(wait);
  for (const name of names.slice(0, 5)) await act(alarms.get(name)!, 'clear');
  const { incidents } = consoleOf(world, world.operator, owner.accountId);
  const waiting = (await owner.incidents()).filter(({ sourceName }) => names.slice(5, 10).includes(sourceName));
  for (const { id } of waiting) await incidents.acknowledge({ incidentId: id });
  await world.settle();
  await world.advance(2_335);
  expect(mailsTo(smtp, 'anna@example.com')).toEqual([]);

  // All at the same moment, however long the tries before took.
  await world.rows("UPDATE delivery SET due_at = tocsin_now() + interval '1 hour' WHERE status = 'scheduled'");
  smtp.behave('ok');
  await world.advance(3_600);
  const mailed = mailsTo(smtp, 'anna@example.com').map(({ subject }) => /House \d+/.exec(subject!)![0]);
  expect(mailed).toEqual(names.slice(10).toReversed());
  const became = new Map((await owner.incidents()).map(({ sourceName, deliveries: [one] }) => [sourceName, one!]));
  for (const name of names.slice(0, 10))
    expect(became.get(name)).toMatchObject({ status: 'cancelled', reason: 'outdated' });
  for (const name of names.slice(10)) expect(became.get(name)).toMatchObject({ status: 'sent' });
}, 400_000);

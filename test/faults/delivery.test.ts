import { expect, onTestFinished, test } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { deliveryOf, startDeliveryRig, times, withHook } from './delivery-rig.ts';

/*
 * Databases that go away while messages are being sent, and messages that cannot be sent at all.
 */

const checker = historyChecker('database away while sending');

test('the database goes away while messages are at their carriers: all are sent, none twice, and the process lives', async () => {
  const rig = await startDeliveryRig();
  const { twilio, smtp, hook } = rig;
  const life = await rig.start();
  const button = await rig.button({ afterS: 0, text: 50, email: 50, webhook: 5 });
  twilio.behave(600);
  hook.behave(600);
  expect(await rig.press(life, button)).toBe(202);
  await eventually(() => twilio.messages.length >= 10 && hook.heard.length === 5, { what: 'messages at carriers' });
  const giveBack = await rig.takeDatabaseAway();
  // Longer than the carriers take: they answer while nothing can be recorded.
  await new Promise(resolve => setTimeout(resolve, 1_500));
  await giveBack();
  const wanted = [...times(50, 'text sent'), ...times(50, 'email sent'), ...times(5, 'webhook delivered')];
  const sent = await rig.standInTheEnd(button, wanted);
  // Past every lease: what went out is recorded, and nobody sends it again.
  await rig.advance(60);
  const again = await rig.button({ afterS: 0, webhook: 1 });
  await eventually(async () => (await rig.press(life, again)) === 202, { what: 'a trigger to be accepted' });
  await rig.stand(again, ['webhook delivered']);
  await rig.stand(button, wanted);

  const ids = (channel: string) => sent.flatMap(one => (one.channel === channel ? [one.id] : [])).sort();
  expect(twilio.messages.map(deliveryOf).sort()).toEqual(ids('text'));
  expect(smtp.mails.map(({ messageId }) => messageId!.slice(1, 33)).sort()).toEqual(ids('email'));
  expect(
    hook.events
      .slice(0, 5)
      .map(({ id }) => id)
      .sort(),
  ).toEqual(ids('webhook'));
  expect(hook.heard.length).toBe(6);
  checker.holds(await rig.history());
});

test('connections cut again and again while messages are sent: all are sent, none twice', async () => {
  const rig = await startDeliveryRig();
  const { twilio } = rig;
  const life = await rig.start();
  const button = await rig.button({ afterS: 0, text: 100 });
  twilio.behave(100);
  await rig.press(life, button);
  const cutter = await rig.connection();
  for (let cuts = 0; cuts < 20; cuts++) {
    await cutter.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await new Promise(resolve => setTimeout(resolve, 50));
  }
  const sent = await rig.standInTheEnd(button, times(100, 'text sent'));
  expect(twilio.messages.map(deliveryOf).sort()).toEqual(sent.map(({ id }) => id).sort());
  expect(await rig.press(life, button)).toBe(202);
  checker.holds(await rig.history());
});

test('messages that cannot be sent at all are tried on ever more slowly, say why, and hold up nobody', async () => {
  const twilio = await startTwilio();
  const { world } = await withHook({ twilio: twilio.settings });
  onTestFinished(twilio.stop);
  const owner = await world.account();
  const people = async (count: number, from: number) =>
    Promise.all(Array.from({ length: count }, (_, n) => owner.contact('Somebody', { text: `+1202555${from + n}` })));
  const [sealedElsewhere, unknown, good] = [await people(40, 1000), await people(40, 2000), await people(40, 3000)];
  const contacts = [...sealedElsewhere, ...unknown, ...good].map(contactId => ({
    contactId,
    channels: ['text' as const],
  }));
  const button = await owner.panicButton({ policyId: await owner.policy([{ delayS: 60, contacts }]) });
  await world.rows(
    `UPDATE contact_channel SET address = regexp_replace(address, '^v1\\.[^.]+', 'v1.elsewhere') WHERE contact_id = ANY ($1)`,
    [sealedElsewhere],
  );
  expect((await world.get(`/v1/panic/${button}/trigger`, await owner.key())).status).toBe(202);
  await world.settle();
  await world.rows('UPDATE delivery SET contact_id = reverse(contact_id) WHERE contact_id = ANY ($1)', [unknown]);
  const told = async () => {
    const rows = await world.rows<{ what: string; count: string }>(
      `SELECT concat_ws(' ', status, tries, regexp_replace(reason, id, 'ID')) AS what, count(*) FROM delivery GROUP BY 1 ORDER BY 1`,
    );
    return Object.fromEntries(rows.map(({ what, count }) => [what, Number(count)]));
  };
  const reasons = [
    expect.stringMatching(/An address was sealed with another DATA_KEY \(elsewhere, not .+\)\.$/),
    expect.stringMatching(/Delivery ID names a contact that its incident does not know\.$/),
  ];
  await world.advance(60);
  expect(Object.entries(await told())).toEqual([
    [reasons[0], 40],
    [reasons[1], 40],
    ['sent 1', 40],
  ]);
  expect(Object.keys(await told()).slice(0, 2)).toEqual([
    expect.stringMatching(/^scheduled 1 /),
    expect.stringMatching(/^scheduled 1 /),
  ]);
  for (const wait of [5, 15, 45]) await world.advance(wait);
  expect(Object.entries(await told())).toEqual([
    [reasons[0], 40],
    [reasons[1], 40],
    ['sent 1', 40],
  ]);
  expect(Object.keys(await told()).slice(0, 2)).toEqual([
    expect.stringMatching(/^scheduled 4 /),
    expect.stringMatching(/^scheduled 4 /),
  ]);
  const attempts = () => world.rows('SELECT id, attempt FROM delivery ORDER BY id');
  // After a day nobody tries them any more.
  await world.advance(86_400);
  expect(Object.keys(await told()).filter(what => /^(scheduled|sending)/.test(what))).toEqual([]);
  const before = await attempts();
  await world.advance(3_600);
  expect(await attempts()).toEqual(before);
  expect(twilio.messages.length).toBe(40);
});

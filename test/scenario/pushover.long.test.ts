import { expect, onTestFinished, test } from 'vitest';
import { startNtfy } from '../support/ntfy.ts';
import { ANNAS_KEY, BENS_KEY, startPushover } from '../support/pushover.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { startSmtp } from '../support/smtp.ts';
import { startWorld } from '../support/world.ts';

/** An alarm that tells Anna over Pushover at once, and Ben over Pushover and by email a minute later. */
async function family(on: { database?: string; dataKey?: Buffer; clock?: 'settable' } = {}) {
  const [pushover, ntfy, smtp] = await Promise.all([startPushover(), startNtfy(), startSmtp()]);
  const carriers = { pushover: pushover.settings, ntfy: { url: ntfy.url, token: null } };
  const world = await startWorld({ ...on, smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  onTestFinished(async () => void (await Promise.all([pushover.stop(), ntfy.stop(), smtp.stop()])));
  const owner = await world.account();
  const anna = await owner.contact('Anna', { push: `pushover:${ANNAS_KEY}` });
  const ben = await owner.contact('Ben', { push: `pushover:${BENS_KEY}`, email: 'ben@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['push'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['push', 'email'] }] },
    { delayS: 300, contacts: [{ contactId: ben, channels: ['email'] }] },
  ]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const act = async (verb: string) => {
    await world.get(`/v1/alarm/${id}/${verb}`, key);
    await world.settle();
  };
  const incident = async () => (await owner.incidents())[0]!;
  return { pushover, ntfy, smtp, world, owner, anna, ben, key, act, incident };
}

test('whoever acknowledges in the app stops the escalation, and their phone has proven that it reaches them', async () => {
  const { pushover, smtp, world, anna, act, incident } = await family();
  await act('trigger');
  const [rung] = pushover.rung;
  expect(rung).toMatchObject({ user: ANNAS_KEY, is: 'ringing' });
  await world.advance(5);
  expect(await incident()).toMatchObject({ status: 'open', acknowledgedVia: '' });
  pushover.press(rung!);
  await world.advance(5);
  expect(await incident()).toMatchObject({ status: 'open', acknowledgedBy: 'Anna', acknowledgedVia: 'push' });
  await world.advance(300);
  // Ben is told that Anna has it, and of nothing else.
  expect(pushover.rung.filter(({ priority }) => priority === 2)).toHaveLength(1);
  expect(smtp.mails.filter(({ subject }) => subject?.includes('ALARM'))).toEqual([]);
  const proven = 'SELECT channel FROM contact_channel WHERE contact_id = $1 AND proven_at IS NOT NULL';
  expect(await world.rows(proven, [anna])).toEqual([{ channel: 'push' }]);
});

test('whoever else ends it quiets every phone, and nothing is asked for any more', async () => {
  const { pushover, world, act } = await family();
  await act('trigger');
  await world.advance(60);
  await world.advance(5);
  expect(pushover.rung.map(({ is }) => is)).toEqual(['ringing', 'ringing']);
  await act('clear');
  await world.advance(5);
  expect(pushover.rung.filter(({ priority }) => priority === 2).map(({ is }) => is)).toEqual([
    'cancelled',
    'cancelled',
  ]);
  const heard = pushover.heard.length;
  for (let passes = 0; passes < 3; passes++) await world.advance(60);
  expect(pushover.heard.length).toBe(heard);
});

test('a phone that could not be quieted is quieted as soon as Pushover answers again', async () => {
  const { pushover, world, act } = await family();
  await act('trigger');
  pushover.turns('refuses_cancel');
  await act('clear');
  await world.advance(5);
  expect(pushover.rung[0]).toMatchObject({ is: 'ringing' });
  pushover.turns('ok');
  await world.advance(5);
  expect(pushover.rung[0]).toMatchObject({ is: 'cancelled' });
});

test.each([
  'tried again',
  'over before that',
])('a try of which nothing came back rings no longer than the incident is open: %s', async what => {
  const { pushover, world, act } = await family();
  pushover.turns('breaks_off');
  await act('trigger');
  expect(pushover.rung.map(({ is }) => is)).toEqual(['ringing']);
  pushover.turns('ok');
  if (what === 'tried again') await world.advance(5);
  await act('clear');
  await world.advance(5);
  const rung = pushover.rung.filter(({ priority }) => priority === 2);
  expect(rung.map(({ is }) => is)).toEqual(what === 'tried again' ? ['cancelled', 'cancelled'] : ['cancelled']);
});

test('a message of which nobody can tell keeps no other account from its answer', async () => {
  const { pushover, world, act } = await family();
  await act('trigger');
  const neighbour = await world.account();
  const nina = await neighbour.contact('Nina', { push: `pushover:${BENS_KEY}` });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: nina, channels: ['push'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await neighbour.key());
  await world.settle();
  pushover.breaks(pushover.rung[0]!.receipt);
  pushover.press(pushover.rung[1]!);
  for (let passes = 0; passes < 2; passes++) await world.advance(5);
  expect((await neighbour.incidents())[0]).toMatchObject({ acknowledgedBy: 'Nina', acknowledgedVia: 'push' });
});

test('however many ring, each is asked for in its turn', async () => {
  const { pushover, world, owner, key } = await family();
  const people = await Promise.all(
    Array.from({ length: 50 }, (_, nth) => owner.contact(`Person ${nth}`, { push: `pushover:${BENS_KEY}` })),
  );
  const contacts = people.map(contactId => ({ contactId, channels: ['push' as const] }));
  const policyId = await owner.policy([{ delayS: 0, contacts }]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();
  for (let passes = 0; passes < 3; passes++) await world.advance(5);
  expect(pushover.rung.length).toBe(50);
  expect(Math.min(...pushover.rung.map(({ receipt }) => pushover.asked(receipt)))).toBeGreaterThanOrEqual(2);
});

test('an answer counts that was given before the step came again, or while nothing ran', async () => {
  const { pushover, world, owner, key, act, incident } = await family();
  await act('trigger');
  pushover.press(pushover.rung[0]!);
  // More than a message rings.
  await world.advance(1_600);
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'push' });

  const carl = await owner.contact('Carl', { push: `pushover:${BENS_KEY}` });
  const told = [{ delayS: 0, contacts: [{ contactId: carl, channels: ['push' as const] }] }];
  const policyId = await owner.policy(told, { times: 1, delayS: 300 });
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, key);
  await world.settle();
  await world.advance(297);
  pushover.press(pushover.rung.findLast(({ user }) => user === BENS_KEY)!);
  await world.advance(3);
  await world.advance(5);
  const carls = (await owner.incidents()).find(({ sourceId }) => sourceId === id);
  expect(carls).toMatchObject({ acknowledgedBy: 'Carl' });
});

test.each([
  -3_600, 3_600,
])('a clock of the database set by %i s while it rings loses no answer, and quiets nobody', async stepS => {
  const { pushover, world, act, incident } = await family({ clock: 'settable' });
  await act('trigger');
  await world.setClock(stepS);
  await world.advance(5);
  expect(pushover.rung[0]).toMatchObject({ is: 'ringing' });
  pushover.press(pushover.rung[0]!);
  for (let passes = 0; passes < 2; passes++) await world.advance(5);
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'push' });
});

test('somebody else’s key acknowledges nothing', async () => {
  const { pushover, world, act, incident } = await family();
  await act('trigger');
  pushover.press(pushover.rung[0]!, BENS_KEY);
  await world.advance(5);
  expect(await incident()).toMatchObject({ acknowledgedBy: '' });
  await world.advance(60);
  expect(pushover.rung.map(({ user }) => user)).toEqual([ANNAS_KEY, BENS_KEY]);
});

test('a receipt is asked for at most every five seconds, and no longer than it rings', async () => {
  const { pushover, world, act } = await family();
  await act('trigger');
  const { receipt } = pushover.rung[0]!;
  for (let passes = 0; passes < 10; passes++) {
    await world.advance(1);
    expect(pushover.asked(receipt)).toBeLessThanOrEqual(Math.floor((passes + 1) / 5));
  }
  expect(pushover.asked(receipt)).toBe(2);
  await world.advance(1_600);
  const asked = pushover.asked(receipt);
  await world.advance(60);
  await world.advance(60);
  expect(pushover.asked(receipt)).toBe(asked);
});

test('a step that comes again takes over from the message before: one rings, not two', async () => {
  const { pushover, world, owner } = await family();
  const carl = await owner.contact('Carl', { push: `pushover:${BENS_KEY}` });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: carl, channels: ['push'] }] }], {
    times: 1,
    delayS: 300,
  });
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  await world.advance(300);
  await world.advance(5);
  expect(pushover.rung.map(({ is }) => is)).toEqual(['cancelled', 'ringing']);
});

test('topics go to ntfy and keys to Pushover, side by side; where Pushover is not set up, the next channel goes', async () => {
  const { pushover, ntfy, smtp, world, owner, anna } = await family();
  const dora = await owner.contact('Dora', { push: 'doras-topic' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [anna, dora].map(contactId => ({ contactId, channels: ['push' as const] })) },
  ]);
  const id = await owner.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  await world.settle();
  expect(pushover.rung.map(({ user }) => user)).toEqual([ANNAS_KEY]);
  expect(ntfy.pushes.map(({ topic }) => topic)).toEqual(['doras-topic']);
  expect(smtp.mails).toEqual([]);
  expect((await owner.incidents())[0]!.deliveries.map(({ carrier }) => carrier)).toEqual(['pushover', 'ntfy']);

  const without = await startWorld({ smtpUrl: smtp.url, carriers: { ntfy: { url: ntfy.url, token: null } } });
  const other = await without.account();
  const eve = await other.contact('Eve', { push: `pushover:${ANNAS_KEY}`, email: 'eve@example.com' });
  const alone = await other.policy([{ delayS: 0, contacts: [{ contactId: eve, channels: ['push'] }] }]);
  const alarm = await other.alarm({ modes: { away: { policyId: alone } } });
  await without.get(`/v1/alarm/${alarm}/trigger`, await other.key());
  await without.settle();
  const [incident] = await other.incidents();
  expect(incident!.deliveries.map(({ channel, status, reason }) => [channel, status, reason])).toEqual([
    ['push', 'no_carrier', 'no carrier is configured for push: set PUSHOVER_TOKEN to send it'],
    ['email', 'sent', ''],
  ]);
  expect([pushover.rung.length, ntfy.pushes.length]).toEqual([1, 1]);
});

test('two processes ask once between them, and an answer counts once', async () => {
  // Whichever of them sends it has to read the address.
  const shared = await sharedByProcesses();
  const { pushover, world, act, incident } = await family(shared);
  const second = await startWorld({ ...shared, carriers: { pushover: pushover.settings } });
  await act('trigger');
  await second.settle();
  const { receipt } = pushover.rung[0]!;
  await world.advance(5);
  await second.settle();
  await world.settle();
  expect(pushover.asked(receipt)).toBe(1);
  pushover.press(pushover.rung[0]!);
  await world.advance(5);
  await second.settle();
  const acknowledged = (await incident()).timeline.filter(
    ({ entry }) => entry.case === 'change' && entry.value.kind === 'acknowledged',
  );
  expect(acknowledged).toHaveLength(1);
});

test('an account beside one whose phones all ring does not wait for it', async () => {
  const { pushover, ntfy, world, act } = await family();
  pushover.behave('hang');
  const neighbour = await world.account();
  const nina = await neighbour.contact('Nina', { push: 'ninas-topic' });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: nina, channels: ['push'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  const key = await neighbour.key();
  const hangs = act('trigger');
  await world.get(`/v1/alarm/${id}/trigger`, key);
  const push = await ntfy.next();
  expect(push.topic).toBe('ninas-topic');
  expect(pushover.waiting().now).toBeGreaterThan(0);
  pushover.behave('ok');
  await hangs;
});

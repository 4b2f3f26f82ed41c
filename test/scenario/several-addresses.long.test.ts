import { expect, onTestFinished, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { ANNAS_KEY, BENS_KEY, startPushover } from '../support/pushover.ts';
import { startSmtp } from '../support/smtp.ts';
import { ANNAS_ID, BENS_ID, startTelegram } from '../support/telegram.ts';
import { eventually } from '../support/wait.ts';
import { startPushService } from '../support/web-push.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/* DECISIONS.md "Several addresses". */

const PUSHOVER = `pushover:${ANNAS_KEY}`;
const SECOND_PUSHOVER = `pushover:${BENS_KEY}`;
const [CHAT, SECOND_CHAT] = [`telegram:${ANNAS_ID}`, `telegram:${BENS_ID}`];

interface Has {
  push?: string | readonly string[];
  chat?: readonly string[];
}

/** A live alarm that tells Anna over push, or chat if she has that alone, and by email only in its place. */
async function family(has: Has, options: WorldOptions = {}) {
  const [pushover, ntfy, smtp, telegram, service] = await Promise.all([
    startPushover(),
    startNtfy(),
    startSmtp(),
    startTelegram(),
    startPushService(),
  ]);
  onTestFinished(
    async () => void (await Promise.all([pushover, ntfy, smtp, telegram, service].map(one => one.stop()))),
  );
  const carriers = {
    pushover: pushover.settings,
    ntfy: { url: ntfy.url, token: null },
    telegram: telegram.settings,
    'web-push': { contact: 'ops@example.com' },
  };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade', ...options });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { ...has, email: 'anna@example.com' });
  const channel = has.push === undefined ? ('chat' as const) : ('push' as const);
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: [channel] }] }]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const act = async (verb: 'trigger' | 'clear') => {
    await world.get(`/v1/alarm/${id}/${verb}`, key);
    await world.settle();
  };
  const incident = async () => (await owner.incidents())[0]!;
  const told = async () => (await incident()).deliveries.map(({ channel, status }) => `${channel} ${status}`);
  const asked = async () =>
    (await incident()).deliveries[0]!.carrierTries.map(
      ({ addressNth, carrier, taken }) => `${addressNth} ${carrier} ${taken}`,
    );
  /** The addresses that were proven, by their places. */
  const proven = async () => {
    const sql = 'SELECT slot FROM contact_channel WHERE contact_id = $1 AND proven_at IS NOT NULL ORDER BY slot';
    return (await world.rows<{ slot: number }>(sql, [anna])).map(({ slot }) => slot);
  };
  const unverified = (slot: number) =>
    world.rows('UPDATE contact_channel SET verified_at = NULL WHERE contact_id = $1 AND slot = $2 AND channel = $3', [
      anna,
      slot,
      channel,
    ]);
  const rpc = consoleOf(world, world.operator, owner.accountId);
  return {
    ...{ pushover, ntfy, smtp, telegram, service, world, owner, anna, id, rpc },
    ...{ act, incident, told, asked, proven, unverified },
  };
}

test('an address that is refused gives way to the next one at once, and no second message goes there', async () => {
  const { pushover, ntfy, id, rpc, act, incident, told, asked } = await family({ push: [PUSHOVER, 'annas-topic'] });
  const { deliveries: planned } = await rpc.readiness.preview({ sourceId: id, mode: 'away' });
  expect(planned.map(({ channel, outcome }) => [channel, outcome])).toEqual([['push', 'sent']]);
  pushover.closes(ANNAS_KEY);
  await act('trigger');
  expect(ntfy.pushes.map(({ topic }) => topic)).toEqual(['annas-topic']);
  expect([await told(), await asked()]).toEqual([['push sent'], ['1 pushover no']]);
  const [push] = (await incident()).deliveries;
  expect(push).toMatchObject({ carrier: 'ntfy', attempts: 1 });
  expect(push!.explanation).toBe(
    'The carrier accepted it; whether it arrived is not known. Asked before: pushover, address 1 (Pushover knows no such user key, or their account is closed).',
  );
});

test('one that breaks off gives way too: told as perhaps twice, and quieted when it is over', async () => {
  const { pushover, ntfy, world, act, incident, told, asked } = await family({ push: [PUSHOVER, 'annas-topic'] });
  pushover.turns('breaks_off');
  await act('trigger');
  expect(ntfy.pushes).toHaveLength(1);
  expect([await told(), await asked()]).toEqual([['push sent'], ['1 pushover maybe']]);
  expect((await incident()).deliveries[0]!.explanation).toContain('It may have gone out twice.');
  expect(pushover.rung.map(({ is }) => is)).toEqual(['ringing']);
  pushover.turns('ok');
  await act('clear');
  await world.advance(5);
  expect(pushover.rung.filter(({ priority }) => priority === 2).map(({ is }) => is)).toEqual(['cancelled']);
});

test('one that hangs is left after 4 s: the next one is told within 5 s', async () => {
  const { pushover, ntfy, act, incident, asked } = await family({ push: [PUSHOVER, 'annas-topic'] });
  pushover.behave('hang');
  await act('trigger');
  expect(ntfy.pushes).toHaveLength(1);
  expect(await asked()).toEqual(['1 pushover maybe']);
  const { tookMs } = (await incident()).deliveries[0]!.carrierTries[0]!;
  expect(tookMs).toBeGreaterThanOrEqual(4_000);
  expect(tookMs).toBeLessThan(5_000);
});

test('devices of which none is left, and one that waits for its code, are passed by', async () => {
  const { pushover, ntfy, unverified, act, told, asked } = await family({
    push: ['web:devices', 'annas-topic', PUSHOVER],
  });
  await unverified(1);
  await act('trigger');
  expect([ntfy.pushes.length, pushover.rung.length]).toEqual([0, 1]);
  expect([await told(), await asked()]).toEqual([['push sent'], ['1 web-push no']]);
});

test('an address whose carrier is not set up is passed by; with none that has one, the next channel goes', async () => {
  const { ntfy, id, rpc, act, told, asked } = await family(
    { push: [PUSHOVER, SECOND_PUSHOVER, 'annas-topic'] },
    { carriers: {} },
  );
  const { deliveries: planned } = await rpc.readiness.preview({ sourceId: id, mode: 'away' });
  expect(planned.map(({ channel, outcome }) => `${channel} ${outcome}`)).toEqual(['push no_carrier', 'email sent']);
  await act('trigger');
  expect(ntfy.pushes).toEqual([]);
  expect([await told(), await asked()]).toEqual([['push no_carrier', 'email sent'], []]);
});

test('a topic goes where a key in front of it has no carrier', async () => {
  const ntfy = await startNtfy();
  onTestFinished(() => ntfy.stop());
  const carriers = { ntfy: { url: ntfy.url, token: null } };
  const { act, told, asked } = await family({ push: [PUSHOVER, 'annas-topic'] }, { carriers });
  await act('trigger');
  expect(ntfy.pushes.map(({ topic }) => topic)).toEqual(['annas-topic']);
  expect([await told(), await asked()]).toEqual([['push sent'], []]);
});

test('when all are refused, the next channel goes', async () => {
  const { pushover, ntfy, act, told, asked } = await family({ push: [PUSHOVER, SECOND_PUSHOVER, 'annas-topic'] });
  pushover.closes(ANNAS_KEY);
  pushover.closes(BENS_KEY);
  ntfy.refuse(40301, 'forbidden');
  await act('trigger');
  expect(await told()).toEqual(['push failed', 'email sent']);
  expect(await asked()).toEqual(['1 pushover no', '2 pushover no']);
});

test('what may pass at one of them is tried again, and whichever refused for good is not asked again', async () => {
  const { telegram, world, act, told } = await family({ chat: [CHAT, SECOND_CHAT] });
  telegram.blocks(ANNAS_ID);
  const tried = () =>
    telegram.heard.filter(({ path }) => path.endsWith('/sendMessage')).map(({ body }) => chatOf(body));
  telegram.turns('breaks_off');
  await act('trigger');
  expect([await told(), tried()]).toEqual([['chat scheduled'], [ANNAS_ID, BENS_ID]]);
  telegram.turns('ok');
  await world.advance(5);
  expect([await told(), tried()]).toEqual([['chat sent'], [ANNAS_ID, BENS_ID, BENS_ID]]);
});

test('whoever answers at the second address has it, and that one alone is proven', async () => {
  const { pushover, ntfy, world, act, incident, proven } = await family({ push: ['annas-topic', PUSHOVER] });
  ntfy.refuse(40301, 'forbidden');
  await act('trigger');
  pushover.press(pushover.rung[0]!);
  await world.advance(5);
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'push' });
  expect(await proven()).toEqual([1]);
});

test('a link that may have come from either address proves none of them', async () => {
  const { pushover, ntfy, world, act, incident, proven } = await family({ push: [PUSHOVER, 'annas-topic'] });
  pushover.turns('breaks_off');
  await act('trigger');
  const { click } = ntfy.pushes[0]!;
  expect((await fetch(`${click}/acknowledge`, { method: 'POST' })).status).toBe(200);
  await world.settle();
  expect((await incident()).acknowledgedBy).toBe('Anna');
  expect(await proven()).toEqual([]);
});

test('the button counts in either chat of the person, in no other one, and proves the chat it is in', async () => {
  const { telegram, act, incident, proven } = await family({ chat: [CHAT, SECOND_CHAT] });
  telegram.blocks(ANNAS_ID);
  await act('trigger');
  const message = await telegram.next();
  expect(message.chatId).toBe(BENS_ID);
  await telegram.answered(telegram.press(message, { by: 5 }));
  expect((await incident()).acknowledgedBy).toBe('');
  await telegram.answered(telegram.press(message));
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'chat' });
  await expect.poll(proven).toEqual([1]);
});

test.each([
  ['one that is not verified', ['annas-topic', 'another-topic'], 0],
  ['one that has no carrier', [PUSHOVER, 'annas-topic'], null],
] as const)('a link pressed while its message is under way proves where that is, behind %s', async (_, push, unproven) => {
  const ntfy = await startNtfy();
  onTestFinished(() => ntfy.stop());
  const carriers = { ntfy: { url: ntfy.url, token: null } };
  const { world, owner, id, unverified, proven } = await family({ push }, { carriers });
  if (unproven !== null) await unverified(unproven);
  ntfy.behave('hang');
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  const { body } = await eventually(() => ntfy.heard[0], { what: 'a message under way' });
  const { click } = JSON.parse(body) as { click: string };
  expect((await fetch(`${click}/acknowledge`, { method: 'POST' })).status).toBe(200);
  await expect.poll(proven).toEqual([1]);
});

test('what a browser has shown arrived there, also before its push service says so, behind an address not verified', async () => {
  const { service, anna, world, owner, id, rpc, unverified, incident } = await family({ push: 'annas-topic' });
  const browser = service.subscribe();
  const { url } = await rpc.contacts.createDeviceLink({ contactId: anna });
  const fields = new URLSearchParams({ ...browser, browser: '', name: 'Chrome, Android' });
  expect((await fetch(url, { method: 'POST', body: fields.toString() })).status).toBe(200);
  await unverified(0);
  service.turns('takes_and_hangs');
  await world.get(`/v1/alarm/${id}/trigger`, await owner.key());
  const { content } = await service.next(({ content }) => content.tocsin.attempt !== undefined);
  const { navigate } = content.notification;
  await fetch(`${navigate}/shown`, { method: 'POST', body: `attempt=${content.tocsin.attempt}` });
  expect((await incident()).deliveries[0]).toMatchObject({ status: 'delivered' });
  const sql = "SELECT slot FROM contact_channel WHERE channel = 'push' AND last_delivered_at IS NOT NULL";
  expect(await world.rows(sql)).toEqual([{ slot: 1 }]);
});

test('what a browser says late of a message that went on to the next address changes nothing', async () => {
  const { service, pushover, anna, world, rpc, act, incident } = await family({ push: PUSHOVER });
  const browser = service.subscribe();
  const { url } = await rpc.contacts.createDeviceLink({ contactId: anna });
  const fields = new URLSearchParams({ ...browser, browser: '', name: 'Chrome, Android' });
  expect((await fetch(url, { method: 'POST', body: fields.toString() })).status).toBe(200);
  const { contact } = await rpc.contacts.getContact({ contactId: anna });
  const [first, second, email] = contact!.channels;
  expect([first, second].map(one => one!.address)).toEqual([PUSHOVER, 'web:devices']);
  await rpc.contacts.updateContact({ contact: { ...contact!, channels: [second!, first!, email!] } });
  service.turns('breaks_off');
  await act('trigger');
  const [push] = (await incident()).deliveries;
  expect(push).toMatchObject({ status: 'sent', carrier: 'pushover' });
  expect(push!.carrierTries).toMatchObject([{ addressNth: 1, carrier: 'web-push', taken: 'maybe' }]);
  await fetch(`${pushover.rung[0]!.url}/shown`, { method: 'POST', body: 'attempt=1' });
  await world.settle();
  expect((await incident()).deliveries[0]).toMatchObject({ status: 'sent', carrier: 'pushover' });
});

function chatOf(body: string): number {
  return (JSON.parse(body) as { chat_id: number }).chat_id;
}

import { expect, onTestFinished, test } from 'vitest';
import {
  holdListening,
  leaveListening,
  noteListening,
  readListeningProblems,
} from '../../services/store/statements/listening.ts';
import { consoleOf } from '../support/console.ts';
import { startNtfy } from '../support/ntfy.ts';
import { sharedByProcesses } from '../support/shared.ts';
import { startSmtp } from '../support/smtp.ts';
import { ANNAS_ID, BENS_ID, BOT_TOKEN, startTelegram } from '../support/telegram.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

/** An alarm that tells Anna by chat at once, and Ben by chat and email a minute later. */
async function family(on: WorldOptions = {}) {
  const [telegram, smtp] = await Promise.all([startTelegram(), startSmtp()]);
  onTestFinished(async () => void (await Promise.all([telegram.stop(), smtp.stop()])));
  const carriers = { telegram: telegram.settings, ...on.carriers };
  const world = await startWorld({ ...on, smtpUrl: smtp.url, carriers });
  const owner = await world.account();
  const anna = await owner.contact('Anna', { chat: `telegram:${ANNAS_ID}` });
  const ben = await owner.contact('Ben', { chat: `telegram:${BENS_ID}`, email: 'ben@example.com' });
  const policyId = await owner.policy([
    { delayS: 0, contacts: [{ contactId: anna, channels: ['chat'] }] },
    { delayS: 60, contacts: [{ contactId: ben, channels: ['chat', 'email'] }] },
    { delayS: 300, contacts: [{ contactId: ben, channels: ['email'] }] },
  ]);
  const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
  const act = async (verb: string) => {
    await world.get(`/v1/alarm/${id}/${verb}`, key);
    await world.settle();
  };
  const incident = async () => (await owner.incidents())[0]!;
  const acknowledgements = async () =>
    (await incident()).timeline.filter(({ entry }) => entry.case === 'change' && entry.value.kind === 'acknowledged');
  return { telegram, smtp, world, owner, anna, ben, key, act, incident, acknowledgements };
}

test('whoever presses in the chat stops the escalation within two seconds, without a public address, and has proven the way', async () => {
  const { telegram, smtp, world, anna, act, incident } = await family();
  await act('trigger');
  const [message] = telegram.chats;
  expect(message).toMatchObject({ chatId: ANNAS_ID, buttons: [{ text: 'Acknowledge' }] });
  const began = performance.now();
  const toast = await telegram.answered(telegram.press(message!));
  expectInTime(performance.now() - began, 2_000, 'the answer to a press');
  expect(toast).toMatchObject({ text: 'You acknowledged this. The others are being told.', isAlert: false });
  expect(await incident()).toMatchObject({ status: 'open', acknowledgedBy: 'Anna', acknowledgedVia: 'chat' });
  await world.settle();
  await world.advance(300);
  expect(telegram.chats.filter(({ chatId }) => chatId === BENS_ID)).toEqual([]);
  expect(smtp.mails).toEqual([]);
  const proven = 'SELECT channel FROM contact_channel WHERE contact_id = $1 AND proven_at IS NOT NULL';
  expect(await world.rows(proven, [anna])).toEqual([{ channel: 'chat' }]);
});

test('once somebody has it every message of it says who, and has no button, however they acknowledged', async () => {
  const { telegram, world, owner, act, incident } = await family();
  await act('trigger');
  await world.advance(60);
  expect(telegram.chats.map(({ chatId, buttons }) => [chatId, buttons.length])).toEqual([
    [ANNAS_ID, 1],
    [BENS_ID, 1],
  ]);
  await consoleOf(world, world.operator, owner.accountId).incidents.acknowledge({ incidentId: (await incident()).id });
  await world.settle();
  await world.advance(3);
  const [annas, bens] = telegram.chats;
  for (const message of [annas!, bens!]) {
    expect(message.buttons).toEqual([]);
    expect(message.text).toMatch(/Acknowledged by .+ at/);
  }
});

test('whoever presses late is told who has it; what is over changes nothing any more', async () => {
  const { telegram, world, act, incident, acknowledgements } = await family();
  await act('trigger');
  await world.advance(60);
  const [annas, bens] = telegram.chats.map(message => ({ ...message }));
  await telegram.answered(telegram.press(annas!));
  const late = await telegram.answered(telegram.press(bens!));
  expect(late).toMatchObject({ text: 'Already acknowledged by Anna.', isAlert: true });
  const again = await telegram.answered(telegram.press(annas!));
  expect(again.text).toBe('You acknowledged this. The others are being told.');
  expect(await acknowledgements()).toHaveLength(1);
  await act('clear');
  const closed = await telegram.answered(telegram.press(bens!));
  expect(closed.text).toBe('This is already closed. No action needed.');
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
  await world.advance(24 * 60 * 60 + 60);
  expect((await telegram.answered(telegram.press(bens!))).text).toContain('This alarm is over');
});

test('a press counts only from whom the message went to, and with the token of that message', async () => {
  const { telegram, world, act, incident } = await family();
  await act('trigger');
  await world.advance(60);
  const [annas, bens] = telegram.chats;
  const [anothers, forged, foreign] = await Promise.all(
    [
      telegram.press(annas!, { by: 5_555 }),
      telegram.press(annas!, { data: `a:${'0'.repeat(32)}${'x'.repeat(16)}` }),
      // Anna's account presses what is in Ben's chat.
      telegram.press(bens!, { by: ANNAS_ID }),
      telegram.press(annas!, { data: 'something else' }),
    ].map(press => telegram.answered(press)),
  );
  expect([anothers!.text, foreign!.text]).toEqual(Array(2).fill(expect.stringContaining('went to somebody else')));
  expect(forged!.text).toContain('Nothing was changed');
  expect(await incident()).toMatchObject({ acknowledgedBy: '' });
});

test('an account beside it that tells the same person is not answered along, and cannot answer for it', async () => {
  const { telegram, world, act, incident } = await family();
  await act('trigger');
  const neighbour = await world.account();
  const nina = await neighbour.contact('Nina', { chat: `telegram:${ANNAS_ID}` });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: nina, channels: ['chat'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await neighbour.key());
  await world.settle();
  const [annas, ninas] = telegram.chats;
  await telegram.answered(telegram.press(ninas!));
  expect((await neighbour.incidents())[0]).toMatchObject({ acknowledgedBy: 'Nina', acknowledgedVia: 'chat' });
  expect(await incident()).toMatchObject({ acknowledgedBy: '' });
  await world.settle();
  await world.advance(3);
  expect([annas!.buttons.length, ninas!.buttons.length]).toEqual([1, 0]);
  await telegram.answered(telegram.press(annas!));
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
});

test('a link to the page of another channel acknowledges nothing in the chat', async () => {
  const { telegram, smtp, world, act, incident } = await family({ publicUrl: 'https://tocsin.test' });
  await act('trigger');
  await world.advance(60);
  const [, token] = /\/i\/([\w-]{48})/.exec(smtp.mails[0]!.text!)!;
  const bens = telegram.chats.find(({ chatId }) => chatId === BENS_ID)!;
  await telegram.answered(telegram.press(bens, { data: `a:${token}` }));
  expect(await incident()).toMatchObject({ acknowledgedBy: '' });
});

test('what comes twice, out of order, or as nothing that is known has no effect but one', async () => {
  const { telegram, act, acknowledgements } = await family();
  await act('trigger');
  const [message] = telegram.chats;
  telegram.oddity({ poll_answer: { odd: true } });
  telegram.oddity({ callback_query: { id: 7 } });
  const press = telegram.press(message!);
  for (let nth = 0; nth < 3; nth++) telegram.again(press);
  for (let nth = 0; nth < 100; nth++) telegram.oddity({ message: null, edited_message: { nth } });
  await telegram.answered(press);
  await telegram.confirmed();
  expect(await acknowledgements()).toHaveLength(1);
});

test('what was said is confirmed only once it is stored', async () => {
  const { telegram, world, act, incident } = await family();
  await act('trigger');
  await world.rows('ALTER TABLE delivery RENAME TO delivery_away');
  telegram.press(telegram.chats[0]!);
  const asked = telegram.asked.length;
  // It is heard again.
  await eventually(() => telegram.asked.length > asked + 1, { what: 'another question' });
  expect(telegram.unconfirmed()).toBe(1);
  await world.rows('ALTER TABLE delivery_away RENAME TO delivery');
  await telegram.confirmed();
  // What is confirmed is stored, and may wait to be applied.
  await world.settle();
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
});

test('what is held up in one account holds up nobody in another one, and is stored once it can be', async () => {
  const { telegram, world, owner, act, incident } = await family();
  await act('trigger');
  const neighbour = await world.account();
  const nina = await neighbour.contact('Nina', { chat: `telegram:${BENS_ID}` });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: nina, channels: ['chat'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await neighbour.key());
  await world.settle();
  const { contacts } = consoleOf(world, world.operator, owner.accountId);
  const { url } = await contacts.createChatLink({ contactId: await owner.contact('Otto', {}) });
  const [annas, ninas] = telegram.chats;
  const client = await world.store.pool.connect();
  try {
    await client.query('BEGIN');
    await client.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [owner.accountId]);
    telegram.write(5_555, `/start ${url.split('=').at(-1)}`);
    const annasPress = telegram.press(annas!);
    const began = performance.now();
    const toast = await telegram.answered(telegram.press(ninas!));
    expectInTime(performance.now() - began, 2_000, 'the answer to a neighbour');
    expect(toast.text).toContain('You acknowledged this');
    // Nor does the same account wait: only what changes it does, and is not confirmed until then.
    expect((await telegram.answered(annasPress)).text).toContain('You acknowledged this');
    expect(telegram.unconfirmed()).toBeGreaterThan(0);
    expect(telegram.chats.filter(({ chatId }) => chatId === 5_555)).toEqual([]);
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  await telegram.confirmed();
  await world.settle();
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
  expect((await telegram.next(({ chatId }) => chatId === 5_555)).text).toContain('Connected');
});

test('whoever presses keeps the way to the page until the incident is over', async () => {
  const { telegram, world, act } = await family({ publicUrl: 'https://tocsin.test' });
  await act('trigger');
  const [message] = telegram.chats;
  const link = message!.buttons[1]!;
  expect(link.url).toMatch(/^https:\/\/tocsin\.test\/i\//);
  await telegram.answered(telegram.press(message!));
  await eventually(() => message!.edits > 0, { what: 'the message written anew' });
  expect(message).toMatchObject({ buttons: [link], text: expect.stringContaining(link.url!) });
  await world.settle();
  await world.advance(3);
  expect(message!.buttons).toEqual([link]);
  await act('clear');
  await telegram.answered(telegram.press(message!, { data: `a:${link.url!.split('/').at(-1)}` }));
  await eventually(() => message!.buttons.length === 0, { what: 'no way to what is over' });
  expect(message!.text).not.toContain(link.url);
});

test('of two processes one listens at a time; a press that comes again to the other counts once', async () => {
  const both = await sharedByProcesses();
  const first = await family(both);
  const { telegram, act, acknowledgements } = first;
  await act('trigger');
  const second = await startWorld({ ...both, carriers: { telegram: telegram.settings } });
  const holder = async () => (await second.rows<{ holder: string }>('SELECT holder FROM listening'))[0]!.holder;
  const before = await holder();
  const press = telegram.press(telegram.chats[0]!);
  await telegram.answered(press);
  expect(await acknowledgements()).toHaveLength(1);
  // As if it had died before it confirmed.
  await first.world.services.close();
  telegram.again(press);
  await eventually(async () => (await holder()) !== before, { what: 'the other one to listen' });
  await telegram.confirmed();
  await second.settle();
  const kept = "SELECT FROM incident_entry WHERE kind = 'acknowledged'";
  expect(await second.rows(kept)).toHaveLength(1);
});

test('one that listened and is gone without a word is followed after eight seconds', async () => {
  const { telegram, world, act, incident } = await family();
  await act('trigger');
  await telegram.confirmed();
  const holder = async () => (await world.rows<{ holder: string }>('SELECT holder FROM listening'))[0]!.holder;
  const own = await holder();
  // One that listened and died: it never says again that it is there.
  await world.rows("UPDATE listening SET holder = 'dead', until = tocsin_now() + interval '8 s'");
  await eventually(() => telegram.unasked(), { what: 'that nobody asks any more' });
  const press = telegram.press(telegram.chats[0]!);
  await world.advance(8);
  await telegram.answered(press);
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
  expect(await holder()).toBe(own);
});

test('one process holds the place of the one who listens, until it no longer says so or leaves it', async () => {
  const world = await startWorld();
  const { pool } = world.store;
  const holds = (holder: string) => holdListening(pool, 'telegram', holder, 8);
  const both = await Promise.all(['one', 'other'].map(holds));
  expect(both.filter(Boolean)).toHaveLength(1);
  const [first, second] = both[0] ? (['one', 'other'] as const) : (['other', 'one'] as const);
  await world.passTime(7);
  expect([await holds(second), await holds(first)]).toEqual([false, true]);
  await noteListening(pool, 'telegram', first, 'something is wrong');
  await world.passTime(7);
  expect(await holds(second)).toBe(false);
  expect(await readListeningProblems(pool)).toEqual(new Map([['telegram', 'something is wrong']]));
  await world.passTime(1);
  expect([await holds(second), await holds(first)]).toEqual([true, false]);
  // What kept the one before from hearing need not keep this one.
  expect(await readListeningProblems(pool)).toEqual(new Map());
  await leaveListening(pool, 'telegram', second);
  expect(await holds(first)).toBe(true);
  // A time that nobody asks for, such as one from before a clock was set back, keeps nobody out.
  await world.rows("UPDATE listening SET until = tocsin_now() + interval '1 hour'");
  expect(await holds(second)).toBe(true);
});

test.each([-3_600, 3_600])('a clock of the database set by %i s keeps nobody from being heard', async stepS => {
  const { telegram, world, act, incident } = await family({ clock: 'settable' });
  await act('trigger');
  await world.setClock(stepS);
  await telegram.answered(telegram.press(telegram.chats[0]!));
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna', acknowledgedVia: 'chat' });
  await world.advance(5);
  expect(telegram.chats[0]!.buttons).toEqual([]);
});

test('another reader of the bot is told of by the doctor and the log, and nobody stays unheard once it is gone', async () => {
  const logLines: string[] = [];
  const { telegram, world, owner, act, incident } = await family({ logLines });
  await act('trigger');
  const { deployment } = consoleOf(world, world.operator, owner.accountId);
  const doctor = async () => (await deployment.getDeployment({})).channels.find(one => one.channel === 'chat')!;
  expect(await doctor()).toMatchObject({ asked: 'answers', problem: '' });
  telegram.turns('webhook_set');
  telegram.readByAnother();
  const found = await eventually(async () => ((await doctor()).asked === 'fails' ? doctor() : null), {
    what: 'what is wrong with the bot',
  });
  expect(found.problem).toMatch(/reads what is said to the bot of TELEGRAM_TOKEN|has a webhook/);
  expect(logLines.join()).toContain('nobody can acknowledge in its chat');
  telegram.turns('ok');
  await telegram.answered(telegram.press(telegram.chats[0]!));
  expect(await incident()).toMatchObject({ acknowledgedBy: 'Anna' });
  await eventually(async () => (await doctor()).problem === '', { what: 'that nothing is wrong any more' });
  expect(logLines.join()).not.toContain(BOT_TOKEN.split(':')[1]);
});

test('a bot that hangs holds up no other account, and no other way to a person', async () => {
  const ntfy = await startNtfy();
  onTestFinished(() => ntfy.stop());
  const { telegram, world, act } = await family({ carriers: { ntfy: { url: ntfy.url, token: null } } });
  telegram.behave('hang');
  const neighbour = await world.account();
  const nina = await neighbour.contact('Nina', { push: 'ninas-topic' });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: nina, channels: ['push'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  const hangs = act('trigger');
  await world.get(`/v1/alarm/${id}/trigger`, await neighbour.key());
  expect((await ntfy.next()).topic).toBe('ninas-topic');
  expect(telegram.waiting().now).toBeGreaterThan(0);
  await telegram.stop();
  await hangs;
});

test('an outsider who writes to the bot learns their address there and nothing else, a few times', async () => {
  const { telegram } = await family();
  for (let nth = 0; nth < 20; nth++) telegram.write(5_555, nth === 0 ? '/start' : 'hello');
  telegram.write(5_556, 'hallo', { language: 'de' });
  telegram.write(5_557, 'hello', { chat: 'group' });
  telegram.write(5_558, `/start ${'x'.repeat(32)}`);
  await telegram.confirmed();
  const to = (id: number) => telegram.chats.filter(({ chatId }) => Math.abs(chatId) === id).map(({ text }) => text);
  expect(to(5_555)).toEqual(Array(5).fill(expect.stringContaining('Your address here is telegram:5555.')));
  expect(to(5_556)).toEqual([expect.stringContaining('Ihre Adresse hier ist telegram:5556.')]);
  expect(to(5_557)).toEqual([]);
  expect(to(5_558)).toEqual([expect.stringContaining('This link was used already, or has run out.')]);
});

test('a message that went twice loses the button that is pressed; one that cannot be written anew is tried again', async () => {
  const { telegram, world, act, acknowledgements } = await family();
  telegram.turns('breaks_off', 1);
  await act('trigger');
  await world.advance(5);
  expect(telegram.chats.map(({ chatId }) => chatId)).toEqual([ANNAS_ID, ANNAS_ID]);
  telegram.turns('refuses_edits');
  await telegram.answered(telegram.press(telegram.chats[0]!));
  await world.settle();
  await world.advance(3);
  expect(telegram.chats.map(({ buttons }) => buttons.length)).toEqual([1, 1]);
  telegram.turns('ok');
  await telegram.answered(telegram.press(telegram.chats[0]!));
  await world.advance(3);
  await eventually(() => telegram.chats.every(({ buttons }) => buttons.length === 0), { what: 'no buttons' });
  expect(await acknowledgements()).toHaveLength(1);
});

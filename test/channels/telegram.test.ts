import { expect, onTestFinished, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { createTelegramChannel } from '../../services/channels/telegram/send.ts';
import type { Alert } from '../../services/domain/alert.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aStillHappening, aVerification } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';
import { ANNAS_ID, BENS_ID, BOT_TOKEN, startTelegram, type Telegram } from '../support/telegram.ts';
import { expectInTime } from '../support/wait.ts';

const ANNA = `telegram:${ANNAS_ID}`;
/** As long as those of links. */
const TOKEN = 't'.repeat(48);
const THE_BUTTON = { text: 'Acknowledge', callback_data: `a:${TOKEN}` };

async function rig({ timeoutMs = 2_000, token = BOT_TOKEN } = {}) {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const lines: string[] = [];
  const settings = { ...telegram.settings, token };
  return { telegram, channel: createTelegramChannel({ settings, log: logInto(lines), timeoutMs }), lines };
}

test('an alert says what the others say, with a button that acknowledges and one that leads to the page', async () => {
  const { telegram, channel } = await rig();
  const outcome = await channel.send(ANNA, anAlert({ token: TOKEN }));
  const [message] = telegram.chats;
  expect(outcome).toEqual({ kind: 'sent', providerRef: String(message!.id), answered: 'at_carrier' });
  const { subject, text } = writeMessage(anAlert());
  expect(message).toMatchObject({ chatId: ANNAS_ID, text: `${subject}\n\n${text.trimEnd()}` });
  expect(message!.buttons).toEqual([THE_BUTTON, { text: expect.any(String), url: A_WAY_BACK.pageUrl }]);
});

test('a question whether an address is theirs has the button that says yes', async () => {
  const { telegram, channel } = await rig();
  const confirmUrl = 'https://tocsin.test/i/yes';
  const outcome = await channel.send(ANNA, { ...aVerification(), confirmUrl } as Alert);
  expect(outcome).toEqual({ kind: 'sent', providerRef: String(telegram.chats[0]!.id) });
  expect(telegram.chats[0]!.buttons).toEqual([{ text: 'Yes, alert me', url: confirmUrl }]);
});

test('without a public address it is acknowledged all the same', async () => {
  const { telegram, channel } = await rig();
  await channel.send(ANNA, anAlert({ token: TOKEN, wayBack: null }));
  expect(telegram.chats[0]!.buttons).toEqual([THE_BUTTON]);
});

test('a link that Telegram takes for no button stands in the text alone', async () => {
  const { telegram, channel } = await rig();
  const pageUrl = 'http://localhost:8080/i/abc';
  const outcome = await channel.send(ANNA, anAlert({ token: TOKEN, wayBack: { ...A_WAY_BACK, pageUrl } }));
  expect(outcome).toMatchObject({ kind: 'sent' });
  expect(telegram.chats).toMatchObject([{ text: expect.stringContaining(pageUrl), buttons: [THE_BUTTON] }]);
});

test.each<[Alert, 'pressed' | 'not_pressed']>([
  [anAlert({ token: TOKEN, environment: 'drill' }), 'pressed'],
  [anAlert({ token: TOKEN, acknowledgedBy: 'Ben' }), 'not_pressed'],
  [{ ...aStillHappening(), token: TOKEN, acknowledgedBy: '' } as Alert, 'pressed'],
  [{ ...anAcknowledgement(), token: TOKEN } as Alert, 'not_pressed'],
  [aDrill(), 'not_pressed'],
  [aVerification(), 'not_pressed'],
])('%#: whether $purpose has a button that acknowledges', async (alert, is) => {
  const { telegram, channel } = await rig();
  expect(await channel.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
  const presses = telegram.chats[0]!.buttons.filter(button => button.callback_data !== undefined);
  expect(presses).toHaveLength(is === 'pressed' ? 1 : 0);
});

test('two hundred messages of an account hold up none of another, and go as fast as Telegram takes them', async () => {
  const { telegram, channel } = await rig({ timeoutMs: 10_000 });
  const began = performance.now();
  const loud = Array.from({ length: 200 }, () => channel.send(ANNA, anAlert({ accountId: 'loud' })));
  expect(await channel.send(`telegram:${BENS_ID}`, anAlert({ accountId: 'quiet' }))).toMatchObject({ kind: 'sent' });
  expectInTime(performance.now() - began, 1_000, 'the message of a neighbour');
  const outcomes = await Promise.all(loud);
  expect(telegram.chats.length).toBeGreaterThan(20);
  expect(telegram.chats.length).toBeLessThanOrEqual(27 * ((performance.now() - began) / 1_000) + 2);
  // What did not get its turn comes again.
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['sent', 'put_off']));
});

test('a chat that has to wait keeps no other one waiting, until three have to', async () => {
  const { telegram, channel } = await rig();
  const busy = { status: 429, description: 'Too Many Requests', parameters: { retry_after: 20 } };
  const send = (address: string) => channel.send(address, anAlert());
  telegram.turns(busy, 1);
  expect(await send(ANNA)).toMatchObject({ kind: 'asked_to_wait', afterS: 20 });
  expect(await send(ANNA)).toMatchObject({ kind: 'asked_to_wait' });
  expect(telegram.heard).toHaveLength(1);
  expect(await send(`telegram:${BENS_ID}`)).toMatchObject({ kind: 'sent' });
  telegram.turns(busy, 2);
  await send('telegram:7');
  await send('telegram:8');
  const heard = telegram.heard.length;
  expect(await send(`telegram:${BENS_ID}`)).toMatchObject({ kind: 'asked_to_wait' });
  expect(telegram.heard).toHaveLength(heard);
});

test('names of any length fit', async () => {
  const { telegram, channel } = await rig();
  const long = anAlert({
    sourceName: '🚨'.repeat(5_000),
    locationName: '🚨'.repeat(5_000),
    locationAddress: '🚨\n'.repeat(9_000),
  });
  expect(await channel.send(ANNA, long)).toMatchObject({ kind: 'sent' });
  expect(telegram.chats[0]!.text.isWellFormed()).toBe(true);
});

const fault = (reason: string): AttemptOutcome => ({ kind: 'temporary_fault', reason });
const ended = (reason: string): AttemptOutcome => ({ kind: 'permanent_fault', reason });
const refuses = (status: number, description: string, parameters?: Record<string, number>) => (telegram: Telegram) =>
  telegram.turns({ status, description, ...(parameters && { parameters }) });
const behaves = (mode: PeerMode) => (telegram: Telegram) => telegram.behave(mode);

test.each<[string, (telegram: Telegram) => void, AttemptOutcome]>([
  [
    'the person blocked the bot',
    telegram => telegram.blocks(ANNAS_ID),
    ended('they have blocked the bot at Telegram, or their account is closed'),
  ],
  [
    'the person never pressed Start',
    telegram => telegram.forgets(ANNAS_ID),
    ended('Telegram knows no such chat: they have not pressed Start in the chat of the bot'),
  ],
  [
    'a group became another one',
    refuses(400, 'Bad Request: group chat was upgraded', { migrate_to_chat_id: -1001 }),
    ended('the chat is a group at Telegram, which has become another one'),
  ],
  [
    'the message is too long',
    refuses(400, 'Bad Request: message is too long'),
    ended('Telegram says that the message is too long'),
  ],
  ['it refuses for another reason', refuses(400, 'Bad Request: odd'), ended('Telegram refused: Bad Request: odd')],
  [
    'it wants us to wait',
    refuses(429, 'Too Many Requests: retry after 35', { retry_after: 35 }),
    { kind: 'asked_to_wait', reason: 'Telegram asked to wait', afterS: 35 },
  ],
  [
    'it wants us to wait for too long',
    refuses(429, 'Too Many Requests: retry after 3600', { retry_after: 3_600 }),
    { ...fault('Telegram takes no more messages for now'), taken: 'no' } as AttemptOutcome,
  ],
  ['it fails itself', refuses(502, 'Bad Gateway'), fault('Telegram has a fault of its own: 502')],
  ['it gives no id', telegram => telegram.turns('no_id'), fault('Telegram answered something that cannot be read')],
  ['it is no Telegram', behaves('garbage'), fault('Telegram answered something that cannot be read')],
  ['it hangs', behaves('hang'), { ...fault('Telegram did not answer in time'), carrier: 'away' } as AttemptOutcome],
  ['it breaks off', behaves('reset'), { ...fault('Telegram broke off'), carrier: 'away' } as AttemptOutcome],
  [
    'it answers without an end',
    behaves('endless'),
    { ...fault('Telegram answered something that cannot be read'), carrier: 'away' } as AttemptOutcome,
  ],
  [
    'it leads elsewhere',
    behaves({ status: 302, headers: { location: 'http://169.254.169.254/' } }),
    ended('Telegram refused: 302'),
  ],
])('where %s', async (_, is, outcome) => {
  const { telegram, channel, lines } = await rig({ timeoutMs: 300 });
  is(telegram);
  expect(await channel.send(ANNA, anAlert({ token: TOKEN }))).toEqual(outcome);
  expect(lines.join()).not.toContain(BOT_TOKEN);
});

test('the token is in no line of the log, no reason and no error, whatever answers in the place of Telegram', async () => {
  const { telegram, channel, lines } = await rig({ timeoutMs: 300 });
  const outcomes: unknown[] = [];
  for (const is of [
    behaves('hang'),
    behaves('reset'),
    behaves({ status: 404, body: `Cannot POST /bot${BOT_TOKEN}/sendMessage` }),
    behaves({ status: 400, body: JSON.stringify({ ok: false, description: `no route /bot${BOT_TOKEN}/sendMessage` }) }),
  ]) {
    is(telegram);
    outcomes.push(await channel.send(ANNA, anAlert()), await channel.ask!(300));
  }
  await telegram.stop();
  outcomes.push(await channel.send(ANNA, anAlert()), await channel.ask!(300));
  const said = JSON.stringify(outcomes) + lines.join();
  expect(said).toContain('no route /bot…/sendMessage');
  expect(said).not.toContain(BOT_TOKEN.split(':')[1]);
});

test('a wrong token is one of the deployment, and the doctor finds it without sending', async () => {
  const { telegram, channel } = await rig({ token: `1:${'x'.repeat(35)}` });
  const refused = 'Telegram refused the token: check TELEGRAM_TOKEN';
  expect(await channel.send(ANNA, anAlert())).toEqual({ ...ended(refused), carrier: 'away' });
  expect(await channel.ask!(1_000)).toBe(refused);
  const right = await rig();
  expect(await right.channel.ask!(1_000)).toBeNull();
  expect([telegram.chats, right.telegram.chats]).toEqual([[], []]);
});

test.each<[string, Alert, AttemptOutcome['kind']]>([
  ['live alert', anAlert(), 'temporary_fault'],
  ['alert of a drill', anAlert({ environment: 'drill' }), 'permanent_fault'],
  ['news of an acknowledgement', anAcknowledgement(), 'permanent_fault'],
  ['test message', aDrill(), 'permanent_fault'],
  ['code', aVerification(), 'permanent_fault'],
])('a %s that may have been taken', async (_, alert, kind) => {
  const { telegram, channel } = await rig();
  telegram.turns('breaks_off');
  expect(await channel.send(ANNA, alert)).toMatchObject({ kind, reason: 'Telegram broke off' });
  expect(telegram.chats).toHaveLength(1);
  // What cannot have been taken is tried again, whatever it is. A connection that was kept ends first.
  await telegram.stop();
  await channel.ask!(1_000);
  expect(await channel.send(ANNA, alert)).toMatchObject({ kind: 'temporary_fault', taken: 'no' });
});

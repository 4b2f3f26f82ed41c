import { expect, onTestFinished, test } from 'vitest';
import { createTelegramBot } from '../../services/channels/telegram/bot.ts';
import { logInto } from '../support/log.ts';
import { ANNAS_ID, BOT_NAME, BOT_TOKEN, startTelegram, type Telegram } from '../support/telegram.ts';
import { eventually } from '../support/wait.ts';

async function rig(token = BOT_TOKEN) {
  const telegram = await startTelegram();
  onTestFinished(() => telegram.stop());
  const lines: string[] = [];
  const bot = createTelegramBot({ ...telegram.settings, token }, logInto(lines));
  return { telegram, bot, lines, hear: () => bot.hear(AbortSignal.timeout(20_000)) };
}

test('what was heard is heard again until it is kept, and then never again', async () => {
  const { telegram, bot, hear } = await rig();
  telegram.write(ANNAS_ID, 'hello');
  telegram.write(ANNAS_ID, '/start abc_-1');
  const first = await hear();
  expect(first).toMatchObject({
    kind: 'heard',
    said: [
      { said: { kind: 'wrote', from: `telegram:${ANNAS_ID}`, locale: 'en' } },
      { said: { kind: 'started', from: `telegram:${ANNAS_ID}`, code: 'abc_-1' } },
    ],
  });
  expect(await hear()).toEqual(first);
  bot.kept(null);
  telegram.write(ANNAS_ID, 'more');
  expect(await hear()).toMatchObject({ said: [{ said: { kind: 'wrote' } }] });
  expect(telegram.unconfirmed()).toBe(1);
  // Whatever comes from one on is not stored yet.
  const again = await hear();
  const [open] = again.kind === 'heard' ? again.said : [];
  telegram.write(ANNAS_ID, 'even more');
  await hear();
  bot.kept(open!.nth);
  expect(await hear()).toMatchObject({ said: [{ nth: open!.nth }, { said: { kind: 'wrote' } }] });
});

test('what is not known, of a group, or not to be read is passed over, and confirmed all the same', async () => {
  const { telegram, bot, hear } = await rig();
  telegram.oddity({ inline_query: { id: '1' } });
  telegram.oddity({ message: { from: { id: 'x' }, chat: 7 } });
  telegram.oddity({ callback_query: { id: 'p', from: { id: ANNAS_ID }, data: 'x'.repeat(65) } });
  telegram.write(5_555, '/start abc', { chat: 'group' });
  expect(await hear()).toEqual({ kind: 'heard', said: [] });
  bot.kept(null);
  telegram.write(ANNAS_ID, 'hello');
  await hear();
  expect(telegram.unconfirmed()).toBe(1);
});

test('a press from a message that is too old to be shown is one all the same', async () => {
  const { telegram, hear } = await rig();
  telegram.oddity({ callback_query: { id: 'p', from: { id: ANNAS_ID }, data: 'a:token' } });
  expect(await hear()).toMatchObject({
    said: [{ said: { kind: 'pressed', press: 'p', token: 'token', message: null } }],
  });
});

test('the longest things that people can write keep nobody from being heard', async () => {
  const { telegram, hear } = await rig();
  const quoted = { text: '🚨'.repeat(2_048), entities: Array(100).fill({ type: 'bold', offset: 0, length: 1 }) };
  for (let nth = 0; nth < 20; nth++) {
    const from = { id: ANNAS_ID, language_code: 'de' };
    telegram.oddity({
      message: { from, chat: { id: ANNAS_ID, type: 'private' }, ...quoted, reply_to_message: quoted },
    });
  }
  const heard = await hear();
  expect(heard.kind === 'heard' && heard.said).toHaveLength(20);
});

test.each<[string, (telegram: Telegram) => void, { problem: RegExp; who: string }]>([
  ['has a webhook', telegram => telegram.turns('webhook_set'), { problem: /has a webhook/, who: 'another_reads' }],
  [
    'fails itself',
    telegram => telegram.behave({ status: 502 }),
    { problem: /^Telegram has a fault of its own: 502$/, who: 'nobody_knows' },
  ],
  ['breaks off', telegram => telegram.behave('reset'), { problem: /^Telegram broke off$/, who: 'nobody_knows' }],
  ['is no Telegram', telegram => telegram.behave('garbage'), { problem: /cannot be read$/, who: 'nobody_knows' }],
  [
    'answers without an end',
    telegram => telegram.behave('endless'),
    { problem: /cannot be read$/, who: 'nobody_knows' },
  ],
])('where it %s nothing is heard, and it is said why', async (_, is, { problem, who }) => {
  const { telegram, lines, hear } = await rig();
  is(telegram);
  const heard = await hear();
  expect(heard).toMatchObject({ kind: 'fault', who, problem: expect.stringMatching(problem) });
  expect(JSON.stringify(heard) + lines.join()).not.toContain(BOT_TOKEN.split(':')[1]);
});

test('whoever waits is told of another reader, and waits as long as Telegram asks for', async () => {
  const { telegram, hear } = await rig();
  const waits = hear();
  await eventually(() => telegram.asked.length > 0, { what: 'a question' });
  telegram.readByAnother();
  expect(await waits).toMatchObject({ kind: 'fault', who: 'another_reads', afterS: 5 });
  telegram.behave({
    status: 429,
    body: JSON.stringify({ ok: false, description: 'Too Many Requests', parameters: { retry_after: 35 } }),
  });
  expect(await hear()).toMatchObject({ kind: 'fault', afterS: 35 });
});

test('a question that is no longer waited for ends at once', async () => {
  const { bot } = await rig();
  const ending = new AbortController();
  const hears = bot.hear(ending.signal);
  ending.abort();
  await expect(hears).rejects.toThrow();
  await expect(bot.hear(ending.signal)).rejects.toThrow();
});

test('the link names the bot, whose name is asked for once', async () => {
  const { telegram, bot } = await rig();
  for (const code of ['abc', 'def']) {
    expect(await bot.startUrl!(code)).toEqual({ kind: 'url', url: `https://t.me/${BOT_NAME}?start=${code}` });
  }
  expect(telegram.heard).toHaveLength(1);
  const wrong = await rig(`1:${'x'.repeat(35)}`);
  expect(await wrong.bot.startUrl!('abc')).toEqual({
    kind: 'fault',
    problem: 'Telegram refused the token: check TELEGRAM_TOKEN',
  });
});

test('answers are cut to what Telegram takes, and nothing comes of one that it refuses', async () => {
  const { telegram, bot } = await rig();
  telegram.write(ANNAS_ID, 'hello');
  await bot.answer('p', 'x'.repeat(500), 'loud');
  await bot.answer('p', 'again', 'loud');
  expect(telegram.toasts).toMatchObject([{ id: 'p', isAlert: true }]);
  expect(telegram.toasts[0]!.text).toHaveLength(200);
  const gone = { providerRef: '4711', address: `telegram:${ANNAS_ID}`, text: 'x', page: null };
  expect(await bot.rewrite(gone)).toBe('done');
  telegram.behave({ status: 503 });
  expect(await bot.rewrite(gone)).toBe('no_answer');
});

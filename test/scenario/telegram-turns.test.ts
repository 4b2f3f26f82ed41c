import { expect, onTestFinished, test } from 'vitest';
import { ANNAS_KEY, startPushover } from '../support/pushover.ts';
import { startSmtp } from '../support/smtp.ts';
import { ANNAS_ID, BENS_ID, startTelegram } from '../support/telegram.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/** A deployment with a bot, a mail server and Pushover, and accounts that alert one person over some channels. */
async function rig() {
  const [telegram, smtp, pushover] = await Promise.all([startTelegram(), startSmtp(), startPushover()]);
  onTestFinished(async () => void (await Promise.all([telegram.stop(), smtp.stop(), pushover.stop()])));
  const carriers = { telegram: telegram.settings, pushover: pushover.settings };
  const world = await startWorld({ smtpUrl: smtp.url, carriers });
  const account = async (on: { chat?: string; email?: string; push?: string }) => {
    const owner = await world.account();
    const contactId = await owner.contact('Somebody', on);
    const channels = Object.keys(on) as (keyof typeof on)[];
    const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels }] }]);
    const [id, key] = [await owner.alarm({ modes: { away: { policyId } } }), await owner.key()];
    return { owner, contactId, policyId, trigger: () => world.get(`/v1/alarm/${id}/trigger`, key) };
  };
  return { telegram, smtp, pushover, world, account };
}

test('where Telegram asks to wait for long, the next channel goes beside it, and another person is still told', async () => {
  const { telegram, smtp, world, account } = await rig();
  const both = await account({ chat: `telegram:${ANNAS_ID}`, email: 'anna@example.com' });
  const other = await account({ chat: `telegram:${BENS_ID}` });
  telegram.turns({ status: 429, description: 'Too Many Requests', parameters: { retry_after: 60 } }, 1);
  await both.trigger();
  await world.settle();
  await world.advance(15);
  expect(smtp.mails).toHaveLength(1);
  telegram.turns('ok');
  await other.trigger();
  await telegram.next(({ chatId }) => chatId === BENS_ID);
  expect(telegram.chats).toHaveLength(1);
});

test('a bot that hangs delays no answer in the app of another carrier', async () => {
  const { telegram, pushover, world, account } = await rig();
  const chat = await account({ chat: `telegram:${ANNAS_ID}` });
  const push = await account({ push: `pushover:${ANNAS_KEY}` });
  await chat.trigger();
  await push.trigger();
  await world.settle();
  telegram.behave('hang');
  await world.rows('UPDATE incident SET acknowledged_at = tocsin_now() WHERE account_id = $1', [chat.owner.accountId]);
  await world.passTime(3);
  await eventually(() => telegram.heard.some(({ path }) => path.endsWith('editMessageText')), {
    what: 'a hanging edit',
  });
  pushover.press(pushover.rung[0]!);
  await world.passTime(5);
  const began = performance.now();
  await eventually(async () => (await push.owner.incidents())[0]!.acknowledgedVia === 'push', { what: 'the answer' });
  expectInTime(performance.now() - began, 2_500, 'an answer at Pushover');
  await telegram.stop();
});

import { expect, test, vi } from 'vitest';
import { ATTEMPT_TIMEOUT_S } from '../../services/domain/delivery.ts';
import { historyChecker } from '../support/history/checker.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { deliveryOf, type Kept, startDeliveryRig, times } from './delivery-rig.ts';

/*
 * Processes that are killed or stopped while messages are at their carriers, taken by them already or not. Every kill is a
 * real SIGKILL.
 */
vi.setConfig({ testTimeout: 60_000 });

const checker = historyChecker('killed while sending');

const only = (messages: readonly Kept[], channel: string) => messages.filter(one => one.channel === channel);

test('killed while messages are at carriers that took them and never answered: once each at Twilio, recognisable elsewhere', async () => {
  const rig = await startDeliveryRig();
  const { twilio, smtp, hook } = rig;
  const first = await rig.start();
  const button = await rig.button({ afterS: 0, text: 1, call: 1, email: 1, webhook: 1 }, { afterS: 60, text: 1 });
  twilio.behave('hang');
  smtp.behave('hang');
  hook.behave('hang');
  expect(await rig.press(first, button)).toBe(202);
  await eventually(() => [twilio.messages, twilio.calls, smtp.mails, hook.heard].every(taken => taken.length === 1), {
    what: 'every carrier to have taken its message',
  });
  await first.product.kill();
  for (const carrier of [twilio, smtp, hook]) carrier.behave('ok');
  await rig.advance(24.999);

  await rig.start();
  const early = await rig.messages(button);
  expect(early.filter(({ step }) => step === 0).map(({ status, attempt }) => `${status} ${attempt}`)).toEqual(
    times(4, 'sending 1'),
  );
  await rig.advance(0.001);
  await rig.stand(button, ['text sent', 'call sent', 'webhook delivered', 'email sending', 'text scheduled']);
  await rig.advance(20);
  await rig.stand(button, ['text sent', 'call sent', 'webhook delivered', 'email sent', 'text scheduled']);
  await rig.advance(15);
  const ended = await rig.stand(button, ['text sent', 'call sent', 'webhook delivered', 'email sent', 'text sent']);

  expect(twilio.messages.map(({ sid }) => sid)).toEqual(only(ended, 'text').map(one => one.provider_ref));
  expect(twilio.calls.map(({ sid }) => sid)).toEqual(only(ended, 'call').map(one => one.provider_ref));
  expect(smtp.mails.length).toBe(2);
  expect(new Set(smtp.mails.map(({ messageId }) => messageId)).size).toBe(1);
  expect(hook.heard.length).toBe(2);
  expect(new Set(hook.heard.map(({ headers }) => headers['webhook-id']))).toEqual(
    new Set([only(ended, 'webhook')[0]!.id]),
  );
  checker.holds(await rig.history());
});

test('killed between the answer of a carrier and its record: nothing is at Twilio twice', async () => {
  const rig = await startDeliveryRig();
  const { twilio } = rig;
  const first = await rig.start();
  // The answer comes to nobody: it is on its way when the process dies.
  const early = await rig.button({ afterS: 0, text: 1, call: 1 });
  twilio.behave(300);
  await rig.press(first, early);
  await eventually(() => twilio.messages.length + twilio.calls.length === 2, { what: 'both at the carrier' });
  await first.product.kill();
  await rig.advance(25);
  const second = await rig.start();
  await rig.stand(early, ['text sent', 'call sent']);

  // The answer is there, and its record waits for a row that somebody else holds.
  const late = await rig.button({ afterS: 0, text: 1, call: 1 });
  twilio.behave(1_500);
  await rig.press(second, late);
  await eventually(() => twilio.messages.length + twilio.calls.length === 4, { what: 'two more at the carrier' });
  const holder = await rig.connection();
  await holder.query('BEGIN');
  await holder.query("SELECT FROM delivery WHERE status = 'sending' FOR UPDATE");
  const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  await eventually(async () => (await rig.rows(waiting)).length === 2, { what: 'both records to wait for the row' });
  await second.product.kill();
  await holder.query('ROLLBACK');
  expect((await rig.messages(late)).map(({ status }) => status)).toEqual(['sending', 'sending']);
  await rig.advance(25);
  await rig.start();

  for (const button of [early, late]) {
    const ended = await rig.stand(button, ['text sent', 'call sent']);
    expect(ended.map(({ attempt }) => attempt)).toEqual([2, 2]);
    expect(twilio.messages.map(({ sid }) => sid)).toContain(only(ended, 'text')[0]!.provider_ref);
    expect(twilio.calls.map(({ sid }) => sid)).toContain(only(ended, 'call')[0]!.provider_ref);
  }
  expect([twilio.messages.length, twilio.calls.length]).toEqual([2, 2]);
  checker.holds(await rig.history());
});

test('two processes on one database send 200 messages once each, and also when one is killed half way', async () => {
  const PEOPLE = 200;
  const LATENCY_MS = 150;
  const rig = await startDeliveryRig();
  const { twilio } = rig;
  const [one, two] = await Promise.all([rig.start({ LOG_LEVEL: 'info' }), rig.start({ LOG_LEVEL: 'info' })]);
  twilio.behave(LATENCY_MS);
  const expectOnceEach = (messages: readonly Kept[]) => {
    const ids = messages.map(({ id }) => id);
    const told = twilio.messages.map(deliveryOf).filter(id => ids.includes(id));
    expect(told.sort()).toEqual(ids.sort());
  };

  const both = await rig.button({ afterS: 0, text: PEOPLE });
  await rig.press(one, both);
  expectOnceEach(await rig.stand(both, times(PEOPLE, 'text sent')));
  const sentBy = ({ printed }: typeof one.product) => printed().stderr.split('"a message was tried"').length - 1;
  const sentByAll = () => sentBy(one.product) + sentBy(two.product);
  await eventually(() => sentByAll() >= PEOPLE, { what: 'the logs of both to arrive' });
  expect(sentByAll()).toBe(PEOPLE);
  expect(Math.min(sentBy(one.product), sentBy(two.product))).toBeGreaterThan(10);

  const halfWay = await rig.button({ afterS: 0, text: PEOPLE });
  await rig.press(one, halfWay);
  await eventually(() => twilio.messages.length >= PEOPLE * 1.5, { what: 'half of them' });
  await two.product.kill();
  const left = await eventually(
    async () => restOf(await rig.messages(halfWay), LATENCY_MS, () => rig.messages(halfWay)),
    {
      what: 'the other process to send all but what the dead one was sending',
    },
  );
  expect(left.length).toBeGreaterThan(0);
  await rig.advance(25);
  const ended = await rig.stand(halfWay, times(PEOPLE, 'text sent'));
  expectOnceEach(ended);
  expect(ended.filter(({ attempt }) => attempt > 1).length).toBe(left.length);
  checker.holds(await rig.history());
});

test('SIGTERM while carriers hang: the process ends after 10 s at most with code 0, and the next one sends what was left', async () => {
  const rig = await startDeliveryRig();
  const { smtp } = rig;
  const first = await rig.start();
  const button = await rig.button({ afterS: 0, email: 1 });
  smtp.behave('hang');
  await rig.press(first, button);
  await smtp.next();
  const began = performance.now();
  first.product.signal('SIGTERM');
  expect(await first.product.ended()).toBe(0);
  const graceMs = performance.now() - began;
  expect(graceMs).toBeGreaterThan(8_000);
  // The carrier itself would have had longer.
  expectInTime(graceMs, ATTEMPT_TIMEOUT_S.email * 1000);
  expect(first.product.printed().stderr).toContain('stopped before all that was being sent was recorded');
  expect(await rig.messages(button)).toMatchObject([{ status: 'sending', attempt: 1, reason: null }]);

  smtp.behave('ok');
  const second = await rig.start();
  await rig.advance(45);
  await rig.stand(button, ['email sent']);
  expect(new Set(smtp.mails.map(({ messageId }) => messageId)).size).toBe(1);
  expect(smtp.mails.length).toBe(2);

  // Without a carrier that hangs nothing is waited for.
  const again = performance.now();
  second.product.signal('SIGTERM');
  expect(await second.product.ended()).toBe(0);
  expectInTime(performance.now() - again, graceMs / 2);
  checker.holds(await rig.history());
});

/** What is still being sent when nothing is scheduled any more and nothing has changed for ten times a carrier's latency; null: not yet. */
async function restOf(before: readonly Kept[], latencyMs: number, look: () => Promise<Kept[]>): Promise<Kept[] | null> {
  await new Promise(resolve => setTimeout(resolve, 10 * latencyMs));
  const sending = (await look()).filter(({ status }) => status === 'sending');
  const isStill =
    before.every(({ status }) => status !== 'scheduled') &&
    before.filter(({ status }) => status === 'sending').length === sending.length;
  return isStill ? sending : null;
}

import { expect, onTestFinished, test } from 'vitest';
import { SECRET } from '../channels/gateway-rig.ts';
import { tokenOf } from '../rpc/incident/incident-rig.ts';
import { NO_CARRIERS } from '../support/carriers.ts';
import { consoleOf } from '../support/console.ts';
import { figureOf } from '../support/figures.ts';
import { signedFor, startHook } from '../support/hook.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTwilio } from '../support/twilio.ts';
import { eventually } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

const ANNA = '+12025550111';

/** A live alarm that tells Anna by text, for which a gateway stands by behind Twilio, and a second mail server behind the first. */
async function family() {
  const [twilio, hook, smtp, smtp2] = await Promise.all([
    startTwilio(),
    startHook({ secret: SECRET, answer: { ref: 'of the gateway' } }),
    startSmtp(),
    startSmtp(),
  ]);
  const carriers = {
    twilio: twilio.settings,
    gateway: { url: `${hook.url}/send`, secret: SECRET, signature: 'v2' as const },
    mail2: { ...NO_CARRIERS.mail, smtpUrl: smtp2.url },
    order: { text: ['twilio', 'gateway'], call: ['twilio', 'gateway'], email: ['mail', 'mail2'] },
  };
  const world = await startWorld({ smtpUrl: smtp.url, carriers, publicUrl: 'of the facade' });
  onTestFinished(async () => void (await Promise.all([twilio.stop(), hook.stop(), smtp.stop(), smtp2.stop()])));
  const owner = await world.account();
  const anna = await owner.contact('Anna', { text: ANNA, email: 'anna@example.com' });
  const alarmOf = async (channel: 'text' | 'email') => {
    const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId: anna, channels: [channel] }] }]);
    return owner.alarm({ modes: { away: { policyId } } });
  };
  const [id, byMail, key] = [await alarmOf('text'), await alarmOf('email'), await owner.key()];
  const trigger = async (of = id) => void (await world.get(`/v1/alarm/${of}/trigger`, key));
  const deliveries = async () => (await owner.incidents())[0]!.deliveries;
  const told = async () =>
    (await deliveries()).map(({ channel, status, reason }) => `${channel} ${status}${reason && `: ${reason}`}`);
  const texts = () => ({ twilio: twilio.messages.length, gateway: hook.events.length });
  return { twilio, hook, smtp, smtp2, world, owner, key, id, byMail, trigger, deliveries, told, texts };
}

test('a carrier that refuses everybody is passed over at once, and the timeline and the month say who was asked before', async () => {
  const { twilio, world, owner, trigger, deliveries, told, texts } = await family();
  const counted = await figureOf(world.url, 'tocsin_carrier_stood_by_total{channel="text"}');
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  expect(texts()).toEqual({ twilio: 0, gateway: 1 });
  expect(await figureOf(world.url, 'tocsin_carrier_stood_by_total{channel="text"}')).toBe(counted + 1);
  expect(await told()).toEqual(['text sent']);
  const [text] = await deliveries();
  expect(text).toMatchObject({ carrier: 'gateway', providerRef: 'of the gateway', attempts: 1 });
  const login = 'the carrier refused the login: check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN';
  expect(text!.carrierTries).toMatchObject([{ carrier: 'twilio', reason: login, taken: 'no' }]);
  expect(text!.explanation).toBe(
    `The carrier accepted it; whether it arrived is not known. Asked before: twilio (${login}).`,
  );
  const seen = consoleOf(world, world.operator, owner.accountId);
  expect((await seen.incidents.getMonthlyTotals({ months: 1 })).months[0]!.carriers).toMatchObject([
    { carrier: 'gateway', sent: 1, failed: 0, passedOn: 0 },
    { carrier: 'twilio', sent: 0, failed: 0, passedOn: 1 },
  ]);
});

test('one that does not work comes last from then on, and is not left out', async () => {
  const { twilio, hook, world, owner, key, id, trigger, deliveries, texts } = await family();
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  expect([texts(), twilio.requests('create')]).toEqual([{ twilio: 0, gateway: 1 }, 1]);
  const anew = async () => {
    await world.get(`/v1/alarm/${id}/clear`, key);
    // People are not told more often than they can bear.
    await world.advance(600);
    await trigger();
    await world.settle();
  };
  await anew();
  expect([texts(), twilio.requests('create')]).toEqual([{ twilio: 0, gateway: 2 }, 1]);
  hook.behave({ status: 429 });
  await anew();
  expect(texts()).toEqual({ twilio: 1, gateway: 2 });
  const text = (await owner.incidents())[0]!.deliveries.find(({ channel }) => channel === 'text')!;
  expect(text).toMatchObject({ carrier: 'twilio', carrierTries: [{ carrier: 'gateway', taken: 'no' }] });
  expect(await deliveries()).toHaveLength(1);
});

test('one that took it and does not answer is asked for it, and nobody is told twice', async () => {
  const { twilio, world, trigger, deliveries, texts } = await family();
  twilio.behave('hang');
  await trigger();
  await world.settle();
  expect(texts()).toEqual({ twilio: 1, gateway: 0 });
  expect(await deliveries()).toMatchObject([
    { status: 'sent', carrier: 'twilio', providerRef: twilio.messages[0]!.sid, carrierTries: [] },
  ]);
});

test('where it cannot say, the next one sends too: at most one more, within 5 s and the time to ask, and told as such', async () => {
  const { twilio, hook, world, trigger, deliveries, texts } = await family();
  twilio.behave('hang');
  twilio.behave('hang', 'list');
  await trigger();
  await world.settle();
  expect(texts()).toEqual({ twilio: 1, gateway: 1 });
  const [text] = await deliveries();
  expect(text).toMatchObject({ status: 'sent', carrier: 'gateway', attempts: 1 });
  expect(text!.carrierTries).toMatchObject([
    { carrier: 'twilio', taken: 'maybe', reason: 'the carrier did not answer within 4 s' },
  ]);
  expect(text!.carrierTries[0]!.tookMs).toBeGreaterThanOrEqual(6_000);
  expect(text!.explanation).toContain('It may have gone out twice.');

  // What the first one reports late is about an attempt that is over.
  const { sid } = twilio.messages[0]!;
  await twilio.tell(sid, 'failed', { errorCode: 30003 });
  expect(await deliveries()).toMatchObject([{ status: 'sent', carrier: 'gateway' }]);
  const { statusUrl } = hook.events[0]!.event as { statusUrl: string };
  expect(statusUrl).toContain('/carrier/gateway/status/');
});

test('what is wrong with the number is so with every carrier: the next channel goes', async () => {
  const { twilio, world, trigger, told, texts } = await family();
  twilio.failNext({ status: 400, code: 21211 });
  await trigger();
  await world.settle();
  expect(texts()).toEqual({ twilio: 0, gateway: 0 });
  expect(await told()).toEqual(['text failed: invalid number', 'email sent']);
});

test('where none takes it, it is tried again through all of them, and the next channel goes beside it', async () => {
  const { twilio, hook, world, trigger, deliveries, told, texts } = await family();
  twilio.behave('busy');
  hook.behave({ status: 429 });
  await trigger();
  await world.settle();
  expect(await told()).toEqual([expect.stringContaining('text scheduled: the gateway refused')]);
  await world.advance(5);
  expect(await told()).toEqual(['email sent', expect.stringContaining('text scheduled: the gateway refused')]);
  hook.behave('ok');
  await world.advance(15);
  expect(await told()).toContain('text sent');
  expect(texts()).toEqual({ twilio: 0, gateway: 1 });
  const text = (await deliveries()).find(({ channel }) => channel === 'text')!;
  expect(text.carrierTries.map(({ carrier }) => carrier)).toEqual(['twilio', 'twilio', 'twilio']);
});

test('somebody who acknowledged while the first one hung is not told by the second', async () => {
  const { twilio, hook, owner, world, trigger, deliveries } = await family();
  twilio.behave('hang');
  twilio.behave('hang', 'list');
  await trigger();
  await eventually(() => twilio.messages.length === 1, { what: 'the first carrier to take it' });
  const { incidents } = consoleOf(world, await tokenOf(world, owner, 'A token'));
  await incidents.acknowledge({ incidentId: (await owner.incidents())[0]!.id });
  await world.settle();
  const alerts = hook.events.filter(({ event }) => String(event.text).includes('ALARM'));
  expect(alerts).toEqual([]);
  expect((await deliveries()).find(({ kind }) => kind === 'alert')!.status).toBe('cancelled');
});

test('what passes at one is tried again, though nothing of the other works', async () => {
  const { twilio, hook, world, trigger, told, texts } = await family();
  twilio.behave('busy');
  hook.behave({ status: 401 });
  await trigger();
  await world.settle();
  expect(await told()).toEqual(['text scheduled: the carrier is busy']);
  twilio.behave('ok');
  await world.advance(5);
  expect(await told()).toEqual(['text sent']);
  expect(texts()).toEqual({ twilio: 1, gateway: 0 });
});

test('what one carrier does not send to this number, another one may', async () => {
  const { twilio, world, trigger, told, texts } = await family();
  twilio.failNext({ status: 400, code: 21608 });
  await trigger();
  await world.settle();
  expect(texts()).toEqual({ twilio: 0, gateway: 1 });
  expect(await told()).toEqual(['text sent']);
});

test('a report names the carrier that made it', async () => {
  const { hook, twilio, world, trigger, deliveries } = await family();
  twilio.failNext({ status: 401, code: 20003 });
  await trigger();
  await world.settle();
  const { statusUrl } = hook.events[0]!.event as { statusUrl: string };
  const body = JSON.stringify({ state: 'delivered' });
  const headers = { 'content-type': 'application/json', ...signedFor(statusUrl, SECRET, body) };
  expect((await fetch(statusUrl, { method: 'POST', headers, body })).status).toBe(200);
  expect(await deliveries()).toMatchObject([{ status: 'delivered', carrier: 'gateway' }]);
});

test('a mailbox that wants to be asked again later is no fault of the mail server: it stays there, and others too', async () => {
  const { smtp, smtp2, world, byMail, trigger, deliveries } = await family();
  smtp.greylist('anna@example.com');
  await trigger(byMail);
  await world.settle();
  for (const seconds of [5, 15, 45]) {
    await world.advance(seconds);
    await world.settle();
  }
  const mail = (await deliveries()).find(({ channel }) => channel === 'email');
  expect(mail).toMatchObject({ status: 'scheduled', attempts: 4, carrierTries: [] });
  expect(smtp2.mails).toEqual([]);

  const neighbour = await world.account();
  const bob = await neighbour.contact('Bob', { email: 'bob@example.com' });
  const policyId = await neighbour.policy([{ delayS: 0, contacts: [{ contactId: bob, channels: ['email'] }] }]);
  const id = await neighbour.alarm({ modes: { away: { policyId } } });
  await world.get(`/v1/alarm/${id}/trigger`, await neighbour.key());
  await world.settle();
  expect((await neighbour.incidents())[0]!.deliveries).toMatchObject([{ status: 'sent', carrier: 'mail' }]);
  expect(smtp.mails.map(({ envelope }) => envelope.to)).toEqual([['bob@example.com']]);
});

test('a second mail server takes what the first one does not', async () => {
  const { smtp, smtp2, world, byMail, trigger, deliveries } = await family();
  await smtp.stop();
  await trigger(byMail);
  await world.settle();
  expect(smtp2.mails.map(({ envelope }) => envelope.to)).toEqual([['anna@example.com']]);
  expect(await deliveries()).toMatchObject([
    { status: 'sent', carrier: 'mail2', carrierTries: [{ carrier: 'mail', taken: 'no' }] },
  ]);
});

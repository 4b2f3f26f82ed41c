import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createChannels } from '../../services/channels/channels.ts';
import { writeKept } from '../../services/channels/message.ts';
import { CHANNELS, type ChannelKind } from '../../services/domain/delivery.ts';
import { anAlert } from '../support/alert.ts';
import { carriers, NO_CARRIERS } from '../support/carriers.ts';
import { logInto } from '../support/log.ts';
import { startSmtp } from '../support/smtp.ts';
import { startTelnyx } from '../support/telnyx.ts';
import { startTwilio } from '../support/twilio.ts';

const ADDRESSES: Record<ChannelKind, string> = {
  text: '+4366012345678',
  call: '+4366012345678',
  email: 'anna@example.com',
  push: 'device-token',
  chat: 'telegram:123456789',
  webhook: 'https://anna.example.com/hook',
};

const silent = pino({ level: 'silent' });

/** Webhooks go to whoever the address names, so they need no carrier. */
const CARRIED = CHANNELS.filter(kind => kind !== 'webhook');

describe('where nothing is set up', () => {
  test.each(CARRIED)('%s has no carrier, says so and is never sent', async kind => {
    const { log, lines } = heardLog();
    const channels = createChannels(carriers(null), log);
    onTestFinished(channels.close);
    const outcome = await channels.byKind[kind].send(ADDRESSES[kind], anAlert());
    expect(outcome).toEqual({
      kind: 'kept',
      reason: expect.stringContaining(`no carrier is configured for ${kind}`),
      message: writeKept(anAlert()),
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(anAlert().deliveryId);
    for (const personal of [ADDRESSES[kind], 'Anna', 'House', 'Example Street'])
      expect(lines[0]).not.toContain(personal);
  });

  test.each([
    [
      'text',
      'set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM, or GATEWAY_URL and GATEWAY_SECRET, or TELNYX_API_KEY, TELNYX_PUBLIC_KEY, TELNYX_FROM and TELNYX_TEXML_APP, to send it',
    ],
    [
      'call',
      'set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM, or GATEWAY_URL and GATEWAY_SECRET, or TELNYX_API_KEY, TELNYX_PUBLIC_KEY, TELNYX_FROM and TELNYX_TEXML_APP, to send it',
    ],
    ['email', 'set SMTP_URL to send it'],
    ['push', 'set NTFY_URL, or PUSHOVER_TOKEN, or WEB_PUSH_CONTACT, to send it'],
  ] as const)('what stands in for %s names the setting that is missing', async (kind, todo) => {
    const channels = createChannels(carriers(null), silent);
    onTestFinished(channels.close);
    expect(await channels.byKind[kind].send(ADDRESSES[kind], anAlert())).toMatchObject({
      reason: `no carrier is configured for ${kind}: ${todo}`,
    });
  });

  test('all but webhooks are without a carrier, and nobody calls back', () => {
    const { unconfigured, callbacks } = createChannels(carriers(null), silent);
    expect(unconfigured).toEqual(CARRIED);
    expect([...callbacks.keys()]).toEqual([]);
  });
});

test('with SMTP_URL email is sent and the others still have no carrier', async () => {
  const smtp = await startSmtp();
  const channels = createChannels(carriers(smtp.url), silent);
  onTestFinished(async () => {
    await channels.close();
    await channels.close();
    await smtp.stop();
  });
  expect(channels.unconfigured).toEqual(['text', 'call', 'push', 'chat']);
  for (const kind of CARRIED) {
    const { kind: outcome } = await channels.byKind[kind].send(ADDRESSES[kind], anAlert());
    expect(outcome).toBe(kind === 'email' ? 'sent' : 'kept');
  }
  expect(smtp.mails).toHaveLength(1);
});

test('with Twilio texts and calls are its own, with its callbacks', async () => {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const { byKind, unconfigured, callbacks } = createChannels({ ...NO_CARRIERS, twilio: twilio.settings }, silent);
  expect(unconfigured).toEqual(['email', 'push', 'chat']);
  expect([...callbacks.keys()]).toEqual(['twilio']);
  for (const kind of ['text', 'call'] as const)
    expect(await byKind[kind].send(ADDRESSES[kind], anAlert())).toMatchObject({ kind: 'sent' });
  expect([twilio.messages.length, twilio.calls.length]).toEqual([1, 1]);
});

test('with Twilio a gateway is not used, but still heard about what it took before', async () => {
  const twilio = await startTwilio();
  onTestFinished(twilio.stop);
  const both = { ...NO_CARRIERS, twilio: twilio.settings, gateway: GATEWAY };
  const { byKind, callbacks } = createChannels(both, silent);
  expect([...callbacks.keys()]).toEqual(['twilio', 'gateway']);
  expect(await byKind.text.send(ADDRESSES.text, anAlert())).toMatchObject({ kind: 'sent' });
  expect(twilio.messages).toHaveLength(1);
});

test('Telnyx comes after Twilio and a gateway where no order is set, and is heard', async () => {
  const [twilio, telnyx] = await Promise.all([startTwilio(), startTelnyx()]);
  onTestFinished(async () => void (await Promise.all([twilio.stop(), telnyx.stop()])));
  const settings = { ...NO_CARRIERS, twilio: twilio.settings, telnyx: telnyx.settings };
  const all = createChannels({ ...settings, gateway: GATEWAY }, silent);
  expect([...all.callbacks.keys()]).toEqual(['twilio', 'gateway', 'telnyx']);
  expect(await all.byKind.text.send(ADDRESSES.text, anAlert())).toMatchObject({ kind: 'sent' });
  expect([twilio.messages.length, telnyx.texts.length]).toEqual([1, 0]);
  const order = { text: ['telnyx', 'twilio'] };
  const { byKind } = createChannels({ ...settings, order }, silent);
  expect(byKind.text.routes!('as_named', ADDRESSES.text).map(({ carrier }) => carrier)).toEqual(order.text);
  expect(await byKind.text.send(ADDRESSES.text, anAlert())).toMatchObject({ kind: 'sent' });
  expect([twilio.messages.length, telnyx.texts.length]).toEqual([1, 1]);
});

test('with a gateway texts and calls go there, with its callbacks', async () => {
  const { byKind, unconfigured, callbacks } = createChannels({ ...NO_CARRIERS, gateway: GATEWAY }, silent);
  expect(unconfigured).toEqual(['email', 'push', 'chat']);
  expect([...callbacks.keys()]).toEqual(['gateway']);
  for (const kind of ['text', 'call'] as const)
    expect(await byKind[kind].send(ADDRESSES[kind], anAlert())).toMatchObject({
      reason: expect.stringContaining('gateway'),
    });
});

test('with an ntfy server push messages go there', async () => {
  const ntfy = { url: 'http://127.0.0.1:1', token: null };
  const { byKind, unconfigured } = createChannels({ ...NO_CARRIERS, ntfy }, silent);
  expect(unconfigured).toEqual(['text', 'call', 'email', 'chat']);
  expect(await byKind.push.send('a-topic-of-anna', anAlert())).toMatchObject({ kind: 'temporary_fault' });
});

test('a webhook goes out with nothing set up', async () => {
  const { byKind } = createChannels(NO_CARRIERS, silent);
  expect(await byKind.webhook.send('http://127.0.0.1:1/hook', anAlert())).toMatchObject({ kind: 'temporary_fault' });
});

test('every kind has its channel', () => {
  const { byKind } = createChannels(carriers(null), silent);
  expect(CHANNELS.map(kind => byKind[kind].kind)).toEqual([...CHANNELS]);
});

/** Where nobody listens. */
const GATEWAY = {
  url: 'http://127.0.0.1:1/',
  secret: `whsec_${Buffer.alloc(32, 'g').toString('base64')}`,
  signature: 'v2',
} as const;

/** A log that keeps its lines. */
function heardLog() {
  const lines: string[] = [];
  return { lines, log: logInto(lines) };
}

test('a carrier that is named and not set up stops the start, with what to set', () => {
  const order = { text: ['twilio', 'gateway'] };
  expect(() => createChannels({ ...NO_CARRIERS, gateway: GATEWAY, order }, silent)).toThrow(
    'CARRIERS_TEXT names twilio, which is not set up: set TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN and TWILIO_FROM, or leave it out.',
  );
  const second = { ...NO_CARRIERS, mail2: { ...NO_CARRIERS.mail, smtpUrl: 'smtp://127.0.0.1:9' } };
  expect(() => createChannels(second, silent)).toThrow(
    'SMTP_URL_2 is set, and CARRIERS_EMAIL does not name mail2: name it, or unset it.',
  );
  const mails = { ...carriers(null), order: { email: ['mail'] } };
  expect(() => createChannels(mails, silent)).toThrow('CARRIERS_EMAIL names mail, which is not set up: set SMTP_URL,');
});

test('doctor asks each of the carriers that stand by, and one that answers is enough', async () => {
  const [smtp, smtp2] = await Promise.all([startSmtp(), startSmtp()]);
  const mail2 = { ...NO_CARRIERS.mail, smtpUrl: smtp2.url };
  const { ask, close } = createChannels({ ...carriers(smtp.url), mail2, order: { email: ['mail', 'mail2'] } }, silent);
  onTestFinished(async () => void (await Promise.all([close(), smtp.stop(), smtp2.stop()])));
  await smtp.stop();
  const { email } = await ask(5_000);
  expect(email.state).toBe('answers');
  expect(email.each).toMatchObject([
    { carrier: 'mail', state: 'fails' },
    { carrier: 'mail2', state: 'answers' },
  ]);
});

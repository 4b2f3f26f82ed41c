import { createHmac } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CALL_STATUSES } from '../../services/channels/phone-standing.ts';
import { createTwilioCallback } from '../../services/channels/twilio/callback.ts';
import { CODES } from '../../services/channels/twilio/faults.ts';
import { createTwilioChannel } from '../../services/channels/twilio/send.ts';
import { MESSAGE_STATUSES } from '../../services/channels/twilio/standing.ts';
import { anAlert } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import { startTwilio } from '../support/twilio.ts';

/** News of a fault, but for what it is about. */
type Ended = { kind: 'fault'; lasts: 'temporary' | 'permanent'; reason: string };

const ANNA = '+4366012345678';
const LOGIN = 'the carrier refused the login: check TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN';
const INACTIVE = 'the account at the carrier is not active';
const SENDER = 'the carrier does not let TWILIO_FROM be used for this';
const WHATSAPP_SENDER = 'the carrier does not let TWILIO_WHATSAPP_FROM be used for this';
const TEMPLATE = 'WhatsApp does not take the template: check TWILIO_WHATSAPP_TEMPLATES';
const VARIABLE = 'the template of WhatsApp does not take one variable: check TWILIO_WHATSAPP_TEMPLATES';
const CALLBACK = 'the carrier does not accept PUBLIC_URL: it must be an address that others can reach';
const TRIAL = 'a trial account reaches numbers only that were verified at the carrier';
const UNREADABLE = 'the carrier answered something that cannot be read';

/** Every code that has words of its own; `error`: the log is loud, because every message meets it. */
const WORDS: [code: number, lasts: 'temporary' | 'permanent', reason: string, level?: 'error'][] = [
  [10001, 'permanent', INACTIVE, 'error'],
  [13223, 'permanent', 'invalid number'],
  [13224, 'permanent', 'invalid number'],
  [13225, 'permanent', 'the carrier does not call this number'],
  [13226, 'permanent', 'invalid number'],
  [13227, 'permanent', 'country not allowed'],
  [20003, 'permanent', LOGIN, 'error'],
  [20005, 'permanent', INACTIVE, 'error'],
  [20429, 'temporary', 'the carrier is busy'],
  [21205, 'permanent', CALLBACK, 'error'],
  [21210, 'permanent', SENDER, 'error'],
  [21211, 'permanent', 'invalid number'],
  [21212, 'permanent', SENDER, 'error'],
  [21214, 'permanent', 'the number cannot be reached'],
  [21215, 'permanent', 'country not allowed'],
  [21216, 'permanent', 'the carrier does not call this number'],
  [21217, 'permanent', 'invalid number'],
  [21219, 'permanent', TRIAL],
  [21408, 'permanent', 'country not allowed'],
  [21606, 'permanent', SENDER, 'error'],
  [21608, 'permanent', TRIAL],
  [21609, 'permanent', CALLBACK, 'error'],
  [21610, 'permanent', 'the number has opted out (STOP)'],
  [21611, 'temporary', 'the carrier is busy'],
  [21612, 'permanent', 'the carrier has no way from TWILIO_FROM to this number'],
  [21614, 'permanent', 'invalid number'],
  [21617, 'permanent', 'the text is too long for the carrier'],
  [21655, 'permanent', TEMPLATE, 'error'],
  [21656, 'permanent', VARIABLE, 'error'],
  [21659, 'permanent', SENDER, 'error'],
  [21660, 'permanent', SENDER, 'error'],
  [21661, 'permanent', SENDER, 'error'],
  [30001, 'temporary', 'the carrier is busy'],
  [30002, 'permanent', INACTIVE, 'error'],
  [30003, 'permanent', 'unreachable handset'],
  [30004, 'permanent', 'blocked'],
  [30005, 'permanent', 'unknown number'],
  [30006, 'permanent', 'landline or unreachable carrier'],
  [30007, 'permanent', 'filtered by the carrier'],
  [30008, 'temporary', 'unknown error'],
  [30017, 'temporary', 'the carrier is busy'],
  [30036, 'permanent', 'not delivered while it was of use'],
  [63001, 'permanent', 'WhatsApp does not let the account at the carrier in', 'error'],
  [63002, 'permanent', WHATSAPP_SENDER, 'error'],
  [63003, 'permanent', 'this number has no WhatsApp'],
  [63005, 'permanent', 'WhatsApp does not accept this message'],
  [63007, 'permanent', WHATSAPP_SENDER, 'error'],
  [63008, 'permanent', WHATSAPP_SENDER, 'error'],
  [63010, 'temporary', 'the carrier is busy'],
  [63012, 'temporary', 'the carrier is busy'],
  [63013, 'permanent', 'WhatsApp does not accept this message'],
  [63014, 'permanent', 'they have blocked the sender at WhatsApp'],
  [63015, 'permanent', 'the sandbox of WhatsApp reaches numbers only that have joined it'],
  [63016, 'permanent', 'WhatsApp takes nothing but templates: check TWILIO_WHATSAPP_TEMPLATES', 'error'],
  [63018, 'temporary', 'the carrier is busy'],
  [63021, 'permanent', 'WhatsApp does not accept this message'],
  [63024, 'permanent', 'this number has no WhatsApp'],
  [63027, 'permanent', TEMPLATE, 'error'],
  [63028, 'permanent', VARIABLE, 'error'],
  [63032, 'permanent', 'WhatsApp does not deliver to this number for now'],
  [63033, 'permanent', 'they have blocked the sender at WhatsApp'],
  [63038, 'permanent', 'the account at the carrier has sent all that it may in a day', 'error'],
  [63040, 'permanent', TEMPLATE, 'error'],
  [63041, 'permanent', TEMPLATE, 'error'],
  [63042, 'permanent', TEMPLATE, 'error'],
  [63049, 'permanent', 'Meta chose not to deliver it: let the template be of the category Utility'],
  [63051, 'permanent', 'the WhatsApp Business account of the sender is locked', 'error'],
  [92007, 'permanent', VARIABLE, 'error'],
];

test('the table here is the whole table', () => {
  expect(WORDS.map(([code]) => code)).toEqual([...CODES.keys()]);
});

describe('a request that is refused', () => {
  test.each(WORDS)('%i is %s: %s', async (code, lasts, reason, level) => {
    const { twilio, channel, lines } = await rig();
    // Without a way back: a refusal of the callbacks would be tried again without them.
    const alert = anAlert({ wayBack: null });
    twilio.failNext({ status: 400, code });
    expect(await channel.send(ANNA, alert)).toMatchObject({ kind: `${lasts}_fault`, reason });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      level: level === 'error' ? 50 : 40,
      delivery: alert.deliveryId,
      reason,
    });
    expect(lines[0]).not.toContain(ANNA);
  });

  test.each([
    ['a code that is not in the table', { status: 400, code: 30034 }, 'permanent', 'carrier refused: 30034'],
    ['another one', { status: 403, code: 20403 }, 'permanent', 'carrier refused: 20403'],
    ['no account of this name', { status: 404, code: 20404 }, 'permanent', 'carrier refused: 20404'],
    ['a status without a code', { status: 400 }, 'permanent', 'carrier refused: 400'],
    ['a wrong login without a code', { status: 401 }, 'permanent', LOGIN],
    ['a request that took too long', { status: 408 }, 'temporary', 'the carrier is busy'],
    ['too many requests', { status: 429, code: 20429 }, 'temporary', 'the carrier is busy'],
    ['too many requests without a code', { status: 429 }, 'temporary', 'the carrier is busy'],
    ['a broken server', { status: 500, code: 20500 }, 'temporary', 'the carrier is busy'],
    ['a broken gateway', { status: 502 }, 'temporary', 'the carrier is busy'],
    ['a server at rest', { status: 503 }, 'temporary', 'the carrier is busy'],
    ['a redirect', { status: 302 }, 'temporary', UNREADABLE],
    ['a code that is no code of Twilio', { status: 400, code: -1 }, 'permanent', 'carrier refused: 400'],
    ['a code beyond numbers', { status: 400, code: 1e300 }, 'permanent', 'carrier refused: 400'],
  ] as const)('%s', async (_what, refusal, lasts, reason) => {
    const { twilio, channel } = await rig();
    twilio.failNext(refusal);
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: `${lasts}_fault`, reason });
    expect(twilio.messages).toHaveLength(0);
  });

  test.each([
    ['+15005550001', 'invalid number', 'invalid number'],
    ['+15005550002', 'the carrier has no way from TWILIO_FROM to this number', 'the number cannot be reached'],
    ['+15005550003', 'country not allowed', 'country not allowed'],
    ['+15005550004', 'the number has opted out (STOP)', 'the carrier does not call this number'],
    ['+15005550009', 'invalid number', 'invalid number'],
  ])('the numbers that Twilio keeps for tests: %s', async (number, text, call) => {
    for (const [kind, reason] of [
      ['text', text],
      ['call', call],
    ] as const) {
      const { channel } = await rig({ kind });
      expect(await channel.send(number, anAlert())).toMatchObject({ kind: 'permanent_fault', reason });
    }
  });

  test.each([
    ['another token', { authToken: 'x'.repeat(32) }, LOGIN],
    ['another account', { accountSid: `AC${'0'.repeat(32)}` }, LOGIN],
    ['a number of somebody else', { from: '+12025550111' }, SENDER],
  ])('settings that are wrong: %s', async (_what, but, reason) => {
    for (const kind of ['text', 'call'] as const) {
      const { channel, lines } = await rig({ kind, but });
      expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'permanent_fault', reason });
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 50 });
    }
  });

  test.each([
    ['hang', 'the carrier did not answer within 1 s'],
    ['reset', 'the carrier closed the connection without an answer'],
    ['down', 'the carrier closed the connection without an answer'],
    ['garbage', UNREADABLE],
    ['endless', UNREADABLE],
    ['busy', 'the carrier is busy'],
    ['broken', 'the carrier is busy'],
  ] as const)('a carrier that is %s', async (mode, reason) => {
    for (const kind of ['text', 'call'] as const) {
      const { twilio, channel } = await rig({ kind });
      twilio.behave(mode);
      expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: 'temporary_fault', reason });
    }
  });

  test('a carrier that is not there', async () => {
    const { twilio, channel } = await rig();
    await twilio.stop();
    expect(await channel.send(ANNA, anAlert())).toMatchObject({
      kind: 'temporary_fault',
      reason: 'the carrier could not be reached',
    });
  });

  test.each([
    ['nothing', ''],
    ['a name', 'Anna'],
    ['no country', '066012345678'],
    ['blanks', '+43 660 123 456 78'],
    ['a line break after it', `${ANNA}\n`],
    ['a second field', `${ANNA}&Body=x`],
    ['a list', `${ANNA},+4366012345679`],
    ['a client', 'client:anna'],
    ['letters that look like digits', '+٤٣٦٦٠١٢٣٤٥'],
    ['far too much', `+${'4'.repeat(10_000)}`],
  ])('an address that is no number is never sent: %s', async (_what, address) => {
    const { twilio, channel } = await rig();
    expect(await channel.send(address, anAlert())).toMatchObject({
      kind: 'permanent_fault',
      reason: 'the contact has an address that is no phone number',
    });
    expect(twilio.requests('create')).toBe(0);
  });
});

describe('what became of a text', () => {
  const STATUSES: [status: string, news: { kind: 'nothing' | 'arrived' } | Ended][] = [
    ['accepted', { kind: 'nothing' }],
    ['scheduled', { kind: 'nothing' }],
    ['queued', { kind: 'nothing' }],
    ['sending', { kind: 'nothing' }],
    ['sent', { kind: 'nothing' }],
    ['receiving', { kind: 'nothing' }],
    ['received', { kind: 'nothing' }],
    ['delivered', { kind: 'arrived' }],
    ['read', { kind: 'arrived' }],
    ['undelivered', { kind: 'fault', lasts: 'permanent', reason: 'not delivered' }],
    ['failed', { kind: 'fault', lasts: 'permanent', reason: 'the carrier could not send it' }],
    ['canceled', { kind: 'fault', lasts: 'permanent', reason: 'cancelled at the carrier' }],
  ];

  test('the table here is the whole table', () => {
    expect(STATUSES.map(([status]) => status)).toEqual([...MESSAGE_STATUSES.keys()]);
  });

  test.each(STATUSES)('%s', (status, news) => {
    const providerRef = `SM${'a'.repeat(32)}`;
    expect(told({ MessageSid: providerRef, MessageStatus: status })).toEqual(
      news.kind === 'nothing' ? news : { ...news, providerRef },
    );
  });

  test.each(WORDS)('undelivered with %i is %s: %s', (code, lasts, reason) => {
    const MessageSid = `SM${'a'.repeat(32)}`;
    expect(told({ MessageSid, MessageStatus: 'undelivered', ErrorCode: String(code) })).toEqual({
      kind: 'fault',
      providerRef: MessageSid,
      lasts,
      reason,
    });
  });

  test('a code that is not in the table is named', () => {
    const MessageSid = `MM${'0'.repeat(32)}`;
    expect(told({ MessageSid, MessageStatus: 'failed', ErrorCode: '30034' })).toMatchObject({
      lasts: 'permanent',
      reason: 'carrier refused: 30034',
    });
  });

  test('a code beside a text that arrived means nothing', () => {
    const MessageSid = `SM${'a'.repeat(32)}`;
    expect(told({ MessageSid, MessageStatus: 'delivered', ErrorCode: '30008' })).toMatchObject({ kind: 'arrived' });
    expect(told({ MessageSid, MessageStatus: 'delivered', ErrorCode: '' })).toMatchObject({ kind: 'arrived' });
  });
});

describe('what became of a call', () => {
  const STATUSES: [status: string, news: { kind: 'nothing' | 'arrived' } | Ended][] = [
    ['queued', { kind: 'nothing' }],
    ['initiated', { kind: 'nothing' }],
    ['ringing', { kind: 'nothing' }],
    ['in-progress', { kind: 'nothing' }],
    ['answered', { kind: 'nothing' }],
    ['completed', { kind: 'arrived' }],
    ['busy', { kind: 'fault', lasts: 'temporary', reason: 'busy' }],
    ['no-answer', { kind: 'fault', lasts: 'permanent', reason: 'no answer' }],
    ['failed', { kind: 'fault', lasts: 'permanent', reason: 'the call failed' }],
    ['canceled', { kind: 'fault', lasts: 'permanent', reason: 'cancelled at the carrier' }],
  ];

  test('the table here is the whole table', () => {
    expect(STATUSES.map(([status]) => status)).toEqual([...CALL_STATUSES.keys()]);
  });

  test.each(STATUSES)('%s', (status, news) => {
    const providerRef = `CA${'b'.repeat(32)}`;
    expect(told({ CallSid: providerRef, CallStatus: status })).toEqual(
      news.kind === 'nothing' ? news : { ...news, providerRef },
    );
  });

  test('failed with a code has its words', () => {
    const CallSid = `CA${'b'.repeat(32)}`;
    expect(told({ CallSid, CallStatus: 'failed', ErrorCode: '13227' })).toMatchObject({
      reason: 'country not allowed',
    });
  });
});

/** What the door reads from a status that the carrier signed. */
function told(fields: Record<string, string>) {
  const authToken = 't'.repeat(32);
  const door = createTwilioCallback({ authToken });
  return door.read(signed(authToken, 'status', fields));
}

function signed(authToken: string, topic: string, fields: Record<string, string>) {
  const url = 'https://tocsin.test/carrier/twilio/status/x/1';
  const written = Object.keys(fields)
    .sort()
    .map(name => name + fields[name])
    .join('');
  const signature = createHmac('sha1', authToken)
    .update(url + written)
    .digest('base64');
  return { topic, url, headers: { 'x-twilio-signature': signature }, body: new URLSearchParams(fields).toString() };
}

async function rig({ kind = 'text', but = {} }: { kind?: 'text' | 'call'; but?: object } = {}) {
  const twilio = await startTwilio();
  const lines: string[] = [];
  const log = logInto(lines);
  const settings = { ...twilio.settings, ...but };
  const channel = createTwilioChannel({ kind, settings, log, timeouts: { attempt: 400, lookUp: 200 } });
  onTestFinished(async () => {
    await channel.close();
    await twilio.stop();
  });
  return { twilio, channel, lines };
}

import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CALL_STATUSES } from '../../services/channels/phone-standing.ts';
import { createTelnyxCallback } from '../../services/channels/telnyx/callback.ts';
import { CODES } from '../../services/channels/telnyx/faults.ts';
import { createTelnyxChannel } from '../../services/channels/telnyx/send.ts';
import { withProof } from '../../services/channels/telnyx/signature.ts';
import { TEXT_STATUSES } from '../../services/channels/telnyx/standing.ts';
import { anAlert } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import { startTelnyx } from '../support/telnyx.ts';

/** News of a fault, but for what it is about. */
type Ended = { kind: 'fault'; lasts: 'temporary' | 'permanent'; reason: string };

const ANNA = '+4366012345678';
const LOGIN = 'the carrier refused the login: check TELNYX_API_KEY';
const INACTIVE = 'the account at the carrier is not active';
const SENDER = 'the carrier does not let TELNYX_FROM be used for this';
const UNVERIFIED = 'the account at the carrier is not verified';
const REGISTRATION = 'the carrier needs TELNYX_FROM registered for this country';
const NO_WAY = 'the carrier has no way from TELNYX_FROM to this number';
const FILTERED = 'filtered by the carrier';
const LOW = 'the account at the carrier has no credit left';
const APPLICATION = 'the carrier knows no TeXML application TELNYX_TEXML_APP';
const BUSY = 'the carrier is busy';
const UNREADABLE = 'the carrier answered something that cannot be read';

/** Every code that has words of its own. `away`: every message meets it; `cannot`: another carrier may take it. */
const WORDS: [code: number, lasts: 'temporary' | 'permanent', reason: string, carrier?: 'away' | 'cannot'][] = [
  [10001, 'permanent', 'the number cannot be reached'],
  [10002, 'permanent', 'invalid number'],
  [10003, 'permanent', 'the carrier does not accept PUBLIC_URL: it must be an address that others can reach', 'away'],
  [10007, 'temporary', BUSY],
  [10008, 'temporary', BUSY],
  [10009, 'permanent', LOGIN, 'away'],
  [10010, 'permanent', 'the carrier does not let TELNYX_API_KEY do this', 'away'],
  [10011, 'temporary', BUSY],
  [10016, 'permanent', 'invalid number'],
  [10039, 'permanent', 'a trial account reaches numbers only that were verified at the carrier', 'cannot'],
  [20002, 'permanent', LOGIN, 'away'],
  [20012, 'permanent', INACTIVE, 'away'],
  [20013, 'permanent', INACTIVE, 'away'],
  [20014, 'permanent', UNVERIFIED, 'away'],
  [20015, 'permanent', INACTIVE, 'away'],
  [20016, 'permanent', UNVERIFIED, 'away'],
  [20017, 'permanent', UNVERIFIED, 'away'],
  [20100, 'permanent', LOW, 'away'],
  [40001, 'permanent', 'landline or unreachable carrier'],
  [40002, 'permanent', FILTERED, 'cannot'],
  [40003, 'permanent', SENDER, 'away'],
  [40004, 'permanent', 'blocked', 'cannot'],
  [40005, 'permanent', 'not delivered while it was of use'],
  [40006, 'temporary', 'unknown error'],
  [40008, 'permanent', 'not delivered'],
  [40009, 'permanent', 'the carrier does not accept this text', 'cannot'],
  [40010, 'permanent', REGISTRATION, 'cannot'],
  [40011, 'temporary', BUSY],
  [40012, 'permanent', 'invalid number'],
  [40013, 'permanent', SENDER, 'away'],
  [40014, 'permanent', 'not delivered while it was of use'],
  [40015, 'permanent', FILTERED, 'cannot'],
  [40016, 'temporary', BUSY],
  [40017, 'permanent', FILTERED, 'cannot'],
  [40018, 'temporary', BUSY],
  [40019, 'permanent', REGISTRATION, 'cannot'],
  [40020, 'permanent', FILTERED, 'cannot'],
  [40100, 'permanent', SENDER, 'away'],
  [40300, 'permanent', 'the number has opted out (STOP)', 'cannot'],
  [40301, 'permanent', NO_WAY, 'cannot'],
  [40302, 'permanent', 'the text is too long for the carrier'],
  [40305, 'permanent', SENDER, 'away'],
  [40309, 'permanent', 'country not allowed', 'cannot'],
  [40310, 'permanent', 'invalid number'],
  [40312, 'permanent', 'the messaging profile of TELNYX_FROM is disabled at the carrier', 'away'],
  [40314, 'permanent', INACTIVE, 'away'],
  [40315, 'permanent', SENDER, 'away'],
  [40318, 'temporary', BUSY],
  [40319, 'permanent', NO_WAY, 'cannot'],
  [40320, 'permanent', SENDER, 'away'],
  [40322, 'permanent', FILTERED, 'cannot'],
  [40329, 'permanent', REGISTRATION, 'cannot'],
  [40330, 'permanent', REGISTRATION, 'cannot'],
  [40331, 'permanent', 'country not allowed', 'cannot'],
  [40333, 'permanent', 'the messaging profile of TELNYX_FROM has reached its spend limit', 'away'],
];

test('the table here is the whole table', () => {
  expect(WORDS.map(([code]) => code)).toEqual([...CODES.keys()]);
});

describe('a request that is refused', () => {
  test.each(WORDS)('%i is %s: %s', async (code, lasts, reason, carrier) => {
    const { telnyx, channel, lines } = await rig();
    // Without a way back: a refusal of the callbacks would be tried again without them.
    const alert = anAlert({ wayBack: null });
    telnyx.failNext({ status: 400, code: String(code) });
    expect(await channel.send(ANNA, alert)).toEqual({
      kind: `${lasts}_fault`,
      reason,
      ...(lasts === 'temporary' && { taken: 'no' }),
      ...(carrier !== undefined && { carrier }),
    });
    expect(lines).toHaveLength(1);
    const level = carrier === 'away' ? 50 : 40;
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level, delivery: alert.deliveryId, reason });
    expect(lines[0]).not.toContain(ANNA);
  });

  test.each([
    ['a code that is not in the table', { status: 400, code: '40399' }, 'permanent', 'carrier refused: 40399'],
    ['a code that is no code of Telnyx', { status: 400, code: '-1' }, 'permanent', 'carrier refused: 400'],
    ['a code that is a word', { status: 422, code: 'invalid' }, 'permanent', 'carrier refused: 422'],
    ['a status without a code', { status: 400 }, 'permanent', 'carrier refused: 400'],
    ['a wrong login without a code', { status: 401 }, 'permanent', LOGIN],
    ['an account without credit, without a code', { status: 402 }, 'permanent', LOW],
    ['a request that took too long', { status: 408 }, 'temporary', BUSY],
    ['too many requests without a code', { status: 429 }, 'temporary', BUSY],
    ['a broken gateway', { status: 502 }, 'temporary', BUSY],
    ['a server at rest', { status: 503 }, 'temporary', BUSY],
    ['a redirect', { status: 302 }, 'temporary', UNREADABLE],
  ] as const)('%s', async (_what, refusal, lasts, reason) => {
    const { telnyx, channel } = await rig();
    telnyx.failNext(refusal);
    expect(await channel.send(ANNA, anAlert())).toMatchObject({ kind: `${lasts}_fault`, reason });
    expect(telnyx.texts).toHaveLength(0);
  });

  test.each([
    ['hang', 'the carrier did not answer within 1 s', { carrier: 'away' }],
    ['reset', 'the carrier closed the connection without an answer', { carrier: 'away' }],
    ['down', 'the carrier closed the connection without an answer', { carrier: 'away' }],
    ['garbage', UNREADABLE, {}],
    ['broken', BUSY, {}],
    ['busy', BUSY, { taken: 'no' }],
  ] as const)('a carrier that is %s', async (mode, reason, but) => {
    for (const kind of ['text', 'call'] as const) {
      const { telnyx, channel } = await rig({ kind });
      telnyx.behave(mode);
      expect(await channel.send(ANNA, anAlert())).toEqual({ kind: 'temporary_fault', reason, ...but });
    }
  });

  test('a carrier that is not there has nothing', async () => {
    const { telnyx, channel } = await rig();
    await telnyx.stop();
    expect(await channel.send(ANNA, anAlert())).toEqual({
      ...{ kind: 'temporary_fault', carrier: 'away', taken: 'no' },
      reason: 'the carrier could not be reached',
    });
  });

  test.each([
    ['another key', { apiKey: 'x'.repeat(32) }, LOGIN, LOGIN],
    ['a number of somebody else', { from: '+12025550111' }, SENDER, 'the carrier does not let TELNYX_API_KEY do this'],
  ])('settings that are wrong: %s', async (_what, but, ofText, ofCall) => {
    for (const [kind, reason] of [
      ['text', ofText],
      ['call', ofCall],
    ] as const) {
      const { channel } = await rig({ kind, but });
      const outcome = await channel.send(ANNA, anAlert());
      expect(outcome).toEqual({ kind: 'permanent_fault', reason, carrier: 'away' });
    }
  });

  test.each([
    '',
    'Anna',
    '066012345678',
    '+43 660 123',
    `${ANNA}\n`,
    `${ANNA},+4366012345679`,
  ])('an address that is no number is never sent: %j', async address => {
    const { telnyx, channel } = await rig();
    expect(await channel.send(address, anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: 'the contact has an address that is no phone number',
    });
    expect(telnyx.requests()).toBe(0);
  });
});

describe('asked whether it would accept messages', () => {
  test.each(['text', 'call'] as const)('%s: it logs in and sends nothing', async kind => {
    const { telnyx, channel } = await rig({ kind });
    expect(await channel.ask!(400)).toBeNull();
    telnyx.credit('0.00');
    expect(await channel.ask!(400)).toBe(LOW);
    telnyx.behave('busy');
    expect(await channel.ask!(400)).toBe(BUSY);
    expect([telnyx.texts, telnyx.calls]).toEqual([[], []]);
  });

  test('a wrong key is told, and of calls an application that is not there', async () => {
    const wrong = await rig({ but: { apiKey: 'x'.repeat(32) } });
    expect(await wrong.channel.ask!(400)).toBe(LOGIN);
    const but = { texmlApp: '42' };
    expect(await (await rig({ kind: 'call', but })).channel.ask!(400)).toBe(APPLICATION);
    expect(await (await rig({ kind: 'text', but })).channel.ask!(400)).toBeNull();
  });
});

describe('what became of a text', () => {
  const STATUSES: [status: string, news: { kind: 'nothing' | 'arrived' } | Ended][] = [
    ['queued', { kind: 'nothing' }],
    ['sending', { kind: 'nothing' }],
    ['sent', { kind: 'nothing' }],
    ['delivery_unconfirmed', { kind: 'nothing' }],
    ['delivered', { kind: 'arrived' }],
    ['sending_failed', { kind: 'fault', lasts: 'permanent', reason: 'the carrier could not send it' }],
    ['delivery_failed', { kind: 'fault', lasts: 'permanent', reason: 'not delivered' }],
    ['expired', { kind: 'fault', lasts: 'permanent', reason: 'not delivered while it was of use' }],
  ];

  test('the table here is the whole table', () => {
    expect(STATUSES.map(([status]) => status)).toEqual([...TEXT_STATUSES.keys()]);
  });

  test.each(STATUSES)('%s', (status, news) => {
    expect(told(textEvent(status))).toEqual(news.kind === 'nothing' ? news : { ...news, providerRef: REF });
  });

  test.each(WORDS)('failed with %i is %s: %s', (code, lasts, reason) => {
    const news = { kind: 'fault', providerRef: REF, lasts, reason };
    expect(told(textEvent('delivery_failed', String(code)))).toEqual(news);
  });

  test('a code beside a text that arrived means nothing', () => {
    expect(told(textEvent('delivered', '40008'))).toEqual({ kind: 'arrived', providerRef: REF });
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
    const body = new URLSearchParams({ CallSid: REF, CallStatus: status }).toString();
    expect(told(body)).toEqual(news.kind === 'nothing' ? news : { ...news, providerRef: REF });
  });
});

const REF = '40385f64-5717-4562-b3fc-2c963f66afa6';

function textEvent(status: string, code?: string): string {
  const errors = code === undefined ? [] : [{ code, title: 'No' }];
  const payload = { id: REF, to: [{ phone_number: ANNA, status }], errors };
  return JSON.stringify({ data: { event_type: 'message.finalized', payload } });
}

/** What the door reads from a status that the carrier signed. */
function told(body: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const settings = { apiKey: 'k'.repeat(32), publicKey: key, from: '+12025550101', texmlApp: '1', apiUrl: 'http://x' };
  const at = String(Math.floor(Date.now() / 1000));
  const signature = sign(null, Buffer.from(`${at}|${body}`), privateKey).toString('base64');
  return createTelnyxCallback(settings).read({
    topic: 'status',
    url: withProof(settings.apiKey, 'https://tocsin.test/carrier/telnyx/status/x/1'),
    headers: { 'telnyx-timestamp': at, 'telnyx-signature-ed25519': signature },
    body,
  });
}

async function rig({ kind = 'text', but = {} }: { kind?: 'text' | 'call'; but?: object } = {}) {
  const telnyx = await startTelnyx();
  const lines: string[] = [];
  const settings = { ...telnyx.settings, ...but };
  const channel = createTelnyxChannel({ kind, settings, log: logInto(lines), timeoutMs: 400 });
  onTestFinished(async () => {
    await channel.close();
    await telnyx.stop();
  });
  return { telnyx, channel, lines };
}

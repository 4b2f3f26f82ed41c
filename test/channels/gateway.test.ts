import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CarrierAnswer, CarrierNews } from '../../services/channels/channel.ts';
import { createGatewayCallback } from '../../services/channels/gateway/callback.ts';
import { createGatewayChannel } from '../../services/channels/gateway/send.ts';
import { partsOf, writeSms } from '../../services/channels/sms.ts';
import { writeVoiceMessage } from '../../services/channels/voice.ts';
import { A_WAY_BACK, aDrill, anAcknowledgement, anAlert, aVerification } from '../support/alert.ts';
import { signedBy, signedFor, startHook } from '../support/hook.ts';
import { NASTY } from '../support/nasty.ts';

const SECRET = `whsec_${Buffer.alloc(32, 'g').toString('base64')}`;
const NUMBER = '+4366012345678';
const ID = anAlert().deliveryId;

describe('a gateway is told', () => {
  test('of a text, signed, with where to say what became of it', async () => {
    const { hook, channel } = await rig('text', { answer: { ref: 'sms-17' } });
    const text = writeSms(anAlert());
    expect(await channel.send(NUMBER, anAlert())).toEqual({
      kind: 'sent',
      providerRef: 'sms-17',
      units: partsOf(text),
    });
    expect(hook.heard[0]?.path).toBe('/send');
    expect(hook.events).toEqual([
      {
        id: ID,
        event: {
          id: ID,
          kind: 'text',
          to: NUMBER,
          text,
          statusUrl: `${A_WAY_BACK.carrierUrl}/gateway/status/${A_WAY_BACK.reference}`,
        },
      },
    ]);
  });

  test('of a call, what to say in which language and voice, and where keys go', async () => {
    const { hook, channel } = await rig('call');
    const alert = anAlert({ locale: 'de-AT', voice: 'Polly.Hannah' });
    expect(await channel.send(NUMBER, alert)).toEqual({ kind: 'sent', providerRef: ID, units: 1 });
    expect(hook.events[0]?.event).toEqual({
      id: ID,
      kind: 'call',
      to: NUMBER,
      spoken: { ...writeVoiceMessage(alert), language: 'de-AT', voice: 'Polly.Hannah' },
      statusUrl: `${A_WAY_BACK.carrierUrl}/gateway/status/${A_WAY_BACK.reference}`,
      keyUrl: `${A_WAY_BACK.carrierUrl}/gateway/key/${A_WAY_BACK.reference}`,
    });
  });

  test.each([
    anAlert({ wayBack: null }),
    aDrill(),
    aVerification(),
  ])('of no place to tell, where there is none: $purpose', async alert => {
    const { hook, channel } = await rig('call');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    expect(hook.events[0]?.event).toMatchObject({ statusUrl: null, keyUrl: null });
  });

  test('with the same webhook-id at every attempt', async () => {
    const { hook, channel } = await rig('text');
    hook.behave('reset');
    expect(await channel.send(NUMBER, anAlert())).toMatchObject({ kind: 'temporary_fault' });
    hook.behave('ok');
    expect(await channel.send(NUMBER, anAlert({ attempt: 2 }))).toMatchObject({ kind: 'sent' });
    expect(hook.heard.map(({ headers }) => headers['webhook-id'])).toEqual([ID, ID]);
  });

  test.each([
    '',
    '12345',
    '+0123456789',
    '+43 660 1234567',
    '+4366012345678\r\nX: 1',
    `+${'1'.repeat(16)}`,
  ])('of no number that is none: %j', async number => {
    const { hook, channel } = await rig('text');
    expect(await channel.send(number, anAlert())).toEqual({ kind: 'permanent_fault', reason: 'invalid number' });
    expect(hook.heard).toEqual([]);
  });
});

describe('what a gateway answers', () => {
  test.each([
    [200, undefined, 'sent', ''],
    [202, '{"ref":{"a":1}}', 'sent', ''],
    [401, undefined, 'permanent_fault', 'the gateway refused: 401'],
    [422, '{"error":"no route to that country"}', 'permanent_fault', 'the gateway refused: no route to that country'],
    [400, `{"error":"no route to ${NUMBER}"}`, 'permanent_fault', 'the gateway refused: no route to [number]'],
    [429, undefined, 'temporary_fault', 'the gateway refused: 429'],
    [502, '<html>bad gateway</html>', 'temporary_fault', 'the gateway refused: 502'],
  ])('%i %s: %s %s', async (status, body, kind, reason) => {
    const { hook, channel } = await rig('text');
    hook.behave({ status, ...(body === undefined ? {} : { body }) });
    const outcome = await channel.send(NUMBER, anAlert());
    expect(outcome).toMatchObject(kind === 'sent' ? { kind, providerRef: ID } : { kind, reason });
  });

  test.each([
    ['hang', 'the gateway did not answer in time'],
    ['reset', 'the gateway broke off'],
    ['endless', 'the gateway answered something that cannot be read'],
  ] as const)('%s: temporary', async (mode, reason) => {
    const { hook, channel } = await rig('call', { timeoutMs: mode === 'hang' ? 200 : 5_000 });
    hook.behave(mode);
    expect(await channel.send(NUMBER, anAlert())).toEqual({ kind: 'temporary_fault', reason });
  });

  test('garbage with a 200 was taken: its status says so', async () => {
    const { hook, channel } = await rig('text');
    hook.behave('garbage');
    expect(await channel.send(NUMBER, anAlert())).toMatchObject({ kind: 'sent', providerRef: ID });
  });

  test('nobody there: temporary', async () => {
    const { hook, channel } = await rig('text');
    await hook.stop();
    expect(await channel.send(NUMBER, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the gateway could not be reached',
    });
  });
});

describe('what a gateway tells', () => {
  test.each<[string, string, CarrierNews]>([
    ['status', '{"state":"delivered"}', { kind: 'arrived', providerRef: ID }],
    ['status', '{"state":"delivered","ref":"sms-17"}', { kind: 'arrived', providerRef: 'sms-17' }],
    ['status', '{"state":"busy","reason":"x"}', { kind: 'fault', providerRef: ID, lasts: 'temporary', reason: 'busy' }],
    ['status', '{"state":"failed"}', { kind: 'fault', providerRef: ID, lasts: 'permanent', reason: 'not delivered' }],
    [
      'status',
      '{"state":"failed","reason":"invalid\\r\\n number\\u202e"}',
      { kind: 'fault', providerRef: ID, lasts: 'permanent', reason: 'invalid number' },
    ],
    [
      'status',
      '{"state":"failed","reason":"30034: +43 660 1234567 is no number"}',
      { kind: 'fault', providerRef: ID, lasts: 'permanent', reason: '30034: [number] is no number' },
    ],
    ['voice', '{}', { kind: 'answered' }],
    ['key', '{"key":"1"}', { kind: 'key', key: '1' }],
    ['key', '{"key":""}', { kind: 'key', key: '' }],
    ['text', `{"from":"${NUMBER}","text":" k7m4 "}`, { kind: 'reply', from: NUMBER, text: ' k7m4 ' }],
  ])('%s %s', (topic, body, news) => {
    expect(read(topic, body)).toEqual(news);
  });

  test.each([
    ['status', '{"state":"flying"}'],
    ['status', '{}'],
    ['status', 'garbage'],
    ['status', 'null'],
    ['status', '[]'],
    ['key', '{"key":"11"}'],
    ['key', '{"key":1}'],
    ['text', '{"from":"Anna","text":"K7M4"}'],
    ['text', `{"from":"${NUMBER}"}`],
    ['nothing', '{}'],
  ])('%s %s cannot be read', (topic, body) => {
    expect(read(topic, body)).toEqual({
      kind: 'unreadable',
      problem: expect.stringMatching(/^(it takes|no such topic)/),
    });
  });

  test('a reason of 10 KB is cut', () => {
    const news = read(
      'status',
      JSON.stringify({ state: 'failed', reason: 'x'.repeat(10_240), ref: 'y'.repeat(10_240) }),
    );
    expect(JSON.stringify(news).length).toBeLessThan(600);
  });

  const body = '{"state":"delivered"}';
  const now = Math.floor(Date.now() / 1000);
  const url = urlOf('status');
  test.each([
    ['without a signature', {}],
    ['signed under another secret', signedFor(url, `whsec_${Buffer.alloc(32, 'x').toString('base64')}`, body)],
    ['signed for another body', signedFor(url, SECRET, '{"state":"failed"}')],
    ['signed for another message', signedFor(`${url.slice(0, -1)}2`, SECRET, body)],
    ['signed for another topic', signedFor(urlOf('key'), SECRET, body)],
    ['signed without its path', signedBy(SECRET, body)],
    ['of six minutes ago', signedFor(url, SECRET, body, { at: now - 360 })],
    ['of six minutes ahead', signedFor(url, SECRET, body, { at: now + 360 })],
    ['with another id', { ...signedFor(url, SECRET, body), 'webhook-id': 'msg_2' }],
  ])('a request %s is forged', (_what, headers) => {
    expect(read('status', body, headers)).toEqual({ kind: 'forged' });
  });

  test('a gateway that cannot sign its path is believed where GATEWAY_SIGNATURE says so', () => {
    const request = { topic: 'status', url, headers: signedBy(SECRET, body), body };
    const door = createGatewayCallback({ secret: SECRET, signature: 'v1' });
    expect(door.read(request)).toEqual({ kind: 'arrived', providerRef: ID });
    expect(door.read({ ...request, headers: signedFor(url, SECRET, body) })).toMatchObject({ kind: 'arrived' });
    expect(door.read({ ...request, body: '{"state":"failed"}' })).toEqual({ kind: 'forged' });
  });
});

describe('what a gateway is answered, as JSON', () => {
  test.each<[CarrierAnswer, Record<string, unknown>]>([
    [{ kind: 'noted' }, { do: 'nothing' }],
    [
      { kind: 'speak', said: 'acknowledged', locale: 'de', voice: 'Vicki', by: '' },
      {
        do: 'speak',
        language: 'de-DE',
        voice: 'Vicki',
        sentences: ['Danke. Sie haben übernommen, und die anderen erfahren es. Auf Wiederhören.'],
        afterwards: 'hang_up',
      },
    ],
    [
      { kind: 'write', said: 'already_acknowledged', locale: 'en', by: 'Bob', code: 'K7M4' },
      { do: 'write', text: 'Already acknowledged by Bob.' },
    ],
  ])('$kind', (answer, content) => {
    expect(answered(answer)).toEqual(content);
  });

  test('the message again, and what comes before it', () => {
    const { language, sentences, menu, notUnderstood, goodbye } = writeVoiceMessage(anAlert());
    const again = {
      do: 'speak',
      language,
      voice: '',
      sentences,
      afterwards: 'await_key',
      menu,
      notUnderstood,
      goodbye,
    };
    expect(answered({ kind: 'speak_alert', alert: anAlert(), preface: 'none' })).toEqual(again);
    expect(answered({ kind: 'speak_alert', alert: anAlert(), preface: 'not_understood' })).toEqual({
      ...again,
      sentences: ["Sorry, I didn't understand that.", ...sentences],
    });
  });
});

describe.each(NASTY)('what an owner wrote stays text: %s', (_what, written) => {
  const alerts = [
    anAlert({ sourceName: written, modeName: written, locationName: written, locationAddress: written }),
    anAcknowledgement({ acknowledgedBy: written, contactName: written }),
    aVerification({ accountName: written }),
  ];

  test.each(alerts)('in a text: $purpose', async alert => {
    const { hook, channel } = await rig('text');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    const text = String(hook.events[0]?.event.text);
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(text.length).toBeLessThan(400);
  });

  test.each(alerts)('on a call: $purpose', async alert => {
    const { hook, channel } = await rig('call');
    expect(await channel.send(NUMBER, alert)).toMatchObject({ kind: 'sent' });
    expect(hook.heard[0]?.body).not.toMatch(/<|\\u|\\r|\\n|[\p{Cc}\p{Bidi_Control}]/u);
    expect(hook.heard[0]?.body.length).toBeLessThan(2_500);
  });
});

test('nothing personal and no secret is logged', async () => {
  const lines: string[] = [];
  const { hook, channel } = await rig('text', { lines });
  await channel.send(NUMBER, anAlert());
  hook.behave({ status: 500, body: `{"error":"${NUMBER} Anna"}` });
  await channel.send(NUMBER, anAlert());
  hook.behave('reset');
  await channel.send(NUMBER, anAlert());
  expect(lines).toHaveLength(2);
  for (const hidden of [NUMBER, 'Anna', 'House', 'Example Street', SECRET.slice(6), '/i/'])
    expect(lines.join('')).not.toContain(hidden);
});

function urlOf(topic: string): string {
  return `${A_WAY_BACK.carrierUrl}/gateway/${topic}/${A_WAY_BACK.reference}`;
}

function read(topic: string, body: string, headers?: Record<string, string>): CarrierNews {
  const url = urlOf(topic);
  const signed = headers ?? signedFor(url, SECRET, body);
  return createGatewayCallback({ secret: SECRET, signature: 'v2' }).read({ topic, url, headers: signed, body });
}

function answered(answer: CarrierAnswer): unknown {
  const { status, contentType, body } = createGatewayCallback({ secret: SECRET, signature: 'v2' }).answer(answer);
  expect({ status, contentType }).toEqual({ status: 200, contentType: 'application/json' });
  return JSON.parse(body);
}

async function rig(
  kind: 'text' | 'call',
  options: { answer?: Record<string, unknown>; timeoutMs?: number; lines?: string[] } = {},
) {
  const { answer, timeoutMs = 5_000, lines } = options;
  const hook = await startHook({ secret: SECRET, ...(answer === undefined ? {} : { answer }) });
  const log =
    lines === undefined ? pino({ level: 'silent' }) : pino({ base: null }, { write: line => lines.push(line) });
  const settings = { url: `${hook.url}/send`, secret: SECRET, signature: 'v2' } as const;
  const channel = createGatewayChannel({ kind, settings, log, timeoutMs });
  onTestFinished(async () => {
    await channel.close();
    await hook.stop();
  });
  return { hook, channel };
}

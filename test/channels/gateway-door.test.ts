import { describe, expect, test } from 'vitest';
import type { CarrierAnswer, CarrierNews } from '../../services/channels/channel.ts';
import { createGatewayCallback } from '../../services/channels/gateway/callback.ts';
import { writeVoiceMessage } from '../../services/channels/voice.ts';
import { A_WAY_BACK, anAlert } from '../support/alert.ts';
import { signedBy, signedFor } from '../support/hook.ts';
import { ID, NUMBER, SECRET } from './gateway-rig.ts';

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

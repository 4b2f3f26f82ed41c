import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { CarrierNews } from '../../services/channels/channel.ts';
import { createTwilioCallback } from '../../services/channels/twilio/callback.ts';
import { writeBack } from '../../services/channels/voice.ts';
import type { TwilioSigns } from '../support/twilio-callbacks.ts';
import { expectInTime } from '../support/wait.ts';
import { ANNA, answerOf, rig } from './twilio-door-rig.ts';

const ROUNDS = 5;

/** What so little work may take on a busy machine, in milliseconds. */
const NOISE_MS = 500;

/** On a call it hangs up, to a text nothing is written back. */
const NOTHING_TO_DO = {
  status: 200,
  contentType: 'text/xml; charset=utf-8',
  body: '<?xml version="1.0" encoding="UTF-8"?>\n<Response></Response>',
};

describe('what became of a message', () => {
  test('a text: under way says nothing, then it arrived', async () => {
    const { twilio, text, news, alert } = await rig();
    await text.send(ANNA, alert);
    const sid = twilio.messages[0]?.sid ?? '';
    for (const status of ['queued', 'sending', 'sent', 'delivered']) {
      expect(await twilio.tell(sid, status)).toEqual(NOTHING_TO_DO);
    }
    expect(news).toEqual([
      { kind: 'nothing' },
      { kind: 'nothing' },
      { kind: 'nothing' },
      { kind: 'arrived', providerRef: sid },
    ]);
  });

  test('a text: a fault has its words', async () => {
    const { twilio, text, news, alert } = await rig();
    await text.send(ANNA, alert);
    const sid = twilio.messages[0]?.sid ?? '';
    await twilio.tell(sid, 'undelivered', { errorCode: 30003 });
    expect(news).toEqual([{ kind: 'fault', providerRef: sid, lasts: 'permanent', reason: 'unreachable handset' }]);
  });

  test.each([
    ['completed', { kind: 'arrived' }],
    ['busy', { kind: 'fault', lasts: 'temporary', reason: 'busy' }],
    ['no-answer', { kind: 'fault', lasts: 'permanent', reason: 'no answer' }],
    ['failed', { kind: 'fault', lasts: 'permanent', reason: 'the call failed' }],
  ])('a call that is %s', async (status, told) => {
    const { twilio, call, news, alert } = await rig();
    await call.send(ANNA, alert);
    const sid = twilio.calls[0]?.sid ?? '';
    // Only how a call ended was asked for.
    expect(await twilio.tell(sid, 'ringing')).toBeNull();
    expect(await twilio.tell(sid, status)).toEqual(NOTHING_TO_DO);
    expect(news).toEqual([{ ...told, providerRef: sid }]);
  });

  test('the same told 1,000 times is read 1,000 times the same', async () => {
    const { twilio, text, news, alert } = await rig();
    await text.send(ANNA, alert);
    const sid = twilio.messages[0]?.sid ?? '';
    const answers = [];
    for (let left = 1000; left > 0; left -= 50) {
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => twilio.tell(sid, 'delivered')))));
    }
    expect(answers).toEqual(Array(1000).fill(NOTHING_TO_DO));
    expect(news).toEqual(Array(1000).fill({ kind: 'arrived', providerRef: sid }));
  });
});

describe('somebody writes back', () => {
  test('number and text are read as they are, and the answer is one text', async () => {
    const { twilio, url, news, answers } = await rig();
    answers.push({ kind: 'write', said: 'acknowledged', locale: 'en-GB', by: '', code: 'K7M4' });
    const inbound = `${url}/carrier/twilio/text`;
    expect(await twilio.replyTo(ANNA, ' ok k7m4 \n👍', inbound)).toBe(
      writeBack('acknowledged', { locale: 'en-GB', by: '', code: 'K7M4' }),
    );
    expect(await twilio.replyTo(ANNA, '', inbound)).toBeNull();
    expect(news).toEqual([
      { kind: 'reply', from: ANNA, text: ' ok k7m4 \n👍' },
      { kind: 'reply', from: ANNA, text: '' },
    ]);
  });

  test.each(['CARRIER', '40404', 'messenger:4366012345678', '+', ''])('"%s" is nobody who was alerted', async from => {
    const { twilio, url, news } = await rig();
    await twilio.replyTo(from, 'OK K7M4', `${url}/carrier/twilio/text`);
    expect(news).toEqual([{ kind: 'nothing' }]);
  });

  test('STOP is between the person and the carrier', async () => {
    const { twilio, url, news } = await rig();
    const stop = new URLSearchParams({
      MessageSid: `SM${'1'.repeat(32)}`,
      From: ANNA,
      Body: 'STOP',
      OptOutType: 'STOP',
    });
    expect(await twilio.post(`${url}/carrier/twilio/text`, stop)).toEqual(NOTHING_TO_DO);
    expect(news).toEqual([{ kind: 'nothing' }]);
  });

  test.each([
    'acknowledged',
    'already_acknowledged',
    'already_closed',
    'unknown_code',
    'not_understood',
    'try_again',
  ] as const)('%s is one text, whatever names and codes say', said => {
    const evil = '</Message><Dial>+19005550100</Dial>&amp;\u0000\uFFFE';
    const twiml = answerOf({ kind: 'write', said, locale: 'en', by: evil, code: evil });
    expect(twiml.verbs).toEqual(['Message']);
    expect(twiml.written).toHaveLength(1);
  });
});

describe('what is not believed, and what is not understood', () => {
  const FORGED: TwilioSigns[] = ['wrong', 'missing', 'of_another_url'];

  test.each(FORGED)('a signature that is %s', async signs => {
    const { twilio, text, call, url, news, alert } = await rig();
    await text.send(ANNA, alert);
    await call.send(ANNA, alert);
    const sid = twilio.calls[0]?.sid ?? '';
    expect(await twilio.tell(twilio.messages[0]?.sid ?? '', 'delivered', { signs })).toMatchObject({ status: 403 });
    await expect(twilio.answerCall(sid, { signs })).rejects.toThrow('403');
    await expect(twilio.replyTo(ANNA, 'OK', `${url}/carrier/twilio/text`, { signs })).rejects.toThrow('403');
    expect(news).toEqual(Array(3).fill({ kind: 'forged' }));
  });

  test('a signature of one topic, message or attempt is none of another', async () => {
    const { twilio, text, url, news, alert, requests } = await rig();
    await text.send(ANNA, alert);
    const { StatusCallback = '' } = twilio.messages[0]?.fields ?? {};
    await twilio.tell(twilio.messages[0]?.sid ?? '', 'delivered');
    const seen = requests.at(-1);
    const door = createTwilioCallback(twilio.settings);
    expect(news).toEqual([
      door.read({ topic: 'status', url: StatusCallback, headers: seen?.headers ?? {}, body: seen?.body ?? '' }),
    ]);
    for (const other of [StatusCallback.replace('/status/', '/key/'), StatusCallback.replace(/1$/, '2'), `${url}/x`]) {
      const read = door.read({ topic: 'status', url: other, headers: seen?.headers ?? {}, body: seen?.body ?? '' });
      expect(read).toEqual({ kind: 'forged' });
    }
  });

  const SID = `SM${'a'.repeat(32)}`;

  test.each([
    ['nothing at all', 'status', ''],
    ['no sid', 'status', 'MessageStatus=delivered'],
    ['no status', 'status', `MessageSid=${SID}`],
    ['a status that does not exist', 'status', `MessageSid=${SID}&MessageStatus=teleported`],
    ['a status of JavaScript', 'status', `MessageSid=${SID}&MessageStatus=constructor`],
    ['a sid that is none', 'status', 'MessageSid=SM1&MessageStatus=delivered'],
    ['two sids', 'status', `MessageSid=${SID}&MessageSid=SM${'b'.repeat(32)}&MessageStatus=delivered`],
    ['two statuses', 'status', `MessageSid=${SID}&MessageStatus=delivered&MessageStatus=failed`],
    ['a code that is no number', 'status', `MessageSid=${SID}&MessageStatus=failed&ErrorCode=x`],
    ['a status of a call for a text', 'status', `MessageSid=${SID}&MessageStatus=busy`],
    ['JSON', 'status', JSON.stringify({ MessageSid: SID, MessageStatus: 'delivered' })],
    ['keys that are none', 'key', 'Digits=abc'],
    ['two keys', 'key', 'Digits=1&Digits=2'],
    ['far too many keys', 'key', `Digits=${'1'.repeat(1000)}`],
    ['nobody wrote', 'text', 'Body=OK'],
    ['two wrote', 'text', 'From=%2B4366012345678&From=%2B4366087654321&Body=OK'],
    ['two texts', 'text', 'From=%2B4366012345678&Body=OK&Body=NO'],
    ['a topic that does not exist', 'nonsense', 'a=b'],
    ['a topic of JavaScript', '__proto__', 'a=b'],
  ])('signed and unreadable: %s', async (_what, topic, body) => {
    const { twilio, url, news } = await rig();
    expect(await twilio.post(`${url}/carrier/twilio/${topic}/x/1`, body)).toMatchObject({ status: 400 });
    expect(news).toEqual([{ kind: 'unreadable', problem: expect.any(String) }]);
  });

  test.each<[string, CarrierNews['kind'], (bytes: number) => string]>([
    ['one field', 'unreadable', bytes => `Body=${'x'.repeat(bytes)}`],
    ['fields of one name', 'forged', bytes => 'a=1&'.repeat(bytes / 4)],
    ['fields of many names', 'forged', bytes => Array.from({ length: bytes / 8 }, (_, i) => `f${i}=`).join('&')],
    ['broken escapes', 'unreadable', bytes => '%'.repeat(bytes)],
    ['half characters', 'forged', bytes => '%ff%fe=%c3&'.repeat(bytes / 11)],
  ])('64 KB of %s are %s, in time that grows as they do', async (_what, kind, some) => {
    const { twilio, url, news } = await rig();
    const read = async (body: string) => {
      const began = performance.now();
      const { status } = await twilio.post(`${url}/carrier/twilio/status/x/1`, body);
      expect(status).toBe(kind === 'forged' ? 403 : 400);
      return performance.now() - began;
    };
    // In turns, and the best of each: what else the machine does slows both alike.
    const best = { few: Number.POSITIVE_INFINITY, many: Number.POSITIVE_INFINITY };
    for (let round = 0; round < ROUNDS; round++) {
      best.few = Math.min(best.few, await read(some(8_000)));
      best.many = Math.min(best.many, await read(some(64_000)));
    }
    // Eight times as many: if each were compared with all it would take 64 times as long.
    expectInTime(best.many, Math.max(32 * best.few, NOISE_MS));
    expect(news).toEqual(Array(2 * ROUNDS).fill(expect.objectContaining({ kind })));
  });

  test('a request without a signature, or with what is none, is refused before its fields are read', () => {
    const door = createTwilioCallback({ authToken: 't'.repeat(32) });
    const sort = vi.spyOn(Array.prototype, 'sort');
    onTestFinished(() => sort.mockRestore());
    const read = (signature: string, body: string) =>
      door.read({
        topic: 'status',
        url: 'https://alarm.example/x',
        headers: { 'x-twilio-signature': signature },
        body,
      });
    const shaped = `${'A'.repeat(27)}=`;
    for (const none of ['', 'x', `${shaped}=`, `${'A'.repeat(26)}*=`])
      expect(read(none, 'a=1')).toEqual({ kind: 'forged' });
    expect(read(shaped, 'a=1&'.repeat(200))).toEqual({ kind: 'forged' });
    expect(sort).not.toHaveBeenCalled();
    expect(read(shaped, 'a=1')).toEqual({ kind: 'forged' });
    expect(sort).toHaveBeenCalled();
  });

  test('nothing makes it throw', async () => {
    const door = createTwilioCallback({ authToken: 't'.repeat(32) });
    const any = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(any, any, any, any, (topic, url, signature, body) => {
        const news = door.read({ topic, url, headers: { 'x-twilio-signature': signature }, body });
        expect(news).toEqual({ kind: 'forged' });
      }),
    );
  });
});

import { createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { CarrierAnswer, CarrierNews } from '../../services/channels/channel.ts';
import { createTelnyxCallback } from '../../services/channels/telnyx/callback.ts';
import { createTelnyxChannel } from '../../services/channels/telnyx/send.ts';
import { isSigned, readPublicKey, withProof } from '../../services/channels/telnyx/signature.ts';
import { sayOnCall, writeBack, writeVoiceMessage } from '../../services/channels/voice.ts';
import type { IncidentAlert } from '../../services/domain/alert.ts';
import { A_WAY_BACK, anAlert } from '../support/alert.ts';
import { startTelnyx } from '../support/telnyx.ts';
import type { TelnyxSigns } from '../support/telnyx-callbacks.ts';
import { parseTwiml } from '../support/twiml.ts';

const ANNA = '+4366012345678';

describe('a text', () => {
  test('goes out with an address for its progress, which is read', async () => {
    const { telnyx, text, news, alert } = await rig();
    expect(await text.send(ANNA, alert)).toEqual({ kind: 'sent', providerRef: telnyx.texts[0]!.ref, units: 2 });
    const { ref, fields } = telnyx.texts[0]!;
    expect(fields).toMatchObject({ to: ANNA, from: telnyx.settings.from, type: 'SMS' });
    expect(fields.text).toContain(A_WAY_BACK.pageUrl);
    for (const status of ['sent', 'delivered']) expect((await telnyx.tell(ref, status))?.status).toBe(200);
    await telnyx.tell(ref, 'delivery_failed', { errorCode: '40001' });
    expect(news).toEqual([
      { kind: 'nothing' },
      { kind: 'arrived', providerRef: ref },
      { kind: 'fault', providerRef: ref, lasts: 'permanent', reason: 'landline or unreachable carrier' },
    ]);
  });

  test('without an address that the outside reaches it asks for no reply, and nothing is told', async () => {
    const { telnyx, text } = await rig();
    const wayBack = { ...A_WAY_BACK, carrierUrl: 'http://192.168.1.10:8080/carrier' };
    await text.send(ANNA, anAlert({ wayBack }));
    expect(telnyx.texts[0]!.fields).toMatchObject({ use_profile_webhooks: false });
    expect(telnyx.texts[0]!.fields).not.toHaveProperty('webhook_url');
    expect(telnyx.texts[0]!.fields.text).not.toContain('K7M4');
  });

  test('an address that the carrier does not take costs the progress, not the text', async () => {
    const { telnyx, text, alert } = await rig();
    telnyx.failNext({ status: 422, code: '10003' });
    expect(await text.send(ANNA, alert)).toMatchObject({ kind: 'sent' });
    expect(telnyx.texts[0]!.fields).not.toHaveProperty('webhook_url');
  });

  test('somebody writes back: number and text are read, and what is written back is a text of its own', async () => {
    const { telnyx, news, inbound, door } = await rig();
    expect(await telnyx.replyTo(ANNA, ' ok k7m4 \n👍', inbound)).toMatchObject({ status: 200 });
    expect(news).toEqual([{ kind: 'reply', from: ANNA, text: ' ok k7m4 \n👍' }]);
    const answer = { kind: 'write', said: 'acknowledged', locale: 'en-GB', by: '', code: 'K7M4' } as const;
    expect(await door.writeBack!(ANNA, answer)).toBeNull();
    expect(telnyx.texts.map(({ fields }) => [fields.to, fields.text])).toEqual([
      [ANNA, writeBack('acknowledged', answer)],
    ]);
    telnyx.behave('busy');
    expect(await door.writeBack!(ANNA, answer)).toBe('the carrier is busy');
  });

  test('short codes write, and what became of texts is told where replies go: nothing', async () => {
    const { telnyx, text, alert, news, inbound } = await rig();
    await telnyx.replyTo('12345', 'OK K7M4', inbound);
    await text.send(ANNA, alert);
    await telnyx.tell(telnyx.texts[0]!.ref, 'delivered', { url: inbound });
    expect(news).toEqual([{ kind: 'nothing' }, { kind: 'nothing' }]);
  });
});

describe('a call', () => {
  test('says the message when it is answered, and reads the key', async () => {
    const { telnyx, call, news, answers, alert } = await rig();
    expect(await call.send(ANNA, alert)).toEqual({ kind: 'sent', providerRef: 'v3:call-1', units: 1 });
    expect(telnyx.calls[0]!.fields).toMatchObject({ To: ANNA, UrlMethod: 'POST', StatusCallbackEvent: 'completed' });
    answers.push({ kind: 'speak_alert', alert, preface: 'none' });
    const said = await telnyx.answerCall('v3:call-1');
    const { sentences, menu, goodbye, language } = writeVoiceMessage(alert, 'come_back');
    const message = [...sentences, menu].join(' ');
    expect(said.said).toEqual([message, message, goodbye]);
    expect(said.xml).toContain(`<Say language="${language}" voice="alice">`);
    answers.push({ kind: 'speak', said: 'acknowledged', locale: 'en-GB', voice: '', by: '' });
    const confirmed = await telnyx.press('v3:call-1', '1');
    expect(confirmed.said).toEqual([sayOnCall('acknowledged', { locale: 'en-GB', by: '' }).sentence]);
    await telnyx.tell('v3:call-1', 'completed');
    expect(news).toEqual([
      { kind: 'answered' },
      { kind: 'key', key: '1' },
      { kind: 'arrived', providerRef: 'v3:call-1' },
    ]);
  });

  test('a call that cannot come back contains what it says', async () => {
    const { telnyx, call } = await rig();
    await call.send(ANNA, anAlert({ wayBack: null, voice: 'Polly.Vicki' }));
    expect(telnyx.calls[0]!.fields).not.toHaveProperty('Url');
    const said = await telnyx.answerCall('v3:call-1');
    expect(said.said.join(' ')).toContain('House');
    expect(said.gathers).toEqual([]);
    expect(said.xml).toContain('<Say voice="Polly.Vicki">');
  });

  test.each([
    'man',
    'woman',
    'Google.de-DE-Wavenet-A',
    '"/>',
  ])('a voice that would not be heard is replaced: %s', async voice => {
    const { telnyx, call } = await rig();
    await call.send(ANNA, anAlert({ wayBack: null, voice }));
    expect((await telnyx.answerCall('v3:call-1')).xml).toContain('voice="alice"');
  });

  test('one that the carrier does not name goes by the name of its message', async () => {
    const { telnyx, call, alert } = await rig();
    telnyx.behave('unnamed');
    expect(await call.send(ANNA, alert)).toEqual({ kind: 'sent', providerRef: alert.deliveryId, units: 1 });
  });
});

describe('what is not believed, and what is not understood', () => {
  const FORGED: TelnyxSigns[] = ['wrong', 'missing', 'of_another_body', 'long_ago', 'long_after'];

  test.each(FORGED)('a signature that is %s', async signs => {
    const { telnyx, text, call, inbound, news, alert } = await rig();
    await text.send(ANNA, alert);
    await call.send(ANNA, alert);
    expect(await telnyx.tell(telnyx.texts[0]!.ref, 'delivered', { signs })).toMatchObject({ status: 403 });
    await expect(telnyx.answerCall('v3:call-1', { signs })).rejects.toThrow('403');
    expect(await telnyx.replyTo(ANNA, 'OK', inbound, { signs })).toMatchObject({ status: 403 });
    expect(news).toEqual(Array(3).fill({ kind: 'forged' }));
  });

  test('signed, at the address of another topic, message or attempt, or at one without a proof', async () => {
    const { telnyx, text, news, alert } = await rig();
    await text.send(ANNA, alert);
    const { ref, fields } = telnyx.texts[0]!;
    const own = String(fields.webhook_url);
    const others = [
      own.replace('/status/', '/key/'),
      own.replace('/1?', '/2?'),
      own.replace(/S{16}/, 'T'.repeat(16)),
      own.split('?')[0]!,
      `${own.split('?')[0]}?proof=`,
      `${own.slice(0, -1)}_`,
    ];
    for (const url of others) expect(await telnyx.tell(ref, 'delivered', { url })).toMatchObject({ status: 403 });
    expect(news).toEqual(others.map(() => ({ kind: 'forged' })));
  });

  test.each([
    ['nothing at all', 'status', ''],
    ['no sid', 'status', 'CallStatus=completed'],
    ['no status', 'status', 'CallSid=v3:a'],
    ['a status that does not exist', 'status', 'CallSid=v3:a&CallStatus=teleported'],
    ['a status of JavaScript', 'status', 'CallSid=v3:a&CallStatus=constructor'],
    ['two sids', 'status', 'CallSid=v3:a&CallSid=v3:b&CallStatus=completed'],
    ['JSON that ends early', 'status', '{"data":'],
    ['JSON of something else', 'status', '{"data":{"payload":{"id":"a"}}}'],
    ['a text to two', 'status', '{"data":{"payload":{"id":"a","to":[{"status":"sent"},{"status":"sent"}]}}}'],
    ['a status of a call for a text', 'status', '{"data":{"payload":{"id":"a","to":[{"status":"busy"}]}}}'],
    ['keys that are none', 'key', 'Digits=abc'],
    ['two keys', 'key', 'Digits=1&Digits=2'],
    ['far too many fields', 'key', 'a=1&'.repeat(300)],
    ['no event', 'text', '{}'],
    ['nobody wrote', 'text', '{"data":{"event_type":"message.received","payload":{"text":"OK"}}}'],
    ['a topic that does not exist', 'nonsense', 'a=b'],
    ['a topic of JavaScript', '__proto__', 'a=b'],
  ])('signed and unreadable: %s', async (_what, topic, body) => {
    const { telnyx, url, news } = await rig();
    const at = withProof(telnyx.settings.apiKey, `${url}/carrier/telnyx/${topic}/x/1`);
    expect(await telnyx.post(at, body)).toMatchObject({ status: 400 });
    expect(news).toEqual([{ kind: 'unreadable', problem: expect.any(String) }]);
  });

  test('nothing makes it throw', async () => {
    const { telnyx, url, news } = await rig();
    const topics = fc.constantFrom('status', 'voice', 'key', 'text');
    await fc.assert(
      fc.asyncProperty(
        topics,
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.string().map(x => `CallSid=${x}`),
        ),
        async (topic, body) => {
          const at = withProof(telnyx.settings.apiKey, `${url}/carrier/telnyx/${topic}/x/1`);
          expect([200, 400]).toContain((await telnyx.post(at, body)).status);
        },
      ),
      { numRuns: 200 },
    );
    expect(news).not.toContainEqual({ kind: 'forged' });
  });

  test('the key is read as the standard writes it: the second pair of RFC 8032', () => {
    const [secret, key] = [
      '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    ].map(hex => Buffer.from(hex, 'hex'));
    const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), secret!]);
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    const signature = sign(null, Buffer.from('1700000000|{}'), privateKey).toString('base64');
    const headers = { 'telnyx-timestamp': '1700000000', 'telnyx-signature-ed25519': signature };
    const on = { publicKey: readPublicKey(key!.toString('base64')), headers };
    const at = 1_700_000_000_000;
    expect(isSigned({ ...on, body: '{}' }, at)).toBe(true);
    expect(isSigned({ ...on, body: '{} ' }, at)).toBe(false);
    expect([-300_001, -300_000, 300_000, 300_001].map(by => isSigned({ ...on, body: '{}' }, at + by))).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });
});

/**
 * A carrier, and a server that hands its requests to the door: `news` is what was read, `answers` what to answer next.
 * `alert` is one whose answers lead there.
 */
async function rig() {
  const telnyx = await startTelnyx();
  const door = createTelnyxCallback(telnyx.settings);
  const news: CarrierNews[] = [];
  const answers: CarrierAnswer[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    const headers = Object.fromEntries(
      ['telnyx-timestamp', 'telnyx-signature-ed25519'].map(name => [name, String(request.headers[name] ?? '')]),
    );
    const topic = (request.url ?? '').split(/[/?]/)[3] ?? '';
    const read = door.read({ topic, url: url + request.url, headers, body });
    news.push(read);
    if (read.kind === 'forged' || read.kind === 'unreadable')
      return void response.writeHead(read.kind === 'forged' ? 403 : 400).end();
    const answer = door.answer(answers.shift() ?? { kind: 'noted' });
    parseTwiml(answer.body);
    response.writeHead(answer.status, { 'content-type': answer.contentType }).end(answer.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await telnyx.stop();
  });
  const on = { settings: telnyx.settings, log: pino({ level: 'silent' }) };
  const text = createTelnyxChannel({ kind: 'text', ...on });
  const call = createTelnyxChannel({ kind: 'call', ...on });
  const alert: IncidentAlert = anAlert({ wayBack: { ...A_WAY_BACK, carrierUrl: `${url}/carrier` } });
  return { telnyx, door, text, call, url, inbound: `${url}/carrier/telnyx/text`, news, answers, alert };
}

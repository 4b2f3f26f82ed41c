import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { writeMessage } from '../../services/channels/message.ts';
import { createWebhookChannel } from '../../services/channels/webhook/send.ts';
import {
  A_WAY_BACK,
  aDrill,
  anAcknowledgement,
  anAlert,
  anOwnerNotice,
  aPanicAlert,
  aStillHappening,
  aVerification,
} from '../support/alert.ts';
import { makeCertificate } from '../support/certificate.ts';
import { startHook } from '../support/hook.ts';
import { logInto } from '../support/log.ts';
import { NASTY } from '../support/nasty.ts';
import { rawServer } from '../support/raw-server.ts';
import { eventually, expectInTime } from '../support/wait.ts';

const SECRET = `whsec_${Buffer.alloc(32, 's').toString('base64')}`;

describe('a webhook is told', () => {
  test('signed, with everything that the message says, and that it has it is believed', async () => {
    const { hook, channel } = await rig();
    const alert = anAlert();
    expect(await channel.send(`${hook.url}/hook?a=b`, alert)).toEqual({
      kind: 'delivered',
      providerRef: alert.deliveryId,
    });
    expect(hook.heard[0]).toMatchObject({ method: 'POST', path: '/hook?a=b' });
    expect(hook.heard[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'tocsin' });
    const { subject, text } = writeMessage(alert);
    expect(hook.events).toEqual([
      {
        id: alert.deliveryId,
        event: {
          id: alert.deliveryId,
          type: 'alert',
          contact: 'Anna',
          subject,
          text,
          incidentId: alert.incidentId,
          environment: 'live',
          source: { kind: 'alarm', name: 'House', response: null, responseText: null },
          mode: 'Away',
          location: { name: 'Home', address: '12 Example Street, 1010 Example City' },
          openedAt: '2026-11-21T11:52:09.000Z',
          step: 2,
          steps: 3,
          round: 1,
          rounds: 4,
          silentSince: null,
          triggerCount: 1,
          lastTriggerAt: '2026-11-21T11:52:09.000Z',
          trippedBy: [],
          moreBefore: 0,
          acknowledgedBy: null,
          pageUrl: A_WAY_BACK.pageUrl,
          replyCode: 'K7M4',
        },
      },
    ]);
  });

  test.each([
    [
      aPanicAlert(),
      { type: 'alert', source: { kind: 'panic_button', name: 'Shop button', response: 'fire' }, mode: null },
    ],
    [anAcknowledgement(), { type: 'acknowledged', acknowledgedBy: 'Bob' }],
    [aStillHappening(), { type: 'still_happening', triggerCount: 3, lastTriggerAt: '2026-11-21T12:12:09.000Z' }],
    [anAlert({ wayBack: null }), { pageUrl: null }],
    [aDrill(), { type: 'drill', at: '2026-11-21T11:52:09.000Z' }],
    [aVerification(), { type: 'verification', code: '204816', account: 'Example family' }],
    [anOwnerNotice(), { type: 'notice', at: '2026-11-21T11:52:09.000Z' }],
  ])('%#: $purpose', async (alert, event) => {
    const { hook, channel } = await rig();
    expect(await channel.send(hook.url, alert)).toMatchObject({ kind: 'delivered' });
    expect(hook.events[0]?.event).toMatchObject(event);
  });

  test('with the same webhook-id at every attempt, under the secret of its account', async () => {
    const { hook, channel, asked } = await rig();
    hook.behave('reset');
    await channel.send(hook.url, anAlert());
    hook.behave('ok');
    await channel.send(hook.url, anAlert({ attempt: 2 }));
    const ids = hook.heard.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([anAlert().deliveryId, anAlert().deliveryId]);
    expect(asked).toEqual([anAlert().accountId, anAlert().accountId]);
  });

  test('a receiver with another secret refuses', async () => {
    const { hook, channel } = await rig({ receiver: `whsec_${Buffer.alloc(32, 'o').toString('base64')}` });
    expect(await channel.send(hook.url, anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: 'the webhook refused: 401',
    });
  });
});

describe('what a webhook answers', () => {
  test.each([
    [200, 'delivered', ''],
    [202, 'delivered', ''],
    [299, 'delivered', ''],
    [301, 'permanent_fault', 'the webhook refused: 301'],
    [307, 'permanent_fault', 'the webhook refused: 307'],
    [400, 'permanent_fault', 'the webhook refused: 400'],
    [403, 'permanent_fault', 'the webhook refused: 403'],
    [404, 'permanent_fault', 'the webhook refused: 404'],
    [408, 'temporary_fault', 'the webhook refused: 408'],
    [410, 'permanent_fault', 'the webhook is gone'],
    [429, 'temporary_fault', 'the webhook refused: 429'],
    [500, 'temporary_fault', 'the webhook refused: 500'],
    [503, 'temporary_fault', 'the webhook refused: 503'],
  ])('%i: %s %s', async (status, kind, reason) => {
    const { hook, channel } = await rig();
    hook.behave({ status, headers: { location: 'http://127.0.0.1:1/' } });
    expect(await channel.send(hook.url, anAlert())).toMatchObject(reason === '' ? { kind } : { kind, reason });
    expect(hook.heard).toHaveLength(1);
  });

  test.each([
    ['7', 1, { kind: 'asked_to_wait', reason: 'the webhook asked to wait', afterS: 7 }],
    ['0', 1, { kind: 'asked_to_wait', reason: 'the webhook asked to wait', afterS: 1 }],
    ['60', 5, { kind: 'asked_to_wait', reason: 'the webhook asked to wait', afterS: 60 }],
    ['61', 1, { kind: 'temporary_fault', reason: 'the webhook refused: 429' }],
    ['7', 6, { kind: 'temporary_fault', reason: 'the webhook refused: 429' }],
    ['tomorrow', 1, { kind: 'temporary_fault', reason: 'the webhook refused: 429' }],
  ])('429 with Retry-After %s at attempt %i: %o', async (wait, attempt, outcome) => {
    const { hook, channel } = await rig();
    hook.behave({ status: 429, headers: { 'retry-after': wait } });
    expect(await channel.send(hook.url, anAlert({ attempt }))).toEqual(outcome);
  });

  test('a page instead of JSON is as good: 2xx is all that is asked for', async () => {
    const { hook, channel } = await rig();
    hook.behave('garbage');
    expect(await channel.send(hook.url, anAlert())).toMatchObject({ kind: 'delivered' });
  });

  test.each([
    ['hang', 'the webhook did not answer in time'],
    ['reset', 'the webhook broke off'],
  ] as const)('%s: temporary', async (mode, reason) => {
    const { hook, channel } = await rig({ timeoutMs: mode === 'hang' ? 200 : 5_000 });
    hook.behave(mode);
    expect(await channel.send(hook.url, anAlert())).toEqual({ kind: 'temporary_fault', reason });
  });

  /* DECISIONS.md "2xx of a webhook": the status is the answer. */
  const LONG_BODY = 'x'.repeat(300_000);
  test.each<[string, string[], 'end' | 'reset' | 'open']>([
    ['of 300 KB', [`HTTP/1.1 200 OK\r\ncontent-length: 300000\r\n\r\n${LONG_BODY}`], 'end'],
    ['of 300 KB without its length', [`HTTP/1.1 202 Accepted\r\nconnection: close\r\n\r\n${LONG_BODY}`], 'end'],
    ['shorter than said', ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'], 'end'],
    ['that breaks off', ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'], 'reset'],
    ['that never comes', ['HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n'], 'open'],
    ['in chunks that are none', ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', 'no chunk\r\n'], 'open'],
    ['that 204 has not', ['HTTP/1.1 204 No Content\r\n\r\n', 'nevertheless'], 'open'],
    ['that drips', ['HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n', ...Array(500).fill('x')], 'open'],
  ])('2xx with a body %s: delivered, once', async (_what, parts, ends) => {
    let requests = 0;
    const port = await rawServer(async socket => {
      requests++;
      for (const part of parts) {
        socket.write(part);
        await new Promise(resolve => setTimeout(resolve, 10));
      }
      if (ends === 'end') socket.end();
      if (ends === 'reset') socket.resetAndDestroy();
    });
    const { channel } = await rig({ timeoutMs: 8_000 });
    const began = performance.now();
    expect(await channel.send(`http://127.0.0.1:${port}/`, anAlert())).toMatchObject({ kind: 'delivered' });
    expectInTime(performance.now() - began, 4_000);
    expect(requests).toBe(1);
  });

  test('2xx with a body without end: delivered, and hardly any of it is read', async () => {
    const { hook, channel } = await rig();
    hook.behave('endless');
    expect(await channel.send(hook.url, anAlert())).toMatchObject({ kind: 'delivered' });
    await eventually(() => hook.waiting().now === 0, { what: 'the end of the connection' });
    expect(hook.poured()).toBeLessThan(20 << 20);
  });

  test('a refusal whose body has no end is the refusal', async () => {
    const { channel } = await rig();
    const port = await rawServer(socket => void socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 100\r\n\r\n'));
    expect(await channel.send(`http://127.0.0.1:${port}/`, anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: 'the webhook is gone',
    });
  });

  test('a certificate that nobody vouches for: it says so, and how to trust it', async () => {
    const { channel } = await rig();
    const server = createSecureServer(makeCertificate(), (_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await channel.send(`https://127.0.0.1:${port}/`, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason:
        'the webhook has a certificate that nobody known vouches for: whoever runs Tocsin can trust it by NODE_EXTRA_CA_CERTS (a file with the certificate of its authority)',
      taken: 'no',
    });
  });

  test('a login in the URL goes along as Basic authorization, and nowhere else', async () => {
    const lines: string[] = [];
    const { hook, channel } = await rig({ lines });
    hook.behave({ status: 500 });
    await channel.send(hook.url.replace('//', '//user:p%40ss@'), anAlert());
    const [{ path, headers }] = hook.heard as [(typeof hook.heard)[number]];
    expect(headers.authorization).toBe(`Basic ${Buffer.from('user:p@ss').toString('base64')}`);
    expect(path).toBe('/');
    expect(lines.join('')).not.toMatch(/user|ss@/);
  });

  test('nobody there: temporary', async () => {
    const { hook, channel } = await rig();
    await hook.stop();
    expect(await channel.send(hook.url, anAlert())).toEqual({
      kind: 'temporary_fault',
      reason: 'the webhook could not be reached',
      taken: 'no',
    });
  });
});

describe('one that hangs holds nobody else up', () => {
  test('eight of an account at once to one host, the next is put off; another account, and another host, are told at once', async () => {
    const { hook, channel } = await rig({ timeoutMs: 3_000 });
    const other = await startHook({ secret: SECRET });
    onTestFinished(other.stop);
    hook.behave('hang');
    const hanging = Array.from({ length: 8 }, () => channel.send(hook.url, anAlert()));
    await eventually(() => hook.waiting().now === 8, { what: 'eight requests under way' });
    const next = channel.send(`${hook.url}/another-path`, anAlert());
    expect(await channel.send(other.url, anAlert())).toMatchObject({ kind: 'delivered' });
    hook.behave('ok');
    expect(await channel.send(hook.url, anAlert({ accountId: 'another' }))).toMatchObject({ kind: 'delivered' });
    expect(await next).toEqual({ kind: 'put_off', reason: 'too many messages to this host are under way', afterS: 1 });
    expect(hook.heard).toHaveLength(9);
    await Promise.all(hanging);
    expect(await channel.send(hook.url, anAlert())).toMatchObject({ kind: 'delivered' });
  });
});

describe('where a webhook may lead', () => {
  test.each([
    ['not a URL', 'it is no URL'],
    ['http://8.8.8.8/', 'it must begin with https://'],
    ['https://127.0.0.1/', 'it does not lead to a public address'],
    ['https://169.254.169.254/latest/meta-data/', 'it does not lead to a public address'],
    ['https://[::1]/', 'it does not lead to a public address'],
  ])('%s: refused for good', async (address, why) => {
    const { channel } = await rig({ networks: [] });
    expect(await channel.send(address, anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: `the address is not allowed: ${why}`,
    });
  });

  test('a name that leads into this machine: refused for good, and nothing is asked', async () => {
    const { hook, channel } = await rig({ networks: [] });
    expect(await channel.send(hook.url.replace('http://127.0.0.1', 'https://localhost'), anAlert())).toEqual({
      kind: 'permanent_fault',
      reason: 'the address is not allowed: it does not lead to a public address',
    });
    expect(hook.heard).toEqual([]);
  });
});

describe.each(NASTY)('what an owner wrote stays text: %s', (_what, written) => {
  test('in every field', async () => {
    const { hook, channel } = await rig();
    const alert = anAlert({
      contactName: written,
      sourceName: written,
      modeName: written,
      locationName: written,
      locationAddress: written,
      acknowledgedBy: written,
    });
    expect(await channel.send(hook.url, alert)).toMatchObject({ kind: 'delivered' });
    const { event } = hook.events[0]!;
    expect(event.id).toBe(alert.deliveryId);
    const { text, ...rest } = event;
    expect(JSON.stringify(rest)).not.toMatch(/\\[unr]|[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(String(text).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
    expect(hook.heard[0]?.body.length).toBeLessThan(5_000);
  });
});

test('nothing personal and no secret is logged', async () => {
  const lines: string[] = [];
  const { hook, channel } = await rig({ lines });
  await channel.send(hook.url, anAlert());
  hook.behave({ status: 500, body: 'House, Anna' });
  await channel.send(`${hook.url}/very-secret-path`, anAlert());
  hook.behave('reset');
  await channel.send(`${hook.url}/very-secret-path`, anAlert());
  expect(lines).toHaveLength(2);
  for (const hidden of ['secret', 'Anna', 'House', 'Example Street', '127.0.0.1', SECRET.slice(6), '/i/'])
    expect(lines.join('')).not.toContain(hidden);
});

/** A receiver and a channel that tells it. `receiver`: the secret that the receiver knows; `asked`: whose secret was asked for. */
async function rig(options: { receiver?: string; timeoutMs?: number; networks?: string[]; lines?: string[] } = {}) {
  const { receiver = SECRET, timeoutMs = 5_000, networks = ['127.0.0.0/8'], lines } = options;
  const hook = await startHook({ secret: receiver });
  const asked: string[] = [];
  const secretOf = (accountId: string) => {
    asked.push(accountId);
    return SECRET;
  };
  const log = logInto(lines);
  const channel = createWebhookChannel({ secretOf, outboundNetworks: networks, log, timeoutMs });
  onTestFinished(async () => {
    await channel.close();
    await hook.stop();
  });
  return { hook, channel, asked };
}

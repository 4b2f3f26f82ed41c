import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import type { DeviceOutcome, Devices, PushKey, Subscription } from '../../services/channels/devices.ts';
import { writeMessage } from '../../services/channels/message.ts';
import { areKeys, encrypt } from '../../services/channels/web-push/encrypt.ts';
import { createWebPushChannel } from '../../services/channels/web-push/send.ts';
import { newVapidKey } from '../../services/channels/web-push/vapid.ts';
import type { Alert } from '../../services/domain/alert.ts';
import type { AttemptOutcome } from '../../services/domain/delivery.ts';
import { A_WAY_BACK, anAlert } from '../support/alert.ts';
import { logInto } from '../support/log.ts';
import type { PeerMode } from '../support/peer.ts';
import { type PushMode, startPushService } from '../support/web-push.ts';

const HERE = ['127.0.0.0/8'];
const OURS = { contact: 'ops@example.com' };

/** A channel to browsers of Anna, subscribed at a service. */
async function rig(
  on: { contact?: string; networks?: string[]; timeoutMs?: number; key?: () => Promise<PushKey | null> } = {},
) {
  const service = await startPushService();
  onTestFinished(() => service.stop());
  const subscribed: (Subscription & { id: string })[] = [];
  const told: DeviceOutcome[] = [];
  const key = newVapidKey();
  const devices: Devices = {
    key: on.key ?? (async () => key),
    refusalOf: () => null,
    of: async (accountId, contactId) => (contactId === 'anna' && accountId === anAlert().accountId ? subscribed : []),
    told: async (_account, _contact, outcomes) => void told.push(...outcomes),
  };
  const lines: string[] = [];
  const { contact = OURS.contact, networks = HERE, timeoutMs = 2_000 } = on;
  const channel = createWebPushChannel({
    settings: { contact },
    devices,
    outboundNetworks: networks,
    log: logInto(lines),
    timeoutMs,
  });
  return {
    service,
    told,
    lines,
    /** Anna subscribes in one more browser. */
    adds(other: Partial<Subscription> = {}) {
      const { browser, ...subscription } = service.subscribe();
      subscribed.push({ id: `d${subscribed.length}`, ...subscription, ...other });
      return browser;
    },
    send: (alert: Alert = anAlert()) => channel.send('web:devices', { ...alert, contactId: 'anna' }),
  };
}

test('the example of RFC 8291 comes out byte for byte', () => {
  const fresh = {
    privateKey: Buffer.from('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url'),
    salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'),
  };
  const keys = {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  };
  expect(encrypt('When I grow up, I want to be a watermelon', keys, fresh).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('keys that are none are known before anything is sent', () => {
  const { p256dh, auth } = {
    p256dh: randomBytes(65).toString('base64url'),
    auth: randomBytes(16).toString('base64url'),
  };
  expect(areKeys({ p256dh, auth })).toBe(false);
  expect(areKeys({ p256dh: '', auth })).toBe(false);
});

test('an alert reaches the browser with title, text, page and button, and nobody on the way can read it', async () => {
  const { service, adds, send, told } = await rig();
  adds();
  expect(await send()).toEqual({ kind: 'sent', providerRef: anAlert().deliveryId });
  const { subject, text } = writeMessage(anAlert());
  expect(service.pushed).toMatchObject([
    {
      topic: anAlert().deliveryId,
      urgency: 'high',
      ttl: '600',
      content: {
        web_push: 8030,
        notification: { title: subject, body: text.trimEnd(), navigate: A_WAY_BACK.pageUrl, lang: 'en' },
        tocsin: { acknowledge: 'Acknowledge', loud: true },
      },
    },
  ]);
  expect(service.heard[0]!.body).not.toContain(subject);
  expect(told).toEqual([{ id: 'd0', is: 'sent' }]);
});

test('a device that may still take it is asked once more, though another one has it', async () => {
  const { service, adds, send, told } = await rig({ timeoutMs: 10_000 });
  const [phone, desk] = [adds(), adds()];
  service.turns('breaks_once', phone);
  expect(await send()).toMatchObject({ kind: 'sent' });
  expect(service.pushed.map(({ browser }) => browser).sort()).toEqual([desk, phone].sort());
  expect(told).toEqual([
    { id: 'd0', is: 'sent' },
    { id: 'd1', is: 'sent' },
  ]);
});

test('it goes to all devices of that contact, and the best outcome counts; one that is gone is said so', async () => {
  const { service, adds, send, told } = await rig();
  const [phone, desk, tablet] = [adds(), adds(), adds()];
  service.turns('gone', desk);
  service.turns('broken', tablet);
  expect(await send()).toMatchObject({ kind: 'sent' });
  expect(service.pushed.map(({ browser }) => browser)).toEqual([phone]);
  expect(told).toEqual([
    { id: 'd0', is: 'sent' },
    { id: 'd1', is: 'gone' },
    { id: 'd2', is: 'fault', reason: 'the push service has a fault of its own: 503' },
  ]);
});

test.each<[PushMode, AttemptOutcome]>([
  ['gone', { kind: 'permanent_fault', reason: expect.stringContaining('no device of this person rings any more') }],
  ['unknown', { kind: 'permanent_fault', reason: expect.stringContaining('no device of this person rings any more') }],
  ['later', { kind: 'asked_to_wait', reason: 'the push service asked to wait', afterS: 7 }],
  ['never_again', { kind: 'temporary_fault', reason: 'the push service takes no more messages for now', taken: 'no' }],
  ['broken', { kind: 'temporary_fault', reason: 'the push service has a fault of its own: 503' }],
  ['breaks_off', { kind: 'temporary_fault', reason: 'the push service broke off' }],
  ['takes_and_loses', { kind: 'sent', providerRef: anAlert().deliveryId }],
  ['twice', { kind: 'sent', providerRef: anAlert().deliveryId }],
])('a service that is %s', async (mode, outcome) => {
  const { service, adds, send } = await rig();
  adds();
  service.turns(mode);
  expect(await send()).toEqual(outcome);
});

test.each<[string, PeerMode]>([
  ['hangs', 'hang'],
  ['answers late', 3_000],
])('a service that %s is not waited for any longer than an attempt may take', async (_how, mode) => {
  const { service, adds, send } = await rig({ timeoutMs: 300 });
  adds();
  service.behave(mode);
  expect(await send()).toEqual({ kind: 'temporary_fault', reason: 'the push service did not answer in time' });
});

test('a redirect is followed nowhere', async () => {
  const { service, adds, send } = await rig();
  adds();
  service.turns('leads_elsewhere');
  expect(await send()).toEqual({
    kind: 'permanent_fault',
    reason: 'the push service led elsewhere, where no message of ours goes',
  });
  expect(service.posted()).toBe(1);
});

test('a signature that is refused is said in words, with what to look at', async () => {
  const { service, adds, send } = await rig({ contact: 'ops@localhost' });
  adds();
  expect(await send()).toMatchObject({
    kind: 'permanent_fault',
    reason: 'the push service refused our signature: check WEB_PUSH_CONTACT: 403 BadJwtToken',
    // Every message of this deployment is refused so, whomever it is for.
    carrier: 'away',
  });
  expect(service.pushed).toEqual([]);
});

test('a key that cannot be opened is said; one that could not be read is tried again', async () => {
  const lost = await rig({ key: async () => null });
  lost.adds();
  expect(await lost.send()).toMatchObject({ kind: 'permanent_fault', carrier: 'away' });
  const unread = await rig({ key: () => Promise.reject(new Error('Connection terminated unexpectedly')) });
  unread.adds();
  expect(await unread.send()).toMatchObject({ kind: 'temporary_fault', taken: 'no' });
});

test('names of any length fit into what services take', async () => {
  const { service, adds, send } = await rig();
  adds();
  const long = anAlert({ sourceName: '🚨'.repeat(2_000), locationName: 'x'.repeat(5_000) });
  expect(await send(long)).toMatchObject({ kind: 'sent' });
  expect(service.pushed[0]!.content.notification.body.length).toBeGreaterThan(100);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://169.254.169.254/',
  'https://push.example.com/anything',
  'https://user:secret@fcm.googleapis.com/fcm/send/x',
  'https://fcm.googleapis.com.example.com/fcm/send/x',
  'https://fcm.googleapis.com:8443/fcm/send/x',
  'http://fcm.googleapis.com/fcm/send/x',
  'http://[::1]:1/',
  'file:///etc/passwd',
  'nothing',
])('no message goes to %s', async endpoint => {
  const { service, adds, send } = await rig({ networks: [] });
  adds({ endpoint });
  expect(await send()).toMatchObject({ kind: 'permanent_fault', reason: expect.stringContaining('not allowed') });
  expect(service.posted()).toBe(0);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/',
  'https://203.0.113.9/push',
])('nor to %s, where others are allowed', async endpoint => {
  const { adds, send } = await rig();
  adds({ endpoint });
  expect(await send()).toMatchObject({ kind: 'permanent_fault', reason: expect.stringContaining('not allowed') });
});

test('without OUTBOUND_NETWORKS it goes to the services of browsers alone', async () => {
  const { service, adds, send } = await rig({ networks: [] });
  adds();
  expect(await send()).toMatchObject({
    kind: 'permanent_fault',
    reason: expect.stringContaining('it is at no push service that Tocsin knows'),
  });
  expect(service.posted()).toBe(0);
});

test('whoever has no device is not reached, and another contact’s device does not ring', async () => {
  const { service, send } = await rig();
  service.subscribe();
  expect(await send()).toMatchObject({ kind: 'permanent_fault' });
  expect(service.posted()).toBe(0);
});

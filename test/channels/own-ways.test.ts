import { expect, onTestFinished, test } from 'vitest';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import { signedBy, signedFor, startHook } from '../support/hook.ts';
import { startNtfy } from '../support/ntfy.ts';
import { startWorld } from '../support/world.ts';

const NUMBER = '+4366012345678';
const OTHER = '+4366087654321';
const GATEWAY_SECRET = `whsec_${Buffer.alloc(32, 'g').toString('base64')}`;

test('the button on a push message acknowledges the incident, and the webhook that was alerted hears who did', async () => {
  const { ntfy, hook, owner, world, fire } = await house([
    ['Anna', { push: 'annas-phone' }],
    ['Desk', { webhook: 'of the hook' }],
  ]);
  await fire();
  expect(await states(owner)).toEqual({ Anna: ['push sent', ''], Desk: ['webhook delivered', ''] });
  const take = (await ntfy.next()).actions?.find(({ action }) => action === 'http');
  expect((await fetch(take?.url ?? '', { method: take?.method ?? 'GET' })).status).toBe(200);
  await world.settle();
  const [incident] = await owner.incidents();
  expect(incident?.acknowledgedBy).toContain('Anna');
  expect(hook.events.map(({ event }) => [event.type, event.acknowledgedBy])).toEqual([
    ['alert', null],
    ['acknowledged', incident?.acknowledgedBy],
  ]);
});

test('a webhook into this network is refused in words, and the next channel goes at once', async () => {
  const { ntfy, owner, fire } = await house(
    [['Anna', { webhook: 'https://169.254.169.254/latest', push: 'annas-phone' }]],
    {
      outboundNetworks: [],
      uses: ['webhook'],
    },
  );
  await fire();
  expect(
    (await owner.incidents())[0]?.deliveries.map(({ channel, status, reason }) => [channel, status, reason]),
  ).toEqual([
    ['webhook', 'failed', 'the address is not allowed: it does not lead to a public address'],
    ['push', 'sent', ''],
  ]);
  expect(ntfy.pushes).toHaveLength(1);
});

test('a text through a gateway arrives, and a reply with its code acknowledges the incident', async () => {
  const { hook, owner, fire, tell } = await house([['Anna', { text: NUMBER }]]);
  await fire();
  const { statusUrl, text } = hook.events[0]?.event as { statusUrl: string; text: string };
  expect(await tell(statusUrl, { state: 'delivered' })).toEqual({ status: 200, body: { do: 'nothing' } });
  expect(await tell(statusUrl, { state: 'failed', reason: 'too late' })).toMatchObject({ status: 200 });
  expect(await states(owner)).toEqual({ Anna: ['text delivered', ''] });

  const code = /Reply (\w{4}) to acknowledge/.exec(text)?.[1] ?? '';
  const stranger = await tell('text', { from: OTHER, text: code });
  expect(stranger).toMatchObject({ status: 200 });
  expect((await owner.incidents())[0]?.acknowledgedBy).toBe('');
  expect(await tell('text', { from: NUMBER, text: ` ${code.toLowerCase()}\n` })).toEqual({
    status: 200,
    body: { do: 'write', text: 'You acknowledged this. The others are being told.' },
  });
  expect((await owner.incidents())[0]?.acknowledgedBy).toContain('Anna');
});

test('on a call through a gateway key 2 repeats the message and key 1 acknowledges the incident', async () => {
  const { hook, owner, fire, tell } = await house([['Anna', { call: NUMBER }]]);
  await fire();
  const { keyUrl, spoken } = hook.events[0]?.event as { keyUrl: string; spoken: { sentences: string[] } };
  expect(await tell(keyUrl, { key: '2' })).toMatchObject({
    body: { do: 'speak', sentences: spoken.sentences, afterwards: 'await_key' },
  });
  expect(await tell(keyUrl, { key: '7' })).toMatchObject({
    body: { sentences: ["Sorry, I didn't understand that.", ...spoken.sentences], afterwards: 'await_key' },
  });
  expect(await tell(keyUrl, { key: '1' })).toMatchObject({ body: { do: 'speak', afterwards: 'hang_up' } });
  expect((await owner.incidents())[0]?.acknowledgedBy).toContain('Anna');
});

test('what a gateway told of one message, key presses too, cannot be played again at another', async () => {
  const { hook, owner, fire } = await house([
    ['Anna', { call: NUMBER }],
    ['Ben', { call: OTHER }],
  ]);
  await fire();
  const [ofAnna, ofBen] = hook.events.map(({ event }) => String(event.keyUrl)) as [string, string];
  const body = '{"key":"1"}';
  const headers = signedFor(ofAnna, GATEWAY_SECRET, body);
  for (const signed of [headers, signedBy(GATEWAY_SECRET, body)]) {
    expect((await fetch(ofBen, { method: 'POST', headers: signed, body })).status).toBe(403);
  }
  expect((await owner.incidents())[0]?.acknowledgedBy).toBe('');
  expect((await fetch(ofAnna, { method: 'POST', headers, body })).status).toBe(200);
  expect((await owner.incidents())[0]?.acknowledgedBy).toContain('Anna');
});

test('what is forged, altered or played again later changes nothing', async () => {
  const { hook, owner, fire } = await house([['Anna', { text: NUMBER }]]);
  await fire();
  const url = String(hook.events[0]?.event.statusUrl);
  const body = '{"state":"failed"}';
  const old = Math.floor(Date.now() / 1000) - 360;
  for (const headers of [
    {},
    signedFor(url, `whsec_${Buffer.alloc(32, 'x').toString('base64')}`, body),
    signedFor(url, GATEWAY_SECRET, '{"state":"delivered"}'),
    signedFor(url, GATEWAY_SECRET, body, { at: old }),
  ]) {
    expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(403);
  }
  expect(await states(owner)).toEqual({ Anna: ['text sent', ''] });
});

test('a gateway that is down is told again after 5 s, with the same id', async () => {
  const { hook, owner, world, fire } = await house([['Anna', { text: NUMBER }]]);
  hook.behave({ status: 503 });
  await fire();
  expect(await states(owner)).toEqual({ Anna: ['text scheduled', 'the gateway refused: 503'] });
  hook.behave('ok');
  await world.advance(5);
  expect(await states(owner)).toEqual({ Anna: ['text sent', ''] });
  expect(new Set(hook.heard.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(hook.heard).toHaveLength(2);
});

interface Options {
  outboundNetworks?: string[];
  /** The channels that the step uses; all that a contact has, where it is absent. */
  uses?: ChannelKind[];
}

/** A panic button that tells these people; ntfy, and one server that plays the gateway and the webhook. */
async function house(
  people: [string, Partial<Record<ChannelKind, string>>][],
  { outboundNetworks, uses }: Options = {},
) {
  const ntfy = await startNtfy();
  const hook = await startHook({ secret: GATEWAY_SECRET });
  onTestFinished(async () => {
    await ntfy.stop();
    await hook.stop();
  });
  const world = await startWorld({
    publicUrl: 'of the facade',
    carriers: {
      ntfy: { url: ntfy.url, token: null },
      gateway: { url: `${hook.url}/send`, secret: GATEWAY_SECRET, signature: 'v2' },
      webhookSecret: () => GATEWAY_SECRET,
      ...(outboundNetworks === undefined ? {} : { outboundNetworks }),
    },
  });
  const owner = await world.account();
  const contacts = [];
  for (const [name, addresses] of people) {
    const webhook = addresses.webhook === 'of the hook' ? { webhook: `${hook.url}/desk` } : {};
    const contactId = await owner.contact(name, { ...addresses, ...webhook });
    contacts.push({ contactId, channels: uses ?? (Object.keys(addresses) as ChannelKind[]) });
  }
  const policyId = await owner.policy([{ delayS: 0, contacts }]);
  const button = await owner.panicButton({ policyId, name: 'Shop' });
  const key = await owner.key();
  const fire = async () => {
    expect((await world.get(`/v1/panic/${button}/trigger`, key)).status).toBe(202);
    await world.settle();
  };
  /** Posts as the gateway does, to a URL that it was given or to a topic. */
  const tell = async (url: string, content: unknown) => {
    const body = JSON.stringify(content);
    const to = url.startsWith('http') ? url : `${world.url}/carrier/gateway/${url}`;
    const answer = await fetch(to, { method: 'POST', headers: signedFor(to, GATEWAY_SECRET, body), body });
    await world.settle();
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? null : JSON.parse(text) };
  };
  return { ntfy, hook, world, owner, fire, tell };
}

/** Channel, status and reason of the alert to each person. */
async function states(owner: Awaited<ReturnType<typeof house>>['owner']): Promise<Record<string, [string, string]>> {
  const [incident] = await owner.incidents();
  return Object.fromEntries(
    (incident?.deliveries ?? [])
      .filter(({ kind }) => kind === 'alert')
      .map(({ contactName, channel, status, reason }) => [contactName, [`${channel} ${status}`, reason]]),
  );
}

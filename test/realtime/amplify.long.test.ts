import { beforeAll, expect, test } from 'vitest';
import { aHouse, type House } from '../sdk/rig.ts';
import { startApplication } from '../support/amplify.ts';
import { amplifyPackage } from '../support/amplify-package.ts';
import { certificateFiles, makeCertificate } from '../support/certificate.ts';
import { eventually } from '../support/wait.ts';
import { openClient } from './client.ts';

/*
 * The client of AWS itself, unmodified, over TLS (REALTIME.md 3): somebody else's reading of the whole protocol. It follows the
 * recipe of describe and nothing else.
 */

const STATE = { v: '1', kind: 'state' };
const INVENTORY = { v: '1', kind: 'inventory' };

let folder: string;

/** As long as npm may take on a slow line; the first time only. */
beforeAll(async () => {
  folder = await amplifyPackage();
}, 300_000);

async function aSecureHouse(door: Parameters<typeof aHouse>[0] = {}) {
  const pair = makeCertificate();
  const tls = await certificateFiles(pair);
  const house = await aHouse({ ...door, tls });
  const outsider = await house.world.account();
  const strange = { outsider, alarmId: await outsider.alarm({ modes: { away: {} } }) };
  const channel = `/account/${house.owner.accountId}`;
  return {
    ...house,
    strange,
    channel,
    strangeChannel: `/account/${outsider.accountId}`,
    ca: pair.cert,
    caFile: tls.cert,
  };
}

type SecureHouse = Awaited<ReturnType<typeof aSecureHouse>>;

/** An application that knows where this key listens, and says what that is. */
async function application(
  { world, url, caFile: ca }: SecureHouse,
  key: string,
  style: 'apiKey' | 'lambda' = 'apiKey',
) {
  const { body } = await world.get('/v1/integration/describe', key);
  const { httpHost, realtimeHost, channel } = body.data.realtime as Record<string, string>;
  expect([httpHost, realtimeHost]).toEqual([new URL(url).host, new URL(url).host]);
  const app = await startApplication({ folder, ca });
  await app.does('configure', { endpoint: `https://${httpHost}/event`, key, style });
  return { ...app, listens: (to = channel) => app.does('listen', { channel: to }) };
}

/** A bystander, with a client of our own. */
async function listening({ url, ca }: SecureHouse, key: string, channel: string) {
  const client = await openClient(url, { key, ca });
  await client.greet();
  await client.subscribe('s1', channel, key);
  return client;
}

async function call({ world }: House, path: string, key: string) {
  expect((await world.get(path, key)).status).toBe(202);
}

test.each(['apiKey', 'lambda'] as const)('with the key shown as %s, it hears of every change', async style => {
  const house = await aSecureHouse();
  const { world, owner, strange, alarmId } = house;
  const [key, strangersKey] = [await owner.key(), await strange.outsider.key()];
  const [app, stranger] = await Promise.all([application(house, key, style), application(house, strangersKey, style)]);
  expect(await Promise.all([app.listens(), stranger.listens()])).toEqual([null, null]);
  let heard = 0;
  for (const [verb, state] of [
    ['arm', 'away'],
    ['trigger', 'triggered'],
    ['clear', 'away'],
    ['disarm', 'disarmed'],
  ]) {
    await call(house, `/v1/alarm/${alarmId}/${verb}`, key);
    await app.until('heard', ++heard);
    expect((await world.get('/v1/integration/state', key)).body.data.alarms).toMatchObject([{ id: alarmId, state }]);
  }
  await house.console.alarms.updateAlarm({
    alarm: { id: alarmId, version: 1, name: 'Another name' },
    updateMask: { paths: ['name'] },
  });
  await app.until('heard', ++heard);
  expect(app.all('heard')).toEqual([STATE, STATE, STATE, STATE, INVENTORY]);
  await call(house, `/v1/alarm/${strange.alarmId}/arm`, strangersKey);
  await stranger.until('heard', 1);
  expect(stranger.all('heard')).toEqual([STATE]);
});

test('it is back by itself after the facade was started anew in the same place', async () => {
  const house = await aSecureHouse();
  const { owner, alarmId, channel } = house;
  const key = await owner.key();
  const app = await application(house, key);
  expect(await app.listens()).toBe(null);
  await house.close();
  await eventually(() => app.all('state').at(-1) === 'ConnectionDisrupted', { what: 'the loss of the connection' });
  await call(house, `/v1/alarm/${alarmId}/arm`, key);
  await house.open();
  await app.until('granted', 2);
  expect(app.all('granted')).toEqual([channel, channel]);
  expect(app.all('heard')).toEqual([]);
  await call(house, `/v1/alarm/${alarmId}/disarm`, key);
  await app.until('heard', 1);
  expect(app.all('failed')).toEqual([]);
});

test('with a key that is revoked it is cut off at once, hears no more, and is refused when it comes back', async () => {
  // Nobody asks about the keys meanwhile: only word of the revocation can cut it off.
  const house = await aSecureHouse({ recheck: 3_600_000 });
  const { world, owner, alarmId, channel } = house;
  const [{ id, secret }, siblingsKey] = [await owner.keyWithId(), await owner.key()];
  const [app, sibling] = [await application(house, secret), await listening(house, siblingsKey, channel)];
  expect(await app.listens()).toBe(null);
  await call(house, `/v1/alarm/${alarmId}/arm`, siblingsKey);
  await app.until('heard', 1);

  await house.console.apiKeys.revokeApiKey({ apiKeyId: id });
  await eventually(() => app.all('state').at(-1) === 'ConnectionDisrupted', { what: 'the loss of the connection' });
  await app.until('failed', 1);
  expect(app.all('failed')).toEqual(['Connection failed: UnauthorizedException']);
  expect(await app.listens()).toBe('UnauthorizedException');
  const sockets = async () => (await fetch(`${world.url}/metrics`)).text();
  await eventually(async () => /^tocsin_realtime_sockets 1$/m.test(await sockets()), { what: 'only one socket' });

  sibling.messages.length = 0;
  await call(house, `/v1/alarm/${alarmId}/disarm`, siblingsKey);
  await sibling.told({ type: 'data' });
  expect(await app.listens()).toBe('UnauthorizedException');
  expect(app.all('heard')).toEqual([STATE]);
  expect(app.all('granted')).toHaveLength(1);
});

test("it is refused another account's channels, and goes on with its own", async () => {
  const house = await aSecureHouse();
  const { owner, strange, alarmId, channel } = house;
  const [key, strangersKey] = [await owner.key(), await strange.outsider.key()];
  const [bystander, app] = [await listening(house, key, channel), await application(house, strangersKey)];
  expect(await app.listens()).toBe(null);
  for (const other of [channel, `${channel}/alarm/${alarmId}`, '/account/*']) {
    expect(await app.listens(other)).toEqual(expect.stringContaining('UnauthorizedException'));
  }
  expect(app.all('failed')).toHaveLength(3);
  await call(house, `/v1/alarm/${alarmId}/arm`, key);
  await bystander.told({ type: 'data' });
  await call(house, `/v1/alarm/${strange.alarmId}/arm`, strangersKey);
  await app.until('heard', 1);
  expect(app.all('heard')).toEqual([STATE]);
  expect(app.all('granted')).toHaveLength(1);
});

test('it may publish nothing, the owner no more than an outsider', async () => {
  const house = await aSecureHouse();
  const { owner, strange, alarmId, channel } = house;
  const [key, strangersKey] = [await owner.key(), await strange.outsider.key()];
  const [bystander, ...apps] = await Promise.all([
    listening(house, key, channel),
    application(house, key),
    application(house, strangersKey),
  ]);
  for (const app of apps) {
    const event = { channel, event: STATE };
    expect(await app.does('publish', event)).toBe('Publish errors: UnauthorizedException');
    expect(await app.does('post', event)).toBe('Nobody may publish here.');
  }
  await bystander.settled();
  expect(bystander.signals).toEqual([]);
  await call(house, `/v1/alarm/${alarmId}/arm`, key);
  await bystander.told({ type: 'data' });
});

import { expect, test } from 'vitest';
import { consoleOf } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { startWorld, type World } from '../support/world.ts';
import { openClient } from './client.ts';

/* The whole product: what a client hears through the public door, and what it reads when it does (SPEC.md 6). */

async function aHouse(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld({ publicUrl: 'https://alarm.example.com', ...options });
  const [owner, outsider] = [await world.account(), await world.account()];
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const alarmId = await owner.alarm({ modes: { away: { policyId } } });
  return { world, owner, outsider, alarmId };
}

/** A client that follows the recipe of describe, with the key that asked for it. */
async function following(world: World, key: string) {
  const { body } = await world.get('/v1/integration/describe', key);
  const { channel } = body.data.realtime as { channel: string };
  const client = await openClient(world.url, { key });
  await client.greet();
  await client.subscribe('s1', channel, key);
  return client;
}

test('each change is heard, and is readable when it is', async () => {
  const { world, owner, outsider, alarmId } = await aHouse();
  const [key, strangersKey] = [await owner.key(), await outsider.key()];
  const [client, scoped] = [await following(world, key), await following(world, await owner.key(alarmId))];
  const stranger = await following(world, strangersKey);
  for (const [verb, state] of [
    ['arm', 'away'],
    ['trigger', 'triggered'],
    ['clear', 'away'],
    ['disarm', 'disarmed'],
  ]) {
    for (const { messages } of [client, scoped]) messages.length = 0;
    expect((await world.get(`/v1/alarm/${alarmId}/${verb}`, key)).status).toBe(202);
    await client.told({ event: '{"v":"1","kind":"state"}' });
    expect((await world.get('/v1/integration/state', key)).body.data.alarms).toMatchObject([{ id: alarmId, state }]);
    await scoped.told({ event: '{"v":"1","kind":"state"}' });
  }
  await consoleOf(world, world.operator, owner.accountId).alarms.updateAlarm({
    alarm: { id: alarmId, version: 1, name: 'Another name' },
    updateMask: { paths: ['name'] },
  });
  await client.told({ event: '{"v":"1","kind":"inventory"}' });
  expect(JSON.stringify((await world.get('/v1/integration/describe', key)).body.data)).toContain('Another name');
  await stranger.settled();
  expect(stranger.signals).toEqual([]);
});

test('a key for one alarm hears nothing of another', async () => {
  const { world, owner, alarmId } = await aHouse();
  const other = await owner.alarm({ name: 'Barn' });
  const key = await owner.key();
  const [whole, scoped] = [await following(world, key), await following(world, await owner.key(alarmId))];
  await world.get(`/v1/alarm/${other}/arm`, key);
  await whole.told({ type: 'data' });
  await scoped.settled();
  expect(scoped.signals).toEqual([]);
  await world.get(`/v1/alarm/${alarmId}/arm`, key);
  await scoped.told({ type: 'data' });
});

test("nobody listens to somebody else's channel, nor with a key that was revoked while it listened", async () => {
  // Nobody asks about the keys meanwhile: only word of the revocation can end a socket.
  const { world, owner, outsider, alarmId } = await aHouse({ recheckMs: 3_600_000 });
  const { id, secret } = await owner.keyWithId();
  const [client, sibling] = [await following(world, secret), await following(world, await owner.key())];
  const strangersKey = await outsider.key();
  const stranger = await following(world, strangersKey);
  for (const channel of [`/account/${owner.accountId}`, `/account/${owner.accountId}/alarm/${alarmId}`]) {
    stranger.say({ type: 'subscribe', id: 'own', channel, authorization: { Authorization: strangersKey } });
    const refused = await stranger.told({ type: 'subscribe_error', id: 'own' });
    expect(refused.errors?.[0]?.errorType).toBe('UnauthorizedException');
    stranger.messages.length = 0;
  }

  await consoleOf(world, world.operator, owner.accountId).apiKeys.revokeApiKey({ apiKeyId: id });
  expect((await client.end()).code).toBe(4401);
  const again = await openClient(world.url, { key: secret });
  again.say({ type: 'connection_init' });
  await again.told({ type: 'connection_error' });
  await world.get(`/v1/alarm/${alarmId}/arm`, await owner.key());
  await sibling.told({ type: 'data' });
  expect(client.signals).toEqual([]);
  expect(stranger.signals).toEqual([]);
});

test('the sockets of a world show in its metrics', async () => {
  const { world, owner } = await aHouse();
  await following(world, await owner.key());
  const text = await (await fetch(`${world.url}/metrics`)).text();
  for (const name of ['sockets 1', 'subscriptions 1', 'accounts 1'])
    expect(text).toContain(`tocsin_realtime_${name}\n`);
  expect(text).not.toContain(owner.accountId);
  await eventually(async () => (await fetch(`${world.url}/readyz`)).status === 200, { what: 'readiness' });
});

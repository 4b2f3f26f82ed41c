import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createKeyUses } from '../../services/engine/accept/key-uses.ts';
import { newOwner } from '../support/console.ts';
import { expectInTime } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

async function aKey() {
  const world = await startWorld();
  const { console: own } = await newOwner(world);
  await own.locations.createLocation({ location: { name: 'Home' } });
  const { alarm } = await own.alarms.createAlarm({ alarm: { name: 'House', locationId: 'home' } });
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const call = (path: string, agent: string) =>
    fetch(world.url + path, { headers: { 'x-api-key': secret, 'user-agent': agent } });
  const used = async () => {
    await world.settle();
    const { apiKey } = await own.apiKeys.getApiKey({ apiKeyId: 'camera' });
    const { lastUsedAt, lastUsedAddress, lastUsedAgent } = apiKey!;
    return [lastUsedAt === undefined ? null : Number(lastUsedAt.seconds), lastUsedAddress, lastUsedAgent];
  };
  const now = async () => {
    const [row] = await world.rows<{ at: number }>('SELECT extract(epoch FROM tocsin_now())::int AS at');
    return row!.at;
  };
  return { world, own, arm: `/v1/alarm/${alarm!.id}/arm`, call, used, now };
}

test('a key says when, from where and by what it was last used, at most once a minute', async () => {
  const { world, arm, call, used, now } = await aKey();
  expect(await used()).toEqual([null, '', '']);
  const first = await now();
  await call(arm, 'Camera/1.0 (a model)');
  expect(await used()).toEqual([first, '127.0.0.1', 'Camera/1.0 (a model)']);
  await world.advance(59);
  await call('/v1/integration/state', 'Another/2');
  expect(await used()).toEqual([first, '127.0.0.1', 'Camera/1.0 (a model)']);
  await world.advance(1);
  await call('/v1/integration/state', 'Another/2');
  expect(await used()).toEqual([first + 60, '127.0.0.1', 'Another/2']);
});

test('a refused call with a good key counts as its use; one with a revoked key does not', async () => {
  const { world, own, call, used, now } = await aKey();
  const missing = `/v1/alarm/${'a'.repeat(32)}/trigger`;
  const at = await now();
  expect((await call(missing, 'x'.repeat(500))).status).toBe(404);
  expect(await used()).toEqual([at, '127.0.0.1', 'x'.repeat(200)]);
  await world.advance(120);
  await own.apiKeys.revokeApiKey({ apiKeyId: 'camera' });
  expect((await call(missing, 'thief')).status).toBe(401);
  expect(await used()).toEqual([at, '127.0.0.1', 'x'.repeat(200)]);
});

test('the uses of 10,000 keys at once are written, and quickly', async () => {
  const world = await startWorld();
  const [owner, outsider] = [await world.account(), await world.account()];
  const { id: theirs } = await outsider.keyWithId();
  await world.rows(
    `INSERT INTO api_key (account_id, id, key, label, version)
     SELECT $1, 'k' || n, 'k' || n, 'A key', 1 FROM generate_series(1, 9999) n`,
    [owner.accountId],
  );
  // As it comes about by itself when a table has grown.
  await world.rows('ANALYZE api_key');
  const keyUses = createKeyUses(world.store.pool, pino({ level: 'silent' }));
  const from = () => ({ address: '192.0.2.1', agent: 'a panel' });
  for (let n = 1; n <= 9_999; n++) keyUses.note({ accountId: owner.accountId, keyId: `k${n}` }, from);
  keyUses.note({ accountId: outsider.accountId, keyId: theirs }, from);
  const began = performance.now();
  await keyUses.flush();
  expect(await world.rows('SELECT count(last_used_at)::int AS used FROM api_key')).toEqual([{ used: 10_000 }]);
  expectInTime(performance.now() - began, 4_000);
});

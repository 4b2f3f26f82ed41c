import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { createKeyUses } from '../../services/engine/accept/key-uses.ts';
import { newOwner } from '../support/console.ts';
import { expectInTime } from '../support/wait.ts';
import { startWorld, type WorldOptions } from '../support/world.ts';

async function aKey(options: WorldOptions = {}) {
  const world = await startWorld(options);
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

test('the life of a supervised key is written at most every quarter of that, and what is earlier later, with its own time', async () => {
  const { world, own, call, now } = await aKey();
  const { apiKey } = await own.apiKeys.getApiKey({ apiKeyId: 'camera' });
  const supervised = { id: apiKey!.id, version: apiKey!.version, supervisionS: 240 };
  await own.apiKeys.updateApiKey({ apiKey: supervised, updateMask: { paths: ['supervision_s'] } });
  const alive = async () => {
    await world.settle();
    return Number((await own.apiKeys.getApiKey({ apiKeyId: 'camera' })).apiKey!.aliveAt?.seconds);
  };
  const first = await now();
  await call('/v1/integration/state', 'Camera/1.0');
  expect(await alive()).toBe(first);
  await world.advance(40);
  await call('/v1/integration/state', 'Camera/1.0');
  expect(await alive()).toBe(first);
  await world.advance(19);
  expect(await alive()).toBe(first);
  await world.advance(1);
  expect(await alive()).toBe(first + 40);
});

test('a gap in which nobody could call, as no process said that it accepts calls, is not counted', async () => {
  const { world, call } = await aKey({ clock: 'settable' });
  const gaps = async () => {
    await call('/v1/integration/state', 'Camera/1.0');
    await world.settle();
    const [key] = await world.rows<{ gaps: number[] | null }>('SELECT gaps FROM api_key');
    return (key!.gaps ?? []).reduce((all, times) => all + times, 0);
  };
  // Long ago another server took the database over.
  await world.rows("UPDATE takeover SET at = tocsin_now() - interval '30 days'");
  await world.advance(10);
  expect(await gaps()).toBe(0);
  for (let at = 0; at < 120; at += 10) await world.advance(10);
  expect(await gaps()).toBe(1);
  await world.standStill(3_600);
  expect(await gaps()).toBe(1);
});

test('a life that could not be written is written once the database takes it', async () => {
  const { world, call, used, now } = await aKey();
  const at = await now();
  await world.rows('ALTER TABLE api_key RENAME COLUMN gaps TO gone');
  await call('/v1/integration/state', 'Camera/1.0');
  await world.settle();
  await world.rows('ALTER TABLE api_key RENAME COLUMN gone TO gaps');
  expect(await used()).toEqual([at, '127.0.0.1', 'Camera/1.0']);
});

test('a read that is told to wait, because its account reads too much, shows that its sender lives too', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const owner = await world.account();
  const keys = await Promise.all([1, 2, 3, 4, 5].map(() => owner.key()));
  const { id, secret } = await owner.keyWithId();
  const read = (key: string) => world.get('/v1/integration/state', key);
  await Promise.all(keys.map(read));
  // No time passes in which the account may read more.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  for (const key of keys) await Promise.all(Array.from({ length: 90 }, () => read(key)));
  const { status } = await read(secret);
  time.mockRestore();
  expect(status).toBe(429);
  await world.settle();
  expect(await world.rows('SELECT alive_at IS NOT NULL AS alive FROM api_key WHERE id = $1', [id])).toEqual([
    { alive: true },
  ]);
});

test('neither the use of a key nor its silence is a change of its account', async () => {
  const { world, own, call } = await aKey();
  const { apiKey } = await own.apiKeys.getApiKey({ apiKeyId: 'camera' });
  const supervised = { id: apiKey!.id, version: apiKey!.version, supervisionS: 120 };
  await own.apiKeys.updateApiKey({ apiKey: supervised, updateMask: { paths: ['supervision_s'] } });
  await world.settle();
  const versions = () => world.rows('SELECT account_id, version FROM account_version ORDER BY account_id');
  const key = async () => (await own.apiKeys.getApiKey({ apiKeyId: 'camera' })).apiKey!;
  const before = await versions();
  expect(before).not.toEqual([]);
  await call('/v1/integration/state', 'Camera/1.0');
  await world.settle();
  expect((await key()).aliveAt).toBeDefined();
  for (let at = 0; at < 240; at += 30) await world.advance(30);
  expect((await key()).silentSince).toBeDefined();
  expect(await versions()).toEqual(before);
});

test('of more sockets than are written at once each one shows that its sender lives', async () => {
  const world = await startWorld();
  const owner = await world.account();
  await world.rows(
    `INSERT INTO api_key (account_id, id, key, label, version)
     SELECT $1, 'k' || n, 'k' || n, 'A key', 1 FROM generate_series(1, 12000) n`,
    [owner.accountId],
  );
  await world.rows('ANALYZE api_key');
  const keyUses = createKeyUses(world.store.pool, pino({ level: 'silent' }));
  for (let n = 1; n <= 12_000; n++) keyUses.answered({ accountId: owner.accountId, keyId: `k${n}` });
  await keyUses.close();
  expect(await world.rows('SELECT count(alive_at)::int AS alive FROM api_key')).toEqual([{ alive: 12_000 }]);
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

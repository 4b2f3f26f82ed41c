import { Code, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { subjects } from '../../../services/changes/bus.ts';
import { connectNatsBus } from '../../../services/changes/nats.ts';
import { newSecret } from '../../../services/store/secret.ts';
import { consoleOf } from '../../support/console.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld, type World } from '../../support/world.ts';
import { fault } from '../incident/incident-rig.ts';
import { inventoryOf, withKey } from './realtime-rig.ts';

/* InventoryService.WatchChanges: the signals of the socket for services that speak RPC (SPEC.md 6). */

const EVERYTHING = [
  { kind: 'inventory', alarmId: '' },
  { kind: 'state', alarmId: '' },
];

/** A watch with this key, and what it tells next. */
function watching(world: World, key: string, client = inventoryOf(world)) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const told = client.watchChanges({}, { ...withKey(key), signal: gone.signal })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await told.next();
    if (done) throw new Error('The watch ended.');
    const { kind, alarmId } = value.change!;
    return { kind, alarmId };
  };
  return { next, begun: async () => [await next(), await next()], leave: () => gone.abort() };
}

/** Ends a key without a word to anybody, as where the signal of its end is lost. */
async function revokeSilently(world: World, accountId: string, keyId: string): Promise<void> {
  await world.rows('UPDATE api_key SET revoked_at = tocsin_now() WHERE account_id = $1 AND id = $2', [
    accountId,
    keyId,
  ]);
}

async function aHouse(options: Parameters<typeof startWorld>[0] = {}) {
  const world = await startWorld(options);
  const [owner, outsider] = [await world.account(), await world.account()];
  const [alarmId, otherAlarmId] = [await owner.alarm(), await owner.alarm()];
  const key = await owner.key();
  const arm = async (id: string) => {
    await world.get(`/v1/alarm/${id}/arm`, key);
    await world.settle();
  };
  return { world, owner, outsider, alarmId, otherAlarmId, key, arm };
}

describe('WatchChanges', () => {
  test.each([
    'Connect',
    'gRPC',
  ])('%s: everything first, then what changed, and it ends when the server does', async protocol => {
    const { world, alarmId, key, arm } = await aHouse();
    const grpc = createClient(InventoryService, createGrpcTransport({ baseUrl: world.rpcUrl }));
    const { next, begun } = watching(world, key, protocol === 'gRPC' ? grpc : undefined);
    expect(await begun()).toEqual(EVERYTHING);
    await arm(alarmId);
    expect(await next()).toEqual({ kind: 'state', alarmId });
    const ended = fault(next());
    await world.services.close();
    expect((await ended).code).toBe(Code.Unavailable);
  });

  test('a key for one alarm hears that one and what is not about one; an outsider hears nothing of it', async () => {
    const { world, owner, outsider, alarmId, otherAlarmId, arm } = await aHouse();
    const scoped = watching(world, await owner.key(alarmId));
    const stranger = watching(world, await outsider.key());
    expect([await scoped.begun(), await stranger.begun()]).toEqual([EVERYTHING, EVERYTHING]);
    await arm(otherAlarmId);
    await arm(alarmId);
    expect(await scoped.next()).toEqual({ kind: 'state', alarmId });
    await arm(otherAlarmId);
    const { locations } = consoleOf(world, world.operator, owner.accountId);
    await locations.createLocation({ location: { name: 'Shop' } });
    expect(await scoped.next()).toEqual({ kind: 'inventory', alarmId: '' });
    await consoleOf(world, world.operator, outsider.accountId).locations.createLocation({ location: { name: 'Far' } });
    expect(await stranger.next()).toEqual({ kind: 'inventory', alarmId: '' });
  });

  test('much at once is told in bundles, and the last is told', async () => {
    const { world, owner, alarmId, key } = await aHouse();
    const { next, begun } = watching(world, key);
    await begun();
    const publish = (kind: string, id: string) =>
      world.bus.publish(subjects.change(owner.accountId), { kind, alarmId: id });
    for (let n = 0; n < 500; n++) publish('state', `${n}`.padStart(32, 'a'));
    publish('state', alarmId);
    expect(await next()).toEqual({ kind: 'state', alarmId: '' });
    publish('state', alarmId);
    publish('inventory', '');
    expect([await next(), await next()]).toEqual([
      { kind: 'state', alarmId },
      { kind: 'inventory', alarmId: '' },
    ]);
  });

  test('a message on the bus that is no signal is ignored', async () => {
    const { world, owner, alarmId, key } = await aHouse();
    const { next, begun } = watching(world, key);
    await begun();
    for (const payload of [undefined, null, 'state', 7, [], {}, { kind: 'nonsense' }, { kind: 'state', alarmId: 5 }]) {
      world.bus.publish(subjects.change(owner.accountId), payload);
    }
    world.bus.publish(subjects.change(owner.accountId), { kind: 'state', alarmId });
    expect(await next()).toEqual({ kind: 'state', alarmId });
  });

  test('when NATS was away everything is told once it is back; a watch that began meanwhile does not wait for it', async () => {
    const server = await startNatsServer();
    onTestFinished(() => server.stop());
    const bus = await connectNatsBus({ servers: server.url, log: pino({ level: 'silent' }) });
    const { world, alarmId, key, arm } = await aHouse({ bus });
    const before = watching(world, key);
    expect(await before.begun()).toEqual(EVERYTHING);
    await server.kill();
    await eventually(() => !bus.connected, { what: 'the loss to be noticed' });
    await arm(alarmId);
    const meanwhile = watching(world, key);
    expect(await meanwhile.begun()).toEqual(EVERYTHING);
    await server.restart();
    for (const { begun } of [before, meanwhile]) expect(await begun()).toEqual(EVERYTHING);
  });

  test('a key that is revoked or rotated away is told nothing more: the stream ends UNAUTHENTICATED at once', async () => {
    const { world, owner } = await aHouse();
    const own = consoleOf(world, world.operator, owner.accountId);
    const ends = {
      revoked: () => own.apiKeys.revokeApiKey({ apiKeyId: 'revoked' }),
      rotated: () => own.apiKeys.rotateApiKey({ apiKeyId: 'rotated', overlapS: 0 }),
    };
    for (const [label, end] of Object.entries(ends)) {
      const { secret } = await own.apiKeys.createApiKey({ apiKey: { label } });
      const silent = await owner.keyWithId();
      const [told, untold] = [watching(world, secret), watching(world, silent.secret)];
      await Promise.all([told.begun(), untold.begun()]);
      const ended = fault(told.next());
      const foundOut = fault(untold.next()).then(() => 'found out by itself');
      // Ended before, but nobody says so: its stream finds out when it looks for itself.
      await revokeSilently(world, owner.accountId, silent.id);
      await end();
      expect(await Promise.race([ended.then(({ code }) => code), foundOut])).toBe(Code.Unauthenticated);
    }
  });

  test('a key whose end nobody signalled is found out by itself', async () => {
    const { world, owner } = await aHouse();
    const { id, secret } = await owner.keyWithId();
    const { next, begun } = watching(world, secret);
    await begun();
    await revokeSilently(world, owner.accountId, id);
    expect((await fault(next())).code).toBe(Code.Unauthenticated);
  });

  test('a bad key hears nothing at all', async () => {
    const { world } = await aHouse();
    for (const key of ['', newSecret('toc'), world.operator]) {
      expect((await fault(watching(world, key).next())).code).toBe(Code.Unauthenticated);
    }
  });
});

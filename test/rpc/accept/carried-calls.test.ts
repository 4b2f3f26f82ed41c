import { create, toBinary } from '@bufbuild/protobuf';
import { Code, createClient, type ServiceImpl } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFacade } from '../../../facade/app.ts';
import { createServicesTransport } from '../../../facade/rpc/transport.ts';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../../gen/grpc/health/v1/health_pb.ts';
import { BatchService } from '../../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { createHealthPages } from '../../../services/process/health-pages.ts';
import { createBatchService } from '../../../services/rpc/batch.ts';
import { implementation } from '../../../services/rpc/boundary.ts';
import type { Implementation } from '../../../services/rpc/direct.ts';
import { createDirectTransport } from '../../../services/rpc/direct.ts';
import { serveRpc } from '../../../services/rpc/port.ts';
import { facadeConfig } from '../../support/facade-config.ts';
import { startWorld } from '../../support/world.ts';
import { fault } from '../incident/incident-rig.ts';

/* The way of calls between processes: all of a turn in one RPC, and nobody sees it. */

const log = pino({ level: 'silent' });

/** A transport to these processes; it ends with the test. */
function transportTo(...urls: string[]) {
  const { transport, close } = createServicesTransport(urls, null, log);
  onTestFinished(close);
  return transport;
}

/** A process that serves this, with the size of every batch that came. */
async function aProcess({ check }: Pick<ServiceImpl<typeof Health>, 'check'>) {
  // Streams are not carried.
  const implementations: Implementation[] = [implementation(Health, { check, async *watch() {} })];
  const real = createBatchService(createDirectTransport(implementations), implementations, log);
  const sizes: number[] = [];
  const counting = implementation(BatchService, {
    callAll(request, context) {
      sizes.push(request.calls.length);
      return real.callAll(request, context);
    },
  });
  const rpc = await serveRpc({
    host: '127.0.0.1',
    port: 0,
    gate: async () => {},
    health: createHealthPages(async () => true),
    metrics: 'here',
    trustedProxies: [],
    implementations: [...implementations, counting],
    log,
  });
  onTestFinished(rpc.close);
  return { url: rpc.url, sizes, close: rpc.close };
}

test('a facade in another process answers what one in the same process does: receipts, refusals, reads, headers', async () => {
  const world = await startWorld({ publicUrl: 'https://alarm.example.com:8443' });
  const [owner, outsider] = [await world.account(), await world.account()];
  const alarmId = await owner.alarm();
  const facade = await startFacade({
    transport: transportTo(world.rpcUrl),
    config: facadeConfig(),
    log,
  });
  onTestFinished(facade.close);
  const seen = async (url: string, path: string, key: string) => {
    const response = await fetch(url + path, { headers: { 'x-api-key': key } });
    const { traceId, ...body } = (await response.json()) as Record<string, unknown>;
    const text = JSON.stringify(body).replace(/http:\/\/localhost:\d+/, 'URL');
    return { status: response.status, cache: response.headers.get('cache-control'), text, traceId: typeof traceId };
  };
  const paths = [
    `/v1/alarm/${alarmId}/arm`,
    `/v1/alarm/${alarmId}/arm/nonsense`,
    `/v1/alarm/${alarmId}/trigger/night`,
    `/v1/panic/${alarmId}/trigger`,
    '/v1/integration/describe',
    '/v1/integration/state',
    '/v1/nothing',
  ];
  for (const key of [await owner.key(), await outsider.key(), 'nonsense']) {
    for (const path of paths) {
      const apart = await seen(facade.url, path, key);
      await world.settle();
      expect(apart, path).toEqual(await seen(world.url, path, key));
    }
  }
  const { text } = await seen(facade.url, '/v1/integration/describe', await owner.key(alarmId));
  expect(JSON.parse(text).data.realtime).toEqual({
    httpHost: 'alarm.example.com:8443',
    realtimeHost: 'alarm.example.com:8443',
    channel: `/account/${owner.accountId}/alarm/${alarmId}`,
  });
  expect((await fetch(`${facade.url}/readyz`)).status).toBe(200);
});

test('all calls of a turn go in one RPC, and none waits for another', async () => {
  let release = () => {};
  const slow = new Promise<void>(resolve => {
    release = resolve;
  });
  const there = await aProcess({
    async check({ service }) {
      if (service === 'slow') await slow;
      return { status: Serving.SERVING };
    },
  });
  const client = createClient(Health, transportTo(there.url));
  let slowAnswer = 'waits';
  const waiting = client.check({ service: 'slow' }).then(() => {
    slowAnswer = 'came';
  });
  await Promise.all(Array.from({ length: 30 }, (_, n) => client.check({ service: `${n}` })));
  expect(there.sizes).toEqual([31]);
  expect(slowAnswer).toBe('waits');
  release();
  await waiting;
  await Promise.all(Array.from({ length: 1_200 }, () => client.check({})));
  expect(there.sizes).toEqual([31, 500, 500, 200]);
});

test('a call that takes too long ends DEADLINE_EXCEEDED, and the process is asked again', async () => {
  const there = await aProcess({
    check: ({ service }) => (service === 'never' ? new Promise<never>(() => {}) : { status: Serving.SERVING }),
  });
  const client = createClient(Health, transportTo(there.url));
  expect((await fault(client.check({ service: 'never' }, { timeoutMs: 50 }))).code).toBe(Code.DeadlineExceeded);
  expect((await client.check({}, { timeoutMs: 5_000 })).status).toBe(Serving.SERVING);
});

test('a process that stops answers what it has, and takes nothing more', async () => {
  const [came, slow] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const there = await aProcess({
    async check() {
      came.resolve();
      await slow.promise;
      return { status: Serving.SERVING };
    },
  });
  const client = createClient(Health, transportTo(there.url));
  const answer = client.check({});
  await came.promise;
  const closed = there.close();
  expect((await fault(client.check({}))).code).toBe(Code.Unavailable);
  slow.resolve();
  expect((await answer).status).toBe(Serving.SERVING);
  await closed;
});

describe('of several processes', () => {
  test('each turn goes to the next, and one that is gone is passed over without a failed call', async () => {
    const asked = [0, 0];
    const [one, two] = await Promise.all(
      [0, 1].map(at =>
        aProcess({
          check() {
            asked[at]! += 1;
            return { status: Serving.SERVING };
          },
        }),
      ),
    );
    const client = createClient(Health, transportTo(one!.url, two!.url));
    for (let n = 0; n < 10; n++) await client.check({});
    expect(asked).toEqual([5, 5]);
    await one!.close();
    for (let n = 0; n < 10; n++) expect((await client.check({})).status).toBe(Serving.SERVING);
    expect(asked[1]).toBe(15);
  });

  test('one that is there and cannot take a call is passed over for that call; with none left it is UNAVAILABLE', async () => {
    const refusing = await aProcess({
      check() {
        throw new TypeError('a fault that nobody foresaw');
      },
    });
    const gone = await aProcess({ check: () => ({ status: Serving.SERVING }) });
    await gone.close();
    const there = await aProcess({ check: () => ({ status: Serving.SERVING }) });
    const client = createClient(Health, transportTo(gone.url, there.url));
    expect((await client.check({})).status).toBe(Serving.SERVING);

    const nobody = await fault(createClient(Health, transportTo(gone.url)).check({}));
    expect([nobody.code, nobody.rawMessage]).toEqual([Code.Unavailable, 'The services cannot be reached.']);
    const ours = await fault(createClient(Health, transportTo(refusing.url)).check({}));
    expect([ours.code, ours.rawMessage]).toEqual([Code.Internal, 'Something went wrong on our side.']);
  });
});

test('what is no call, or too many, is refused, each for itself', async () => {
  const world = await startWorld();
  const batch = createClient(BatchService, createGrpcTransport({ baseUrl: world.rpcUrl }));
  const call = (service: string, method: string, request = new Uint8Array()) => ({ service, method, request });
  const asked = [
    call('nonsense', 'Nonsense'),
    call(InventoryService.typeName, 'Nonsense'),
    call(InventoryService.typeName, 'WatchChanges'),
    call(BatchService.typeName, 'CallAll'),
    call(InventoryService.typeName, 'GetState'),
    call(Health.typeName, 'Check', Uint8Array.from([0xff, 0xff, 0xff])),
    call(Health.typeName, 'Check', toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, {}))),
  ];
  const codes = new Map<number, string>();
  for await (const { answers } of batch.callAll({ calls: asked })) {
    for (const { place, result } of answers) {
      codes.set(place, result.case === 'error' ? Code[result.value.code]! : `${result.case}`);
    }
  }
  expect([...codes].sort(([a], [b]) => a - b).map(([, code]) => code)).toEqual([
    ...Array.from({ length: 4 }, () => 'Unimplemented'),
    'Unauthenticated',
    'InvalidArgument',
    'response',
  ]);

  const tooMany = Array.from({ length: 1_001 }, () => call(Health.typeName, 'Check'));
  const refused = await fault(batch.callAll({ calls: tooMany })[Symbol.asyncIterator]().next());
  expect([refused.code, refused.rawMessage]).toEqual([Code.InvalidArgument, 'calls takes at most 1000, got 1001.']);
});

import { connect } from 'node:http2';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFacade } from '../../../facade/app.ts';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus as Serving,
} from '../../../gen/grpc/health/v1/health_pb.ts';
import { BatchService, type CarryRequestSchema } from '../../../gen/tocsin/internal/v1/batch_pb.ts';
import { InventoryService } from '../../../gen/tocsin/inventory/v1/inventory_pb.ts';
import type { RpcGate } from '../../../services/rpc/gate.ts';
import { facadeConfig } from '../../support/facade-config.ts';
import { expectInTime } from '../../support/wait.ts';
import { startWorld } from '../../support/world.ts';
import { fault } from '../incident/incident-rig.ts';
import { aLine, aProcess, log, SERVING, transportTo } from './carried-rig.ts';

/* The way of calls between processes: all on one stream, and nobody sees it. */

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

test('all calls go on one stream, those of a turn in one message, and none waits for another', async () => {
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
  expect(there.streams()).toBe(1);
});

test('a large request has a stream of its own, so that nobody waits until it is sent', async () => {
  const there = await aProcess({
    check: ({ service }) => ({ status: service === '' ? Serving.NOT_SERVING : Serving.SERVING }),
  });
  const client = createClient(Health, transportTo(there.url));
  // As large as a file of the console may be.
  const large = 'x'.repeat(4 * 1024 * 1024);
  const services = ['', large, '', large, large, large, large, ''];
  const answers = await Promise.all(services.map(service => client.check({ service })));
  expect(answers.map(({ status }) => status)).toEqual(
    services.map(service => (service === '' ? Serving.NOT_SERVING : Serving.SERVING)),
  );
  expect(there.sizes.toSorted()).toEqual([1, 1, 1, 1, 1, 3]);
  expect(there.streams()).toBe(6);
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

test('the stream of calls is open for as long as it is used, however long a request may take', async () => {
  const there = await aProcess(SERVING, { headers: 50, request: 50 });
  const client = createClient(Health, transportTo(there.url));
  await client.check({});
  // A request that is never there as a whole, begun after that stream, is ended in that time.
  const session = connect(there.url);
  const request = session.request({
    ':method': 'POST',
    ':path': `/${Health.typeName}/Check`,
    'content-type': 'application/grpc',
  });
  await new Promise(resolve => request.on('error', () => {}).once('close', resolve));
  session.destroy();
  await client.check({});
  expect(there.streams()).toBe(1);
});

test('whoever may not open it is refused and ended at once, also with their side open', async () => {
  const refusing: RpcGate = async ({ service }) => {
    if (service === BatchService) throw new ConnectError('Not for you.', Code.Unauthenticated);
  };
  const there = await aProcess(SERVING, {}, refusing);
  const session = connect(there.url);
  const request = session.request({
    ':method': 'POST',
    ':path': `/${BatchService.typeName}/Carry`,
    'content-type': 'application/grpc',
  });
  const trailers = await new Promise<Record<string, unknown>>(resolve => {
    request
      .on('error', () => {})
      .once('trailers', resolve)
      .resume();
  });
  expect(trailers['grpc-status']).toBe(`${Code.Unauthenticated}`);
  await new Promise(resolve => request.once('close', resolve));
  session.destroy();
});

describe('of several processes', () => {
  test('one that falls silent is given up within 2 s, and its calls are answered by the others', async () => {
    const [one, other] = [await aProcess(SERVING), await aProcess(SERVING)];
    const line = await aLine(one.url);
    const client = createClient(Health, transportTo(line.url, other.url));
    for (let n = 0; n < 4; n++) await client.check({});
    expect([one.sizes.length, other.sizes.length]).toEqual([2, 2]);
    line.fallSilent();
    const began = performance.now();
    for (let n = 0; n < 4; n++) expect((await client.check({})).status).toBe(Serving.SERVING);
    expectInTime(performance.now() - began, 2_000, 'to go round a silent process');
    expect(other.sizes.length).toBe(6);
  });

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

/** The answers to one message, by the places of its calls: the code of a refusal, or `answered`. */
async function answersTo(rpcUrl: string, calls: MessageInitShape<typeof CarryRequestSchema>) {
  const batch = createClient(BatchService, createGrpcTransport({ baseUrl: rpcUrl }));
  const codes = new Map<number, string>();
  for await (const { answered, errors } of batch.carry(only(calls))) {
    for (const call of answered) codes.set(call, 'answered');
    for (const { call, code } of errors) codes.set(call, Code[code]!);
  }
  return [...codes].sort(([a], [b]) => a - b).map(([, code]) => code);
}

async function* only<T>(value: T) {
  yield value;
}

test('what is no call, or too many, is refused, each for itself', async () => {
  const { rpcUrl } = await startWorld();
  const methods = [
    'nonsense/Nonsense',
    `${InventoryService.typeName}/Nonsense`,
    `${InventoryService.typeName}/WatchChanges`,
    `${BatchService.typeName}/Carry`,
    `${InventoryService.typeName}/GetState`,
    `${Health.typeName}/Check`,
  ];
  const check = toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, {}));
  const request = [...Array.from({ length: 6 }, () => new Uint8Array()), Uint8Array.from([0xff, 0xff, 0xff]), check];
  const method = [0, 1, 2, 3, 99, 4, 5, 5];
  const timeoutMs = method.map(() => 0);
  expect(await answersTo(rpcUrl, { methods, method, request, timeoutMs })).toEqual([
    ...Array.from({ length: 5 }, () => 'Unimplemented'),
    'Unauthenticated',
    'InvalidArgument',
    'answered',
  ]);

  const many = (length: number) => ({
    methods: [`${Health.typeName}/Check`],
    method: Array.from({ length }, () => 0),
    request: Array.from({ length }, () => check),
    timeoutMs: Array.from({ length }, () => 0),
  });
  const refusals: [MessageInitShape<typeof CarryRequestSchema>, string][] = [
    [many(1_001), 'method takes at most 1000, got 1001.'],
    [{ ...many(2), request: [check] }, 'request takes 2, one for each call, got 1.'],
    [{ ...many(2), timeoutMs: [] }, 'timeout_ms takes 2, one for each call, got 0.'],
    [{ ...many(2), metadata: [{ name: 'x-api-key', values: ['a'] }] }, 'x-api-key takes 2, one for each call, got 1.'],
  ];
  for (const [calls, sentence] of refusals) {
    const refused = await fault(answersTo(rpcUrl, calls));
    expect([refused.code, refused.rawMessage]).toEqual([Code.InvalidArgument, sentence]);
  }
});

test('calls are numbered by their sender, over the end of the numbers too', async () => {
  const { rpcUrl } = await startWorld();
  const calls = {
    first: 4_294_967_295,
    methods: [`${Health.typeName}/Check`],
    method: [0, 0],
    request: [new Uint8Array(), new Uint8Array()],
    timeoutMs: [0, 0],
  };
  const batch = createClient(BatchService, createGrpcTransport({ baseUrl: rpcUrl }));
  const numbers: number[] = [];
  for await (const { answered } of batch.carry(only(calls))) numbers.push(...answered);
  expect(numbers.sort()).toEqual([0, 4_294_967_295]);
});

test('a refusal keeps its metadata, such as when to come back', async () => {
  const there = await aProcess({
    check() {
      throw new ConnectError('Too many calls.', Code.ResourceExhausted, { 'retry-after': '17' });
    },
  });
  const refused = await fault(createClient(Health, transportTo(there.url)).check({}));
  expect([refused.code, refused.metadata.get('retry-after')]).toEqual([Code.ResourceExhausted, '17']);
});

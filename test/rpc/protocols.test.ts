import { connect } from 'node:net';
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  fromBinary,
  type Message,
  toBinary,
} from '@bufbuild/protobuf';
import { Code, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { credentials, Metadata, makeGenericClientConstructor, type ServiceError, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { RefusalSchema } from '../../gen/tocsin/common/v1/common_pb.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { encodeGrpcMessage } from '../../services/rpc/grpc-message.ts';
import { startWorld } from '../support/world.ts';
import { fault } from './incident/incident-rig.ts';

test('a gRPC client of another maker arms, triggers, reads the state and is refused, on the one RPC port', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  const outsider = await world.account();
  const alarms = grpcClient(world.rpcUrl, AlarmService);
  const inventory = grpcClient(world.rpcUrl, InventoryService);
  const key = await owner.key();

  const armed = await alarms.call('arm', { alarmId, modeId: 'night' }, { 'x-api-key': key });
  expect(armed).toMatchObject({ environment: 'live', location: { id: owner.locationId, name: 'Home' } });
  await world.settle();
  const { alarms: states } = await inventory.call('getState', {}, { 'x-api-key': key });
  expect(states).toMatchObject([{ id: alarmId, state: 'night' }]);

  await expect(alarms.call('trigger', { alarmId }, {})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
  const foreign = alarms.call('trigger', { alarmId }, { 'x-api-key': await outsider.key() });
  await expect(foreign).rejects.toMatchObject({ code: status.NOT_FOUND });
  alarms.close();
  inventory.close();
});

const transports: [string, (baseUrl: string) => Transport][] = [
  ['Connect over HTTP/1.1', baseUrl => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
  ['Connect over HTTP/2', baseUrl => createConnectTransport({ baseUrl, httpVersion: '2' })],
  ['gRPC', baseUrl => createGrpcTransport({ baseUrl })],
  ['gRPC-Web over HTTP/1.1', baseUrl => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC-Web over HTTP/2', baseUrl => createGrpcWebTransport({ baseUrl, httpVersion: '2' })],
];

test.each(
  transports,
)('%s: receipts, refusals with their detail, and health come through the same port', async (_, make) => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  const headers = { 'x-api-key': await owner.key() };
  const transport = make(world.rpcUrl);
  const alarms = createClient(AlarmService, transport);

  expect((await alarms.trigger({ alarmId }, { headers })).environment).toBe('live');
  const unknown = await fault(alarms.trigger({ alarmId, modeId: 'x'.repeat(100) }, { headers }));
  expect(unknown.code).toBe(Code.NotFound);
  expect(unknown.findDetails(RefusalSchema)).toMatchObject([{ reason: 'unknown_mode', mode: 'x'.repeat(64) }]);
  const health = await createClient(Health, transport).check({ service: AlarmService.typeName });
  expect(health.status).toBe(Serving.SERVING);
});

test('a refusal reads the same, whoever decodes its grpc-message', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  const headers = { 'x-api-key': await owner.key() };
  const asked: [object, string][] = [
    [{ alarmId, modeId: 'Nächte, 100 %25 – "bald"? #1/2;a=b&c+d@e:f' }, 'Unknown mode'],
    [{ alarmId: 'nowhere' }, 'ID not found, or'],
    [{ alarmId, modeId: 'night shift 日本' }, 'night shift'],
  ];
  const alarms = grpcClient(world.rpcUrl, AlarmService);
  for (const [request, words] of asked) {
    const fromOther = await alarms.call('trigger', request, headers).then(
      () => expect.fail(),
      error => error.details,
    );
    const told = await Promise.all(
      transports.map(
        async ([, make]) =>
          (await fault(createClient(AlarmService, make(world.rpcUrl)).trigger(request, { headers }))).rawMessage,
      ),
    );
    expect(told[0]).toContain(words);
    expect([fromOther, ...told]).toEqual(Array(1 + told.length).fill(told[0]));
  }
  alarms.close();
});

test.each([
  '50 %, "a" #?/&=+@;:',
  'ä\n\t\u{1f525}',
  '%2C%',
  ' at the edges ',
  '',
])('the message %j is encoded as gRPC has it: what is printable stays, and every rule of decoding gives it back', text => {
  const encoded = encodeGrpcMessage(text);
  expect(encoded).toMatch(/^[\x20-\x7e]*$/);
  expect(encoded.replaceAll(/%[0-9A-F]{2}/g, '')).toBe(text.replaceAll(/[^\x20-\x24\x26-\x7e]/gu, ''));
  // grpcio takes each %XX for a byte, grpc-js decodes all but what is reserved in a URL, Connect decodes all.
  const bytes = encoded.replaceAll(/%([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  expect(Buffer.from(bytes, 'latin1').toString()).toBe(text);
  expect(decodeURI(encoded)).toBe(text);
  expect(decodeURIComponent(encoded)).toBe(text);
});

test('who opens what: an API key opens no incident, a console token no alarm, one account nothing of another', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  await world.get(`/v1/alarm/${alarmId}/trigger`, await owner.key());
  await world.settle();
  const [incident] = await owner.incidents();
  const transport = createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' });
  const incidents = createClient(IncidentService, transport);
  const alarms = createClient(AlarmService, transport);

  const withKey = [{ 'x-api-key': await owner.key() }, { authorization: `Bearer ${await owner.key()}` }];
  for (const headers of [{}, ...withKey, { authorization: 'Bearer tcn_nobody' }]) {
    const refused = await fault(incidents.getIncident({ incidentId: incident!.id }, { headers }));
    expect(refused.code).toBe(Code.Unauthenticated);
  }
  const asToken = { headers: { 'x-api-key': world.operator, authorization: `Bearer ${world.operator}` } };
  expect((await fault(alarms.trigger({ alarmId }, asToken))).code).toBe(Code.Unauthenticated);

  const outsider = await world.account();
  const asOutsider = { headers: { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': outsider.accountId } };
  expect((await fault(incidents.getIncident({ incidentId: incident!.id }, asOutsider))).code).toBe(Code.NotFound);
  expect((await incidents.listIncidents({}, asOutsider)).incidents).toEqual([]);
  const unnamed = await fault(incidents.listIncidents({}, { headers: { authorization: `Bearer ${world.operator}` } }));
  expect(unnamed.code).toBe(Code.InvalidArgument);
});

test('a list of incidents pages through all of them once, newest first, and refuses what is no filter', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const key = await owner.key();
  for (let i = 0; i < 7; i++) {
    await world.get(`/v1/alarm/${await owner.alarm()}/trigger`, key);
    if (i % 2 === 0) await world.advance(1);
  }
  await world.settle();
  const headers = { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': owner.accountId };
  const client = createClient(IncidentService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const seen: string[] = [];
  let pageToken = '';
  do {
    const page = await client.listIncidents({ pageSize: 3, pageToken }, { headers });
    seen.push(...page.incidents.map(incident => incident.id));
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  expect(seen.length).toBe(7);
  expect(new Set(seen).size).toBe(7);

  for (const wrong of [
    { pageSize: 201 },
    { pageSize: -1 },
    { pageToken: 'nonsense' },
    { status: 'ajar' },
    { sourceId: "'" },
  ]) {
    expect((await fault(client.listIncidents(wrong, { headers }))).code).toBe(Code.InvalidArgument);
  }
  expect((await fault(client.getIncident({ incidentId: '\0' }, { headers }))).code).toBe(Code.NotFound);
  expect((await fault(client.findCall({ traceId: 'x' }, { headers }))).code).toBe(Code.InvalidArgument);
});

test('bytes that are no RPC do not hurt: the port goes on answering', async () => {
  const world = await startWorld();
  const port = Number(new URL(world.rpcUrl).port);
  for (const bytes of ['P', 'PRI * HTTP/2.0\r\n\r\nnonsense', 'GET', '\0\0\0\0', `GET / HTTP/1.1\r\n\r\n`]) {
    await new Promise<void>(resolve => {
      const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
      socket
        .on('data', () => {})
        .on('error', () => {})
        .on('close', () => resolve());
    });
  }
  const health = createClient(Health, createGrpcTransport({ baseUrl: world.rpcUrl }));
  expect((await health.check({})).status).toBe(Serving.SERVING);
});

/** A client made with @grpc/grpc-js; it shares nothing with our server but the bytes of the protos. */
function grpcClient(url: string, service: DescService) {
  const definition = Object.fromEntries(service.methods.map(method => [method.localName, grpcMethod(method)]));
  const Client = makeGenericClientConstructor(definition, service.typeName);
  const client = new Client(new URL(url).host, credentials.createInsecure());
  return {
    close: () => client.close(),
    call: (method: string, request: object, headers: Record<string, string>) =>
      new Promise<Record<string, unknown>>((resolve, reject) => {
        const metadata = new Metadata();
        for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
        const done = (error: ServiceError | null, answer: Record<string, unknown>) =>
          error ? reject(error) : resolve(answer);
        (client[method] as (...args: unknown[]) => void).call(client, request, metadata, done);
      }),
  };
}

function grpcMethod(method: DescMethod) {
  const serialize = (schema: DescMessage) => (message: Message) =>
    Buffer.from(toBinary(schema, create(schema, message)));
  const deserialize = (schema: DescMessage) => (bytes: Buffer) => fromBinary(schema, bytes);
  return {
    path: `/${method.parent.typeName}/${method.name}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: serialize(method.input),
    requestDeserialize: deserialize(method.input),
    responseSerialize: serialize(method.output),
    responseDeserialize: deserialize(method.output),
  };
}

import { clone, createFileRegistry } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { CreateAlarmRequestSchema } from '../../gen/tocsin/console/v1/alarms_pb.ts';
import { strictJson } from '../../services/rpc/json.ts';
import { newOwner, refusal } from '../support/console.ts';
import { leastCpu } from '../support/cpu.ts';
import { expectInTime } from '../support/wait.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Unknown fields": what a call in JSON says under a name that nobody knows is never passed over. */

async function anOwner() {
  const world = await startWorld();
  const { console: own, token } = await newOwner(world);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return {
    world,
    own,
    locationId: location!.id,
    /** What a call over Connect in JSON is answered, as curl would see it. */
    async post(method: string, body: object | string, more: Record<string, string> = {}) {
      const response = await fetch(`${world.rpcUrl}/${method}`, {
        method: 'POST',
        headers: { ...headers, ...more },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      });
      return { status: response.status, body: (await response.json()) as { code?: string; message?: string } };
    },
  };
}

const CREATE = 'tocsin.console.v1.AlarmService/CreateAlarm';

test('a field that a message does not have is refused by its path, with what is accepted and what was meant; nothing is done', async () => {
  const { own, locationId, post } = await anOwner();
  const modes = [{ id: 'away' }, { id: 'night', window_s: 5, windoS: 30 }];
  const { status, body } = await post(CREATE, { alarm: { name: 'House', locationID: locationId, modes }, quick: true });
  expect(status).toBe(400);
  expect(body.code).toBe('invalid_argument');
  expect(body.message).toContain('alarm.locationID is not a known field: takes id, ');
  expect(body.message).toContain('Did you mean locationId?');
  expect(body.message).toContain('alarm.modes[1].windoS is not a known field: takes id, ');
  expect(body.message).toContain('Did you mean windowS?');
  expect(body.message).toMatch(/quick is not a known field: takes [^.]*\.$/);
  // Both ways of writing a name are known.
  expect(body.message).not.toContain('window_s');
  expect((await own.alarms.listAlarms({})).alarms).toEqual([]);
});

test('known field names pass in both spellings, with nothing and with a time inside', async () => {
  const { own, locationId, post } = await anOwner();
  expect((await post(CREATE, { alarm: { name: 'House', location_id: locationId } })).status).toBe(200);
  expect((await own.alarms.listAlarms({})).alarms).toMatchObject([{ name: 'House' }]);
  const since = { openedAfter: '2026-01-01T00:00:00Z' };
  expect((await post('tocsin.incident.v1.IncidentService/ListIncidents', since)).status).toBe(200);
  expect((await post('tocsin.console.v1.AlarmService/ListAlarms', {})).status).toBe(200);
  expect((await post('grpc.health.v1.Health/Check', {})).status).toBe(200);
});

test('the message stays small and on one line, whatever the names are, and what is no JSON is said to be none', async () => {
  const { post } = await anOwner();
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`${'x'.repeat(100)}${nth}`, 1]));
  const { body } = await post(CREATE, many);
  expect(body.message).toContain('4980 more fields are not known.');
  expect(body.message!.length).toBeLessThan(5_000);
  expect((await post(CREATE, { 'na\u202em\ne\u0000': 1 })).body.message).toMatch(/^na?m? ?e? /);
  for (const wrong of ['', '[]', '"x"', '{"alarm":', 'null', '{"alarm":[]}', '{"alarm":{"modes":{}}}']) {
    const { status, body } = await post(CREATE, wrong);
    expect([status, body.code], wrong).toEqual([400, 'invalid_argument']);
  }
});

test('a body of nothing but unknown fields takes no more than a few times what reading it takes', async () => {
  const { textDecoder } = strictJson(CreateAlarmRequestSchema) as {
    textDecoder: { decode(bytes: Uint8Array): string };
  };
  const text = JSON.stringify({
    alarm: Object.fromEntries(Array.from({ length: 50_000 }, (_, nth) => [`f${nth}`, 1])),
  });
  const bytes = Buffer.from(text);
  const reading = await leastCpu(() => JSON.parse(text));
  const refusing = await leastCpu(() =>
    expect(() => textDecoder.decode(bytes)).toThrow('49980 more fields are not known.'),
  );
  expectInTime(refusing, reading * 6);
});

test('without the right credential nobody learns what fields there are', async () => {
  const { post } = await anOwner();
  const { status, body } = await post(CREATE, { quick: true }, { authorization: 'Bearer nonsense' });
  expect([status, body.code]).toEqual([401, 'unauthenticated']);
  expect(body.message).not.toContain('quick');
});

test('every protocol refuses them in JSON and lets them pass in binary, where versions run side by side', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const alarmId = await owner.alarm();
  const headers = { 'x-api-key': await owner.key() };
  // A field of a version to come: number 15, a string.
  const $unknown = [{ no: 15, wireType: 2, data: new Uint8Array([1, 120]) }];
  const transports = [
    (useBinaryFormat: boolean) =>
      createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1', useBinaryFormat }),
    (useBinaryFormat: boolean) => createGrpcTransport({ baseUrl: world.rpcUrl, useBinaryFormat }),
    (useBinaryFormat: boolean) => createGrpcWebTransport({ baseUrl: world.rpcUrl, httpVersion: '2', useBinaryFormat }),
  ];
  for (const transport of transports) {
    const binary = createClient(AlarmService, transport(true));
    expect(await binary.arm({ alarmId, $unknown } as object, { headers })).toMatchObject({ environment: 'live' });
    // A client cannot send an unknown field as JSON: one of an older proto stands for it.
    const json = createClient(OLDER, transport(false));
    const { code, fields } = await refusal(json.arm({ alarmId, modeId: 'night' }, { headers }));
    expect(code).toBe('InvalidArgument');
    expect(fields).toEqual({ modeid: 'is not a known field: takes alarmId, modeId. Did you mean modeId?' });
  }
});

/** AlarmService as another version has it: the mode has another name in JSON. */
const OLDER = (() => {
  const { file } = AlarmService;
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  proto.messageType.find(({ name }) => name === 'ArmRequest')!.field[1]!.jsonName = 'modeid';
  const registry = createFileRegistry(proto, name => file.dependencies.find(one => one.proto.name === name));
  return registry.getService(AlarmService.typeName)! as typeof AlarmService;
})();

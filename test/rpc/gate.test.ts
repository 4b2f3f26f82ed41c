import { randomUUID } from 'node:crypto';
import type { DescMethod } from '@bufbuild/protobuf';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { isRead } from '../../services/process/call-class.ts';
import { refusal } from '../support/console.ts';
import { startWorld } from '../support/world.ts';
import { errorIn, filled, furnished, idsOfNobody, posted, SERVICES, stateOf } from './gate-rig.ts';

/* DECISIONS.md "RPC port", "Who opens what": every method of every service, who may call it, and what others are told. */

const SERVICE_TOKEN = 's'.repeat(40);

/** What opens a method; everything that is not named here is opened by a console token. */
const OPENED_BY: Readonly<Record<string, 'nothing' | 'key' | 'key_or_token' | 'service'>> = {
  'grpc.health.v1.Health': 'nothing',
  'grpc.reflection.v1.ServerReflection': 'key_or_token',
  'grpc.reflection.v1alpha.ServerReflection': 'key_or_token',
  'tocsin.alarm.v1.AlarmService': 'key',
  'tocsin.inventory.v1.InventoryService': 'key',
  'tocsin.inventory.v1.InventoryService/RecheckGrants': 'service',
  'tocsin.incident.v1.ResponderService': 'service',
  'tocsin.internal.v1.BatchService': 'service',
};

const METHODS = SERVICES.flatMap(({ methods }) => methods).map(method => ({
  name: nameOf(method),
  method,
  opens: OPENED_BY[nameOf(method)] ?? OPENED_BY[method.parent.typeName] ?? 'token',
}));

/** Without what takes a stream of questions, over HTTP/2 only: test/rpc/reflection.test.ts. */
const CLOSED = METHODS.filter(({ opens, method }) => opens !== 'nothing' && method.methodKind !== 'bidi_streaming');

function nameOf({ parent, name }: DescMethod): string {
  return `${parent.typeName}/${name}`;
}

/** Two accounts with all that one of them can have. */
async function aWorld() {
  const world = await startWorld({ serviceToken: SERVICE_TOKEN });
  const [victim, outsider] = [await furnished(world, 'Victim'), await furnished(world, 'Outsider')];
  return { world, victim, outsider };
}

const NONSENSE = Buffer.from('\xff\xff\xff\xffnonsense', 'latin1');

test('the table of who may call names every service, and none that does not exist', () => {
  const known = new Set([...METHODS.map(({ name }) => name), ...SERVICES.map(({ typeName }) => typeName)]);
  expect(Object.keys(OPENED_BY).filter(name => !known.has(name))).toEqual([]);
  expect(METHODS.length).toBeGreaterThan(60);
});

test('whatever is sent to whatever method, whoever has no right credential is told that first, and nothing else', async () => {
  const { world, victim } = await aWorld();
  const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });
  const wrong = {
    key: [{}, { 'x-api-key': 'nonsense' }, { 'x-api-key': victim.token }, bearer(victim.token), bearer(victim.key)],
    token: [{}, bearer('nonsense'), bearer(victim.key), { 'x-api-key': victim.key }, { 'x-api-key': victim.token }],
    service: [{}, { 'x-tocsin-service': 't'.repeat(40) }, { 'x-api-key': victim.key }, bearer(victim.token)],
  };
  const long = Buffer.alloc(64 * 1024, 'x');
  for (const { name, method, opens } of CLOSED) {
    const told = new Set<string>();
    for (const headers of wrong[opens as keyof typeof wrong]) {
      for (const body of [Buffer.alloc(0), NONSENSE, long]) {
        const error = errorIn(await posted(world.rpcUrl, method, body, headers));
        expect(error?.code, `${name} ${JSON.stringify(headers)}`).toBe('unauthenticated');
        told.add(error!.message);
      }
    }
    // One and the same sentence, whatever is wrong with it.
    expect([...told].length, name).toBe(1);
  }
  expect((await world.get(`/v1/alarm/${victim.ids.alarm}/trigger`, victim.key)).status).toBe(202);
});

test('an outsider who names the ids of another account learns and changes nothing: they are told what they are of ids that never were', async () => {
  const { world, victim, outsider } = await aWorld();
  const before = await stateOf(victim.own);
  const credentials = { 'x-api-key': outsider.key, authorization: `Bearer ${outsider.token}` };
  const nobody = idsOfNobody(victim.ids);
  for (const { name, method, opens } of CLOSED) {
    for (const headers of [credentials, { ...credentials, 'x-tocsin-account': victim.accountId }]) {
      const answer = await posted(world.rpcUrl, method, filled(method, victim.ids), headers);
      expect(/victim/i.test(answer), `${name}: ${answer}`).toBe(false);
      const named = 'x-tocsin-account' in headers ? { ...headers, 'x-tocsin-account': nobody.account } : headers;
      const ofNobody = await posted(world.rpcUrl, method, filled(method, nobody), named);
      expect(errorIn(answer), name).toEqual(errorIn(ofNobody));
      if (opens === 'service') expect(errorIn(answer)!.code, name).toBe('unauthenticated');
    }
  }
  expect(await stateOf(victim.own)).toEqual(before);
  // What the outsider is not told is there: its owner is.
  const owns = { 'x-api-key': victim.key, authorization: `Bearer ${victim.token}` };
  const reads = CLOSED.filter(({ method, opens }) => opens !== 'service' && isRead(method));
  const told = await Promise.all(
    reads.map(({ method }) => posted(world.rpcUrl, method, filled(method, victim.ids), owns)),
  );
  expect(told.filter(answer => /victim/i.test(answer)).length).toBeGreaterThan(20);
  expect((await world.get(`/v1/alarm/${victim.ids.alarm}/trigger`, victim.key)).status).toBe(202);
});

test('a call has a trace id of its own, whatever id its caller names; that of a part of the deployment is the one it answered with', async () => {
  const { world, victim } = await aWorld();
  const alarms = createClient(AlarmService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const alarmId = victim.ids.alarm!;
  const trigger = async (headers: Record<string, string>) => {
    const named = randomUUID();
    let answered: string | null = null;
    await alarms.trigger(
      { alarmId },
      {
        headers: { 'x-api-key': victim.key, 'x-tocsin-trace': named, ...headers },
        onHeader: header => {
          answered = header.get('x-tocsin-trace');
        },
      },
    );
    return { named, answered };
  };
  const stranger = await trigger({});
  expect(stranger.answered).toMatch(/^[0-9a-f-]{36}$/);
  expect(stranger.answered).not.toBe(stranger.named);
  expect(await refusal(victim.own.incidents.findCall({ traceId: stranger.named }))).toMatchObject({ code: 'NotFound' });
  const part = await trigger({ 'x-tocsin-service': SERVICE_TOKEN });
  expect((await victim.own.incidents.findCall({ traceId: part.named })).call).toMatchObject({ traceId: part.named });
});

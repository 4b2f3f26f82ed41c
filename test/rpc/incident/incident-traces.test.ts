import { Code, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { AlarmService } from '../../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { holdApplying } from '../../support/waiting.ts';
import { aHouse, fault } from './incident-rig.ts';

/*
 * Each typed call has a trace id of its own; the traceparent that came with it is stored as well, and finds all calls that
 * were made with it (DECISIONS.md "Who opens what").
 */

const PARENT = '0af7651916cd43dd8448eb211c80319c';
const TRACEPARENT = `00-${PARENT}-b7ad6b7169203331-01`;

/** A typed caller that sends one traceparent with each of its calls. */
async function aTracedCaller() {
  const house = await aHouse();
  const { world, owner } = house;
  const alarms = createClient(AlarmService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const headers = { 'x-api-key': await owner.key(), traceparent: TRACEPARENT };
  return { ...house, alarms, headers };
}

test('calls with one traceparent are found together, by it or its trace id, and each by its own', async () => {
  const { world, owner, alarmId, client, asOwner, asOutsider, alarms, headers } = await aTracedCaller();
  const traces: string[] = [];
  const onHeader = (header: Headers) => traces.push(header.get('x-tocsin-trace')!);
  await alarms.arm({ alarmId }, { headers, onHeader });
  await alarms.trigger({ alarmId }, { headers, onHeader });
  const refused = await fault(alarms.clear({ alarmId: 'nonsense' }, { headers, onHeader }));
  expect(refused.code).toBe(Code.NotFound);
  traces.push(refused.metadata.get('x-tocsin-trace')!);
  await alarms.clear({ alarmId }, { headers: { 'x-api-key': await owner.key() } });
  await world.settle();
  expect(new Set(traces).size).toBe(3);
  for (const traceId of [TRACEPARENT, PARENT, '0af76519-16cd-43dd-8448-eb211c80319c', TRACEPARENT.toUpperCase()]) {
    const { call, calls } = await client.findCall({ traceId }, asOwner);
    expect(calls.map(({ verb, outcome }) => [verb, outcome]).sort()).toEqual([
      ['arm', 'armed'],
      ['clear', 'not_found'],
      ['trigger', 'opened'],
    ]);
    expect(new Set(calls.map(one => one.traceId))).toEqual(new Set(traces));
    expect(call).toEqual(calls[0]);
  }
  for (const traceId of traces) {
    expect((await client.findCall({ traceId }, asOwner)).calls.map(one => one.traceId)).toEqual([traceId]);
  }
  expect((await fault(client.findCall({ traceId: TRACEPARENT }, asOutsider))).code).toBe(Code.NotFound);
});

test('they are found while they wait, and once they are applied', async () => {
  const { world, owner, alarmId, client, asOwner, alarms, headers } = await aTracedCaller();
  const neighbour = await world.account();
  const theirs = { headers: { ...headers, 'x-api-key': await neighbour.key() } };
  const letGo = await holdApplying(world.databaseUrl);
  await Promise.all([
    alarms.arm({ alarmId }, { headers }),
    alarms.trigger({ alarmId }, { headers }),
    alarms.trigger({ alarmId: await neighbour.alarm() }, theirs),
    alarms.clear({ alarmId }, { headers: { 'x-api-key': await owner.key() } }),
  ]);
  const found = async () => (await client.findCall({ traceId: TRACEPARENT }, asOwner)).calls;
  expect((await found()).map(({ verb, outcome }) => [verb, outcome]).sort()).toEqual([
    ['arm', 'accepted'],
    ['trigger', 'accepted'],
  ]);
  await letGo();
  await world.settle();
  expect((await found()).map(({ verb }) => verb).sort()).toEqual(['arm', 'trigger']);
});

test('what is neither a UUID nor a traceparent is refused with what is accepted', async () => {
  const { client, asOwner } = await aHouse();
  for (const traceId of ['', 'x', `${PARENT}0`, '00-0af7-b7ad-01']) {
    const { code, rawMessage } = await fault(client.findCall({ traceId }, asOwner));
    expect([code, rawMessage]).toEqual([Code.InvalidArgument, expect.stringContaining('a UUID) or a traceparent')]);
  }
});

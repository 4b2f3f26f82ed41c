import { Code } from '@connectrpc/connect';
import { describe, expect, onTestFinished, test } from 'vitest';
import { InvalidFieldsSchema } from '../../../gen/tocsin/common/v1/common_pb.ts';
import type { WatchIncidentsResponse, Window } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { consoleOf } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { aHouse, bearer, fault, type House, tokenOf } from './incident-rig.ts';

/** What a watch tells from its `ready` on, until the test ends. */
async function watching(
  { client }: House,
  as: ReturnType<typeof bearer>,
  request: { besides?: string; sourceId?: string } = { besides: 'signals' },
) {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const events = client.watchIncidents(request, { ...as, signal: gone.signal })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ kind: 'ready' });
  const told: WatchIncidentsResponse[] = [];
  void (async () => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) return;
      told.push(value);
    }
  })().catch(() => {});
  const kinds = () => told.map(({ kind }) => kind);
  return {
    kinds,
    /** Waits for a further signal, and forgets what was told so far. */
    async signal(what: string) {
      await eventually(() => kinds().includes('signal'), { what: `a signal of ${what}` });
      told.length = 0;
    },
  };
}

/** What names a window as it was seen. */
function nameOf({ sourceId, traceId, senders }: Window) {
  return { sourceId, traceId, senders };
}

describe('ListWindows and CallOff', () => {
  test('what waits is listed, the first to alert first; called off, it alerts nobody and the alarm stays armed', async () => {
    const house = await aHouse();
    const { world, owner, client, asOwner, alarmId, act } = house;
    const other = await owner.alarm({
      name: 'Barn',
      modes: { night: { policyId: await owner.policy([]), windowS: 90 } },
    });
    const key = await owner.key();
    await act('arm/night');
    await world.get(`/v1/alarm/${other}/trigger/night`, key);
    await act('trigger');
    await act('trigger');
    await world.settle();
    const { windows, total } = await client.listWindows({}, asOwner);
    expect([total, windows.map(({ sourceId }) => sourceId)]).toEqual([2, [alarmId, other]]);
    const [first] = windows;
    expect(first).toMatchObject({ mode: 'night', environment: 'live' });
    expect(first!.alertsInMs).toBeGreaterThan(0);
    expect(first!.alertsInMs).toBeLessThanOrEqual(30_000);
    expect((await client.listWindows({ pageSize: 1 }, asOwner)).windows.length).toBe(1);
    const ofOther = await client.listWindows({ sourceId: other, pageSize: 1 }, asOwner);
    expect([ofOther.total, ofOther.windows.map(({ sourceId }) => sourceId)]).toEqual([1, [other]]);

    const named = nameOf(first!);
    expect(await client.callOff({ ...named, by: 'Anna' }, asOwner)).toMatchObject({ outcome: 'cancelled' });
    expect(await client.callOff(named, asOwner)).toMatchObject({ outcome: 'nothing_waits' });
    await world.advance(31);
    expect(await owner.incidents()).toEqual([]);
    expect((await client.listWindows({}, asOwner)).windows.map(({ sourceId }) => sourceId)).toEqual([other]);
    expect(await world.rows('SELECT armed_mode FROM source_state WHERE source_id = $1', [alarmId])).toEqual([
      { armed_mode: 'night' },
    ]);
    const { calls } = await client.listCalls({ sourceId: alarmId }, asOwner);
    expect(calls.map(({ verb, outcome, actor }) => [verb, outcome, actor])).toEqual([
      ['call_off', 'cancelled', 'Anna'],
      ['trigger', 'cancelled', ''],
      ['trigger', 'cancelled', ''],
      ['arm', 'armed', ''],
    ]);
    expect(calls[0]!.explanation).toMatch(/^A person called off the trigger/);
  });

  test('a later trigger goes on: what is called off is what its caller saw', async () => {
    const house = await aHouse();
    const { world, owner, client, asOwner, act } = house;
    await act('trigger/night');
    await world.settle();
    const seen = (await client.listWindows({}, asOwner)).windows[0]!;
    await act('disarm');
    await act('trigger/night');
    await world.settle();
    expect((await client.callOff(nameOf(seen), asOwner)).outcome).toBe('another_waits');
    await world.advance(31);
    expect((await owner.incidents()).length).toBe(1);
  });

  test('a device that tripped it since goes on with it, until it was seen too; one that goes on does not', async () => {
    const { world, owner, client, asOwner, alarmId, act } = await aHouse();
    const seen = async () => (await client.listWindows({}, asOwner)).windows[0]!;
    const joins = async () => void (await world.get(`/v1/alarm/${alarmId}/trigger/night`, await owner.key()));
    await act('trigger/night');
    await world.settle();
    const before = await seen();
    await joins();
    await world.settle();
    expect((await client.callOff(nameOf(before), asOwner)).outcome).toBe('more_came');
    const since = await seen();
    expect([since.traceId, since.triggerCount, since.senders]).toEqual([before.traceId, 2, 2]);
    // The order of what is accepted decides, though it was not applied yet when it was called off.
    await joins();
    expect((await client.callOff(nameOf(since), asOwner)).outcome).toBe('more_came');
    const last = await seen();
    await act('trigger/night');
    await act('trigger/night');
    expect((await client.callOff(nameOf(last), asOwner)).outcome).toBe('cancelled');
    await world.advance(31);
    expect(await owner.incidents()).toEqual([]);
  });

  test('what a trigger with a shorter window made its own is not said to wait no longer', async () => {
    const modes = (policyId: string) => ({ away: { policyId, windowS: 10 }, night: { policyId, windowS: 60 } });
    const { world, owner, client, asOwner } = await aHouse();
    const alarmId = await owner.alarm({ name: 'Barn', modes: modes(await owner.policy([])) });
    const key = await owner.key();
    const trigger = async (mode: string) => {
      await world.get(`/v1/alarm/${alarmId}/trigger/${mode}`, key);
      await world.settle();
      return (await client.listWindows({ sourceId: alarmId }, asOwner)).windows[0]!;
    };
    const [seen, shorter] = [await trigger('night'), await trigger('away')];
    expect((await client.callOff(nameOf(seen), asOwner)).outcome).toBe('another_waits');
    expect((await client.callOff(nameOf(shorter), asOwner)).outcome).toBe('cancelled');
    expect((await client.callOff(nameOf(shorter), asOwner)).outcome).toBe('nothing_waits');
  });

  test('an outsider sees no window and ends none; an API key may neither, and what names nothing is refused', async () => {
    const house = await aHouse();
    const { world, owner, client, asOwner, asOutsider, alarmId, act } = house;
    await act('trigger/night');
    await world.settle();
    const [window] = (await client.listWindows({}, asOwner)).windows;
    expect(await client.listWindows({}, asOutsider)).toMatchObject({ windows: [], total: 0 });
    expect(await client.listWindows({ sourceId: alarmId }, asOutsider)).toMatchObject({ windows: [], total: 0 });
    const named = nameOf(window!);
    expect(await client.callOff(named, asOutsider)).toMatchObject({ outcome: 'nothing_waits' });
    const key = await owner.key();
    for (const as of [bearer(key), { headers: { 'x-api-key': key } }, {}]) {
      expect((await fault(client.callOff(named, as))).code).toBe(Code.Unauthenticated);
      expect((await fault(client.listWindows({}, as))).code).toBe(Code.Unauthenticated);
    }
    const wrongs = { sourceId: ['', 'x'], traceId: ['', 'x'] };
    for (const [field, values] of Object.entries(wrongs)) {
      for (const value of values) {
        const refusal = await fault(client.callOff({ ...named, [field]: value }, asOwner));
        expect(refusal.code).toBe(Code.InvalidArgument);
        const blamed = refusal
          .findDetails(InvalidFieldsSchema)
          .flatMap(({ fields }) => fields.map(({ field }) => field));
        expect(blamed, `${field}: ${value}`).toEqual([field]);
      }
    }
    expect((await fault(client.listWindows({ sourceId: 'x' }, asOwner))).code).toBe(Code.InvalidArgument);
    expect((await client.listWindows({}, asOwner)).total).toBe(1);
  });
});

describe('signals of WatchIncidents', () => {
  test('arming, disarming, a window’s beginning and end and refused calls are told as they happen, and not to an outsider', async () => {
    const house = await aHouse();
    const { world, owner, client, asOwner, asOutsider, act } = house;
    const asMine = await watching(house, asOwner);
    const others = await watching(house, asOutsider);
    const plain = await watching(house, bearer(await tokenOf(world, owner, 'Tail')), {});
    const happens = async (what: string, act: () => Promise<unknown>) => {
      await act();
      await asMine.signal(what);
    };
    await happens('an arming', () => act('arm/night'));
    await happens('an arming as before', () => act('arm/night'));
    await happens('a window', () => act('trigger'));
    const [window] = (await client.listWindows({}, asOwner)).windows;
    await happens('calling off', () => client.callOff(nameOf(window!), asOwner));
    await happens('a clear of nothing', () => act('clear'));
    await happens('a disarming', () => act('disarm'));
    await happens('a refused call', () => act('trigger/nonsense'));
    const { locations } = consoleOf(world, world.operator, owner.accountId);
    await happens('a change of the configuration', () => locations.createLocation({ location: { name: 'Shed' } }));
    expect(others.kinds()).toEqual([]);
    expect(plain.kinds()).toEqual([]);
    expect((await fault(watching(house, asOwner, { besides: 'everything' }))).code).toBe(Code.InvalidArgument);
  });

  test('a window that began in test is told of again once a live trigger joins it', async () => {
    const house = await aHouse({ test: true });
    const { world, client, asOwner, alarmId, act } = house;
    await act('trigger/night');
    await world.settle();
    const watch = await watching(house, asOwner);
    // As when a server accepts a live trigger before the window in test has ended.
    await world.rows('UPDATE source SET test = false WHERE id = $1', [alarmId]);
    await act('trigger/night');
    await watch.signal('a live trigger in a window that began in test');
    expect((await client.listWindows({}, asOwner)).windows).toMatchObject([{ environment: 'live', triggerCount: 2 }]);
  });

  test('of one source alone, where one is named', async () => {
    const house = await aHouse();
    const { world, owner, asOwner, act } = house;
    const other = await owner.alarm();
    const key = await owner.key();
    const watch = await watching(house, asOwner, { besides: 'signals', sourceId: other });
    await act('arm/night');
    await act('trigger/nonsense');
    await world.settle();
    expect(watch.kinds()).toEqual([]);
    await world.get(`/v1/alarm/${other}/clear`, key);
    await watch.signal('a clear of that one');
  });
});

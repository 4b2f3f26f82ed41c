import { create } from '@bufbuild/protobuf';
import { Code, createClient, createContextValues, type HandlerContext } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  IncidentService,
  WatchIncidentsRequestSchema,
  type WatchIncidentsResponse,
} from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { subjects } from '../../../services/changes/bus.ts';
import { createLocalBus } from '../../../services/changes/local.ts';
import { createLooks, watchIncidents } from '../../../services/incident/watch.ts';
import { connection } from '../../support/connection.ts';
import { newOwner } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { PEPPER } from '../../support/world.ts';
import { aHouse, bearer, fault, type House, tokenOf } from './incident-rig.ts';

/** A watch that has said that it is ready, and that ends with the test. */
async function watching({ client }: Pick<House, 'client'>, as: ReturnType<typeof bearer>, sourceId = '') {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const events = client.watchIncidents({ sourceId }, { ...as, signal: gone.signal })[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ kind: 'ready', incidentId: '' });
  /** The first event that is so; what a delivery of the moment changes may come before it. */
  const until = async (isIt: (event: WatchIncidentsResponse) => boolean): Promise<WatchIncidentsResponse> => {
    for (;;) {
      const { value, done } = await events.next();
      if (done) throw new Error('The watch ended.');
      if (isIt(value)) return value;
    }
  };
  return { next: () => until(() => true), until };
}

describe('WatchIncidents', () => {
  test('ready, then opened, changed and closed, each with the incident as it is then', async () => {
    const house = await aHouse();
    const { world, client, asOwner, act } = house;
    const { next, until } = await watching(house, asOwner);
    const incidentId = await house.fire();
    expect(await next()).toMatchObject({ kind: 'opened', incidentId, incident: { id: incidentId, status: 'open' } });
    await act('trigger');
    await world.settle();
    expect(await until(({ incident }) => incident?.triggerCount === 2)).toMatchObject({ kind: 'changed', incidentId });
    await client.acknowledge({ incidentId, by: 'Ben' }, asOwner);
    const acknowledged = await until(({ incident }) => incident?.acknowledgedBy === 'Ben');
    expect(acknowledged).toMatchObject({ kind: 'changed', incident: { status: 'open' } });
    await act('clear');
    await world.settle();
    const closed = await until(({ kind }) => kind !== 'changed');
    expect(closed).toMatchObject({ kind: 'closed', incident: { status: 'closed', closeReason: 'clear' } });
  });

  test('one source alone, where one is named; another account’s is not found, and what is no id is refused', async () => {
    const house = await aHouse();
    const { world, owner, outsider, client, asOwner } = house;
    const other = await owner.alarm();
    const { next } = await watching(house, asOwner, other);
    await house.fire();
    await world.get(`/v1/alarm/${other}/trigger`, await owner.key());
    await world.settle();
    expect((await next()).incident?.sourceId).toBe(other);

    const first = (sourceId: string) => client.watchIncidents({ sourceId }, asOwner)[Symbol.asyncIterator]().next();
    const words = 'There is no such alarm or panic button in this account.';
    for (const sourceId of [await outsider.alarm(), 'a'.repeat(32)]) {
      const refused = await fault(first(sourceId));
      expect([refused.code, refused.rawMessage]).toEqual([Code.NotFound, words]);
    }
    expect((await fault(first('nonsense'))).code).toBe(Code.InvalidArgument);
  });

  test('an outsider hears of their own incidents only, and an API key of none', async () => {
    const house = await aHouse();
    const { world, owner, outsider, client, asOutsider } = house;
    const { next } = await watching(house, asOutsider);
    await house.fire();
    const theirs = await outsider.alarm();
    await world.get(`/v1/alarm/${theirs}/trigger`, await outsider.key());
    await world.settle();
    expect((await next()).incident?.sourceId).toBe(theirs);

    const key = await owner.key();
    for (const as of [bearer(key), { headers: { 'x-api-key': key } }, {}]) {
      const refused = await fault(client.watchIncidents({}, as)[Symbol.asyncIterator]().next());
      expect(refused.code).toBe(Code.Unauthenticated);
    }
  });

  test('a revoked token is told nothing more: the stream ends UNAUTHENTICATED', async () => {
    const house = await aHouse();
    const { next } = await watching(house, house.asOwner);
    await house.world.rows('UPDATE console_token SET revoked_at = tocsin_now() WHERE account_id = $1', [
      house.owner.accountId,
    ]);
    await house.fire();
    expect((await fault(next())).code).toBe(Code.Unauthenticated);
  });

  test.each([
    ['Connect over HTTP/1.1', (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: '1.1' })],
    ['gRPC over HTTP/2', (baseUrl: string) => createGrpcTransport({ baseUrl })],
  ])('%s: it tells, and ends when the server does', async (_, transport) => {
    const house = await aHouse();
    const client = createClient(IncidentService, transport(house.world.rpcUrl));
    const { next, until } = await watching({ client }, house.asOwner);
    const incidentId = await house.fire();
    expect(await next()).toMatchObject({ kind: 'opened', incidentId });
    const ended = fault(until(() => false));
    await house.world.services.close();
    expect((await ended).code).toBe(Code.Unavailable);
  });

  test('the watches of an account take turns at looking, and a neighbour finds connections to the database', async () => {
    const house = await aHouse();
    const { world, owner, asOwner } = house;
    const neighbour = await newOwner(world, 'Neighbour');
    const watches = await Promise.all(Array.from({ length: 20 }, () => watching(house, asOwner)));
    // They look for as long as those of an account in which much happens.
    const holding = await connection(world.databaseUrl);
    await holding.query('BEGIN');
    await holding.query('LOCK TABLE incident_entry IN ACCESS EXCLUSIVE MODE');
    world.bus.publish(subjects.change(owner.accountId), { kind: 'state' });
    const waiting = async () => {
      // Not what other work of the product reads there.
      const looks = "datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%AS newest%'";
      const { rows } = await world.store.accepting.query(`SELECT FROM pg_stat_activity WHERE ${looks}`);
      return rows.length;
    };
    await eventually(waiting, { what: 'a look' });
    for (let nth = 0; nth < 20; nth++) {
      expect((await neighbour.console.locations.listLocations({})).locations).toEqual([]);
    }
    expect(await waiting()).toBeLessThanOrEqual(2);
    await holding.query('ROLLBACK');
    const incidentId = await house.fire();
    for (const { until } of watches) await until(event => event.incidentId === incidentId);
  });

  test('it ends when the caller goes away, and lets go of the bus', async () => {
    const { world, owner } = await aHouse();
    const secret = await tokenOf(world, owner, 'Anna');
    const gone = new AbortController();
    const subscribed = new Set<string>();
    const bus = {
      ...createLocalBus(),
      subscribe(subject: string) {
        subscribed.add(subject);
        return () => void subscribed.delete(subject);
      },
    };
    const request = create(WatchIncidentsRequestSchema, {});
    const on = { store: world.store, pepper: PEPPER, bus, looks: createLooks() };
    const events = watchIncidents(on, request, contextOf(secret, gone.signal));
    expect((await events.next()).value).toEqual({ kind: 'ready' });
    expect([...subscribed]).toEqual([subjects.change(owner.accountId)]);
    const waiting = events.next();
    gone.abort();
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect([...subscribed]).toEqual([]);
  });
});

/** The call of a caller who is in this process. */
function contextOf(secret: string, signal: AbortSignal): HandlerContext {
  return {
    service: IncidentService,
    method: IncidentService.method.watchIncidents,
    protocolName: 'direct',
    requestMethod: 'POST',
    url: '',
    signal,
    timeoutMs: () => undefined,
    requestHeader: new Headers(bearer(secret).headers),
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    values: createContextValues(),
  };
}

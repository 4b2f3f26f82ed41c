import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Health, HealthCheckResponse_ServingStatus as Serving } from '../../gen/grpc/health/v1/health_pb.ts';
import { AlarmService } from '../../gen/tocsin/alarm/v1/alarm_pb.ts';
import { query } from '../faults/embedded-rig.ts';
import { startWorld, type World } from '../support/world.ts';

/* grpc.health.v1.Health.Watch: what load balancers keep open, and how much of it strangers may keep. */

/** A watch from this address; `next` gives the next status, or throws what ended it. */
function watch(world: World, { service = '', from = '127.0.0.1' } = {}) {
  const transport = createConnectTransport({
    baseUrl: world.rpcUrl,
    httpVersion: '1.1',
    nodeOptions: { localAddress: from },
  });
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const answers = createClient(Health, transport).watch({ service }, { signal: gone.signal })[Symbol.asyncIterator]();
  return {
    end: () => gone.abort(),
    async next(): Promise<Serving | Code> {
      const answer = await answers.next().catch((fault: unknown) => ConnectError.from(fault).code);
      return typeof answer === 'number' ? answer : (answer.value as { status: Serving }).status;
    },
  };
}

test('a watch tells how things stand, then each change, and ends with UNAVAILABLE when the server stops', async () => {
  const world = await startWorld({ roles: 'two' });
  const whole = watch(world);
  const alarms = watch(world, { service: AlarmService.typeName });
  expect([await whole.next(), await alarms.next()]).toEqual([Serving.SERVING, Serving.SERVING]);
  const unknown = watch(world, { service: 'tocsin.v0.Nothing' });
  expect(await unknown.next()).toBe(Serving.SERVICE_UNKNOWN);

  const { rows } = await world.store.pool.query<{ role: string }>('SELECT current_user AS role');
  const { role } = rows[0]!;
  await query(world.databaseUrl, `REVOKE INSERT ON journal FROM ${role}`);
  expect([await whole.next(), await alarms.next()]).toEqual([Serving.NOT_SERVING, Serving.NOT_SERVING]);
  await query(world.databaseUrl, `GRANT INSERT ON journal TO ${role}`);
  expect([await whole.next(), await alarms.next()]).toEqual([Serving.SERVING, Serving.SERVING]);

  const last = [whole.next(), unknown.next()];
  await world.services.close();
  expect(await Promise.all(last)).toEqual([Code.Unavailable, Code.Unavailable]);
});

test('an address has 20 watches at once; others, and those who call, do not notice', async () => {
  const world = await startWorld();
  const owner = await world.account();
  const many = Array.from({ length: 20 }, () => watch(world));
  for (const one of many) expect(await one.next()).toBe(Serving.SERVING);
  expect(await watch(world).next()).toBe(Code.ResourceExhausted);
  expect(await watch(world, { from: '127.0.0.2' }).next()).toBe(Serving.SERVING);
  const grpc = createGrpcTransport({ baseUrl: world.rpcUrl });
  expect((await createClient(Health, grpc).check({})).status).toBe(Serving.SERVING);
  const alarms = createClient(AlarmService, grpc);
  const headers = { 'x-api-key': await owner.key() };
  expect(await alarms.trigger({ alarmId: await owner.alarm() }, { headers })).toMatchObject({ environment: 'live' });

  many[0]!.end();
  await expect.poll(() => watch(world).next()).toBe(Serving.SERVING);
});

test.each([
  'well',
  'in trouble',
])('a database that is %s is asked once a second, however often /readyz is', async state => {
  const world = await startWorld();
  const asked = vi.spyOn(world.store.accepting, 'query');
  onTestFinished(() => asked.mockRestore());
  if (state === 'in trouble') asked.mockImplementation(() => Promise.reject(new Error('gone')));
  const began = performance.now();
  const status = state === 'well' ? 200 : 503;
  for (let nth = 0; nth < 100; nth++) expect((await fetch(`${world.url}/readyz`)).status).toBe(status);
  const seconds = Math.ceil((performance.now() - began) / 1_000);
  // The clock and others ask over the same connections, and more often where they fail.
  const looks = asked.mock.calls.filter(([text]) => String(text).includes('has_table_privilege'));
  expect(looks.length).toBeLessThanOrEqual(seconds + 1);
  expect(looks.length).toBeGreaterThan(0);
});

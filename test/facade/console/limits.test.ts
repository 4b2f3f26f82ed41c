import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createServicesTransport } from '../../../facade/rpc/transport.ts';
import { LocationService } from '../../../gen/tocsin/console/v1/locations_pb.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { consoleToken } from '../../rpc/access/sign-in-rig.ts';
import { connection } from '../../support/connection.ts';
import { newOwner } from '../../support/console.ts';
import { eventually } from '../../support/wait.ts';
import { startWorld, type World } from '../../support/world.ts';

/** What the door of a facade passes its calls on by. */
const WAYS: [string, (world: World) => Transport][] = [
  ['in one process', world => world.services.transport],
  [
    'apart',
    world => {
      const { transport, close } = createServicesTransport([world.rpcUrl], null, pino({ level: 'silent' }));
      onTestFinished(close);
      return transport;
    },
  ],
];

test.each(
  WAYS,
)('the console of an account has the limits of the RPC port %s too: its devices and a neighbour do not notice', async (_, way) => {
  const world = await startWorld({ rateLimits: 'on' });
  const transport = way(world);
  const [sessions, locations] = [createClient(SessionService, transport), createClient(LocationService, transport)];
  const from = { 'x-tocsin-client': '192.0.2.1 A browser' };
  const signedIn = async ({ token }: { token: string }) => {
    const { secret } = await sessions.signIn(consoleToken(token), { headers: from });
    return { headers: { ...from, authorization: `Bearer ${secret}` } };
  };
  const [greedy, neighbour] = [await newOwner(world, 'Greedy'), await newOwner(world, 'Neighbour')];
  const { secret: apiKey } = await greedy.console.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  // Each session by itself asks for less than it may.
  const tabs = await Promise.all(Array.from({ length: 8 }, () => signedIn(greedy)));
  for (const tab of tabs) await locations.listLocations({}, tab);
  const others = await signedIn(neighbour);
  const flood = await Promise.allSettled(
    tabs.flatMap(tab => Array.from({ length: 90 }, () => locations.listLocations({}, tab))),
  );
  expect((await locations.listLocations({}, others)).locations).toEqual([]);
  expect((await world.get('/v1/integration/state', apiKey)).status).toBe(200);

  const refused = flood.flatMap(one => (one.status === 'rejected' ? [ConnectError.from(one.reason)] : []));
  const limited = refused.filter(({ code }) => code === Code.ResourceExhausted);
  expect(new Set(limited.map(({ rawMessage }) => rawMessage))).toEqual(
    new Set(['This account has made too many calls. Wait a second, then send this one again.']),
  );
  expect(limited.length).toBeLessThanOrEqual(720 - 380);
});

test('changes of an account that wait for each other are few, and take nobody the places to read with', async () => {
  const world = await startWorld();
  const sessions = createClient(SessionService, world.services.transport);
  const page = { origin: world.url, 'connect-protocol-version': '1' };
  const signedIn = async ({ token }: { token: string }) => {
    const from = { headers: { 'x-tocsin-client': '192.0.2.1 A browser' } };
    return { ...page, cookie: `tocsin-session=${(await sessions.signIn(consoleToken(token), from)).secret}` };
  };
  const [greedy, neighbour] = [await newOwner(world, 'Greedy'), await newOwner(world, 'Neighbour')];
  const { secret: neighboursKey } = await neighbour.console.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const [greedys, neighbours] = [await signedIn(greedy), await signedIn(neighbour)];
  const post = async (method: DescMethod, body: object, headers: Record<string, string>) => {
    const response = await fetch(`${world.url}/rpc/${method.parent.typeName}/${method.name}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return `${response.status} ${await response.text()}`;
  };

  // Whatever it is that a change of this account waits for.
  const holding = await connection(world.databaseUrl);
  await holding.query('BEGIN');
  await holding.query('SELECT FROM account WHERE id = $1 FOR UPDATE', [greedy.accountId]);
  const { createLocation, listLocations } = LocationService.method;
  const refused: string[] = [];
  const changes = Array.from({ length: 600 }, async (_, nth) => {
    const answer = await post(createLocation, { location: { name: `Home ${nth}` } }, greedys);
    if (answer.includes('resource_exhausted')) refused.push(answer);
  });
  // On a slow machine some give up waiting meanwhile, and others wait in their place.
  await eventually(() => refused.length > 300, { what: 'most of them to be refused' });
  expect(refused.filter(answer => !answer.includes('50 changes of this account are waiting already.'))).toEqual([]);
  expect(await post(listLocations, {}, neighbours)).toMatch(/^200 /);
  expect((await neighbour.console.locations.createLocation({ location: { name: 'Theirs' } })).location).toBeDefined();
  expect((await world.get('/v1/integration/state', neighboursKey)).status).toBe(200);
  await holding.query('ROLLBACK');
  await Promise.all(changes);
  await greedy.console.locations.createLocation({ location: { name: 'Another' } });
});

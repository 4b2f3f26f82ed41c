import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { LocationService } from '../../../gen/tocsin/console/v1/locations_pb.ts';
import { SessionService } from '../../../gen/tocsin/console/v1/sessions_pb.ts';
import { consoleToken } from '../../rpc/sign-in-rig.ts';
import { newOwner } from '../../support/console.ts';
import { startWorld } from '../../support/world.ts';

test('the console of an account has the limits of the RPC port in one process too: its devices and a neighbour do not notice', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  // What the door of a facade in the same process passes its calls on by.
  const { transport } = world.services;
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

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LocationService } from '../../gen/tocsin/console/v1/locations_pb.ts';
import { newSecret } from '../../services/store/secret.ts';
import { call } from '../facade/console/door-rig.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import { isInTime } from '../support/crowd.ts';
import { statementsOf } from '../support/statements.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Could not commit, deadline, overload", "401": what an account may do with all that it has, and who tries keys. */

const STATE = '/v1/integration/state';

/** A neighbour of whoever is at full tilt: its triggers are answered and applied. */
async function aNeighbour(world: World) {
  const owner = await world.account();
  const [alarm, key] = [await owner.alarm(), await owner.key()];
  return {
    key,
    async triggers() {
      expect((await world.get(`/v1/alarm/${alarm}/trigger`, key)).status).toBe(202);
      await world.settle();
      expect((await owner.incidents())[0]).toMatchObject({ status: 'open', sourceId: alarm });
    },
  };
}

test('many keys of one account have no more together than an account has; its panic button and its neighbour do not notice', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const [owner, neighbour] = [await world.account(), await aNeighbour(world)];
  const button = await owner.panicButton();
  // None of them asks for more than a key may.
  const keys = await Promise.all(Array.from({ length: 20 }, () => owner.key()));
  for (const key of keys) expect((await world.get(STATE, key)).status).toBe(200);
  const asked = keys.flatMap(key => Array.from({ length: 80 }, () => key));
  // No time passes meanwhile in which they would get more, however long a machine takes for all that.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const answers = await Promise.all(asked.map(async key => (await world.get(STATE, key)).status));
  time.mockRestore();
  const answered = answers.filter(status => status === 200).length;
  expect(new Set(answers)).toEqual(new Set([200, 429]));
  expect(answered).toBeLessThanOrEqual(400);

  const refused = await world.get(STATE, keys[0]);
  if (refused.status === 429) expect(refused.headers.get('retry-after')).toBe('1');
  expect((await world.get(`/v1/panic/${button}/trigger`, keys[1])).status).toBe(202);
  expect((await world.get(STATE, neighbour.key)).status).toBe(200);
  await neighbour.triggers();
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toMatch(/^tocsin_account_calls_limited_total\{class="read"\} [1-9]\d*$/m);
});

test('the tokens of an account have a limit of their own over RPC; its cameras, the operator and its neighbour do not notice', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const neighbour = await aNeighbour(world);
  const [{ accountId, token, console: own }, other] = [await newOwner(world), await newOwner(world)];
  const { secret } = await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  // On so many connections that all of it comes before much of it is answered.
  const many = Array.from({ length: 12 }, () =>
    createClient(LocationService, createGrpcTransport({ baseUrl: world.rpcUrl })),
  );
  const as = { headers: { authorization: `Bearer ${token}` } };
  const settled = await Promise.allSettled(
    many.flatMap(locations => Array.from({ length: 100 }, () => locations.listLocations({}, as))),
  );
  const refused = settled.flatMap(one => (one.status === 'rejected' ? [ConnectError.from(one.reason)] : []));
  const limited = refused.filter(({ code }) => code === Code.ResourceExhausted);
  expect(limited.length).toBeGreaterThan(0);
  expect(limited[0]!.metadata.get('retry-after')).toBe('1');

  expect((await world.get(STATE, secret)).status).toBe(200);
  await consoleOf(world, world.operator, accountId).locations.listLocations({});
  await other.console.locations.listLocations({});
  await neighbour.triggers();
});

test('a key that was revoked, and a token that has ended, use up nothing of their account, and are never told of limits', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const neighbour = await aNeighbour(world);
  const { accountId, token, console: own } = await newOwner(world);
  const [ended, good] = [
    await own.apiKeys.createApiKey({ apiKey: { label: 'Stolen' } }),
    await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } }),
  ];
  await own.apiKeys.revokeApiKey({ apiKeyId: ended.apiKey!.id });
  const expiresAt = timestampFromDate(new Date('2026-01-15T20:01:00Z'));
  const operator = consoleOf(world, world.operator, accountId);
  const left = await operator.accounts.createToken({ label: 'Installer', expiresAt });
  await world.advance(61);
  const [read, list] = [
    () => world.get(STATE, ended.secret),
    () => refusal(consoleOf(world, left.secret).locations.listLocations({})),
  ];
  // No time passes meanwhile in which an account would get more.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => time.mockRestore());
  const reads = await Promise.all(Array.from({ length: 600 }, read));
  const lists = await Promise.all(Array.from({ length: 600 }, list));
  expect(new Set(reads.map(({ status }) => status))).toEqual(new Set([401]));
  expect(new Set(lists.map(({ code }) => code))).toEqual(new Set(['Unauthenticated']));
  expect((await world.get(STATE, good.secret)).status).toBe(200);
  await consoleOf(world, token).locations.listLocations({});
  time.mockRestore();
  await neighbour.triggers();
});

test('RATE_LIMITS=off: nobody is limited and nobody slowed', async () => {
  const world = await startWorld({ rateLimits: 'off' });
  const { console: own } = await newOwner(world);
  await Promise.all(Array.from({ length: 1_000 }, () => own.deployment.getDeployment({})));
  const key = await (await world.account()).key();
  const answers = await Promise.all(Array.from({ length: 500 }, () => world.get(STATE, key)));
  expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
});

test('a thousand made-up keys, and tokens, and sessions at the console’s door, never cost more than two statements at a time, and a key seen for the first time is good among them', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const neighbour = await aNeighbour(world);
  const [owner, known] = [await world.account(), await world.account()];
  const [fresh, good, alarm] = [await owner.key(), await known.key(), await owner.alarm()];
  await world.get(STATE, good);
  const asked = statementsOf(world.store.pool);
  const accepting = statementsOf(world.store.accepting);
  const made = Array.from({ length: 500 }, () => newSecret('toc'));
  const flood = Promise.all([
    ...made.map(key => world.get(STATE, key)),
    ...made.map(key => world.get(`/v1/alarm/${alarm}/trigger`, `${key}`)),
  ]);
  const tokens = Promise.all(
    Array.from({ length: 250 }, () => refusal(consoleOf(world, newSecret('tcn')).locations.listLocations({}))),
  );
  const sessions = Promise.all(
    Array.from({ length: 100 }, () =>
      call(world, 'tocsin.incident.v1.IncidentService/ListIncidents', {
        headers: { cookie: `tocsin-session=${newSecret('tcs')}` },
      }),
    ),
  );
  expect((await world.get(STATE, fresh)).status).toBe(200);
  expect((await world.get(`/v1/alarm/${alarm}/trigger`, fresh)).status).toBe(202);
  expect((await world.get(STATE, good)).status).toBe(200);
  await neighbour.triggers();

  const answers = (await flood).filter(isInTime);
  expect(new Set(answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1);
  expect(answers[0]!.status).toBe(401);
  expect(new Set((await tokens).map(({ code }) => code))).toEqual(new Set(['Unauthenticated']));
  expect(new Set((await sessions).filter(isInTime).map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect((await sessions)[0]!.status).toBe(401);
  // One line for those that were good before, one for all others.
  for (const name of ['known_keys', 'find_holders']) expect(asked(name).most, name).toBeLessThanOrEqual(2);
  expect(asked('known_keys').all).toBeGreaterThan(0);
  expect(accepting('judged_by').most).toBeLessThanOrEqual(2);
  // At both doors whoever tries is answered later, and whoever is good was not.
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  for (const door of ['http', 'rpc']) {
    expect(metrics).toMatch(
      new RegExp(`^tocsin_bad_credentials_total\\{door="${door}",answered="slowly"\\} [1-9]`, 'm'),
    );
  }
  // Nothing was read on behalf of anybody who is nobody.
  expect(asked('get_state').all).toBe(2);
  // What the neighbour reads of its own incident.
  expect(asked('find_holder').all).toBeLessThanOrEqual(2);
});

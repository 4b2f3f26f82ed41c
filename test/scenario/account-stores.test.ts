import { ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { ROOMY } from '../../services/limits/disk.ts';
import { createKept, KEEP_ALL } from '../../services/limits/kept.ts';
import { consoleOf, newOwner, refusal } from '../support/console.ts';
import type { Owner, Told } from '../support/owner.ts';
import { startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "What an account may store": an account at its limits, and a second one beside it that does not notice. */

/** A thousandth of what accounts may store, as if the day had been long, in which nothing grows back. */
const scarce = () => createKept({ disk: ROOMY, times: 0.001, now: () => 0 });

async function aHouse(world: World, options: { test?: boolean; messages?: number } = {}) {
  const owner = await world.account({ ownerEmail: 'otto@example.com' });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const steps = Array.from({ length: options.messages ?? 1 }, () => ({
    delayS: 60,
    contacts: [{ contactId, channels: ['email' as const] }],
  }));
  const policyId = await owner.policy(steps);
  const alarm = await owner.alarm({ test: options.test ?? false, clearOnDisarm: true, modes: { away: { policyId } } });
  const button = await owner.panicButton({ policyId });
  const key = await owner.key();
  const call = async (path: string) => (await world.get(`/v1/${path}`, key)).status;
  return { owner, alarm, button, key, call };
}

const all = (how: number, what: () => Promise<number>) =>
  Array.from({ length: how }).reduce<Promise<number[]>>(
    async before => [...(await before), await what()],
    Promise.resolve([]),
  );

const noticesOf = async (world: World, { accountId }: Owner) =>
  (await world.rows<{ kind: string }>('SELECT kind FROM notice WHERE account_id = $1', [accountId])).map(
    ({ kind }) => kind,
  );

test('what grows back between two incidents is no part of a message', async () => {
  const world = await startWorld({ kept: { ...KEEP_ALL, left: () => 20.4 } });
  const { owner, alarm, call } = await aHouse(world, { messages: 40 });
  expect(await call(`alarm/${alarm}/trigger`)).toBe(202);
  await world.settle();
  const [{ deliveries, timeline }] = (await owner.incidents()) as [Told];
  expect(deliveries).toHaveLength(20);
  const left = timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
  expect(left.find(({ kind }) => kind === 'escalation_capped')).toMatchObject({ detail: '20' });
});

test('calls in test are told to wait beyond 20,000; owners hear of it, and live triggers alert on', async () => {
  const world = await startWorld({ kept: scarce() });
  const [busy, beside] = [await aHouse(world, { test: true }), await aHouse(world, { test: true })];
  const answers = await all(22, () => busy.call(`alarm/${busy.alarm}/trigger`));
  expect(answers).toEqual([...Array(20).fill(202), 429, 429]);
  const told = await world.get(`/v1/alarm/${busy.alarm}/trigger`, busy.key);
  // It grows back by half a call in a thousand seconds here.
  expect(told.headers.get('retry-after')).toBe('2000');
  expect(told.body.message).toContain('Wait 2000 seconds, then');
  expect(await busy.call(`panic/${busy.button}/trigger`)).toBe(202);
  expect(await beside.call(`alarm/${beside.alarm}/trigger`)).toBe(202);
  await world.settle();
  expect(await noticesOf(world, busy.owner)).toContain('calls_limited');
  expect(await noticesOf(world, beside.owner)).not.toContain('calls_limited');
  const [panic] = (await busy.owner.incidents()).filter(({ environment }) => environment === 'live');
  expect(panic).toMatchObject({ status: 'open', deliveries: [{ status: 'scheduled' }] });
});

test('what was just switched to live is taken at once, whatever is remembered of it', async () => {
  const world = await startWorld({ kept: scarce() });
  const { owner, alarm, call } = await aHouse(world, { test: true });
  await all(20, () => call(`alarm/${alarm}/trigger`));
  expect(await call(`alarm/${alarm}/trigger`)).toBe(429);
  await world.rows('UPDATE source SET test = false WHERE id = $1', [alarm]);
  expect(await call(`alarm/${alarm}/trigger`)).toBe(202);
  await world.settle();
  expect((await owner.incidents()).filter(({ environment }) => environment === 'live')).toHaveLength(1);
});

test('clears and disarms are told to wait once 10,000 have ended an incident, so that no more of them open; triggers count on', async () => {
  const world = await startWorld({ kept: scarce() });
  const [busy, beside] = [await aHouse(world), await aHouse(world)];
  // What ends nothing is no end.
  for (let nth = 0; nth < 4; nth++) {
    expect(await all(4, () => busy.call(`alarm/${busy.alarm}/clear`))).toEqual(Array(4).fill(202));
    await world.settle();
  }
  for (let nth = 0; nth < 10; nth++) {
    expect(await busy.call(`alarm/${busy.alarm}/trigger`)).toBe(202);
    expect(await busy.call(`alarm/${busy.alarm}/${nth % 2 === 0 ? 'clear' : 'disarm'}`)).toBe(202);
  }
  expect(await all(3, () => busy.call(`alarm/${busy.alarm}/trigger`))).toEqual([202, 202, 202]);
  expect(await busy.call(`alarm/${busy.alarm}/clear`)).toBe(429);
  expect(await busy.call(`alarm/${busy.alarm}/disarm`)).toBe(429);
  expect(await busy.call(`alarm/${busy.alarm}/arm/night`)).toBe(202);
  expect(await beside.call(`alarm/${beside.alarm}/clear`)).toBe(202);
  await world.settle();
  const open = (await busy.owner.incidents()).filter(({ status }) => status === 'open');
  expect(open).toMatchObject([{ triggerCount: expect.any(Number) }]);
  expect(open[0]!.triggerCount).toBeGreaterThanOrEqual(3);
});

test.each([
  { environment: 'live', least: 10 },
  { environment: 'test', least: 1 },
] as const)('beyond 50,000 messages an incident plans its first $least in $environment, says how many it left out, and the owners of what is live hear of it', async ({
  environment,
  least,
}) => {
  const world = await startWorld({ kept: scarce() });
  const options = { messages: 40, test: environment === 'test' };
  const [busy, beside] = [await aHouse(world, options), await aHouse(world, options)];
  for (const [nth, planned] of [40, 10, least, least].entries()) {
    expect(await busy.call(`alarm/${busy.alarm}/trigger`)).toBe(202);
    await world.settle();
    const [newest] = await busy.owner.incidents();
    expect(newest!.deliveries, `incident ${nth}`).toHaveLength(planned);
    const capped = newest!.timeline.flatMap(({ entry }) => (entry.case === 'change' ? [entry.value] : []));
    const leftOut = capped.filter(({ kind }) => kind === 'escalation_capped').map(({ detail }) => detail);
    expect(leftOut).toEqual(planned === 40 ? [] : [String(40 - planned)]);
    expect(await busy.call(`alarm/${busy.alarm}/clear`)).toBe(202);
    // Of two of one moment none is the newest.
    await world.advance(1);
  }
  expect((await noticesOf(world, busy.owner)).includes('escalation_capped')).toBe(environment === 'live');
  expect(await beside.call(`alarm/${beside.alarm}/trigger`)).toBe(202);
  await world.settle();
  expect((await beside.owner.incidents())[0]!.deliveries).toHaveLength(40);
});

test('changes wait once the audit has 100 MB of them, with a sentence that says for how long; calls and others do not', async () => {
  const little = createKept({ disk: ROOMY, times: 0.00005, now: () => 0 });
  const world = await startWorld({ kept: { ...little, thingsMost: KEEP_ALL.thingsMost } });
  const [busy, beside] = [await newOwner(world), await newOwner(world)];
  const change = async (console: typeof busy.console, nth: number) =>
    console.locations.createLocation({ location: { name: `Home ${nth}` } });
  const { location } = await change(busy.console, 100);
  const { apiKey } = await busy.console.apiKeys.createApiKey({ apiKey: { label: 'Stolen' } });
  let refused: ConnectError | null = null;
  for (let nth = 0; nth < 30 && refused === null; nth++) {
    refused = await change(busy.console, nth).then(
      () => null,
      error => ConnectError.from(error),
    );
  }
  expect(refused?.rawMessage).toMatch(
    /^This account has changed more than .*: try again in \d+ s, or ask the operator/,
  );
  expect(Number(refused?.metadata.get('retry-after'))).toBeGreaterThan(0);
  await change(beside.console, 0);
  // What ends something is never refused: a key that leaked, a token, what takes up room.
  const revoked = await busy.console.apiKeys.revokeApiKey({ apiKeyId: apiKey!.id });
  expect(revoked.apiKey!.status).toBe('revoked');
  await busy.console.locations.deleteLocation({ locationId: location!.id });
  const operator = consoleOf(world, world.operator, busy.accountId);
  const { tokens } = await operator.accounts.listTokens({});
  await operator.accounts.revokeToken({ tokenId: tokens[0]!.id });
  await operator.accounts.deleteAccount({ accountId: busy.accountId });
});

test('an account has so many things of each kind, and as many again once some are gone; a neighbour has its own', async () => {
  const world = await startWorld({ kept: { ...KEEP_ALL, thingsMost: () => 3 } });
  const [full, beside] = [await newOwner(world), await newOwner(world)];
  const add = (nth: number, { console } = full) =>
    console.locations.createLocation({ location: { name: `Home ${nth}` } });
  const ids: string[] = [];
  for (const nth of [1, 2, 3]) ids.push((await add(nth)).location!.id);
  expect(await refusal(add(4))).toMatchObject({
    code: 'FailedPrecondition',
    message: expect.stringContaining('Locations: an account may have 3 of them'),
  });
  await add(1, beside);
  await full.console.locations.deleteLocation({ locationId: ids[0]! });
  await add(5);
  const { locations } = await full.console.locations.listLocations({});
  expect(locations.map(({ name }) => name)).toEqual(['Home 2', 'Home 3', 'Home 5']);
  // A change of what is there takes no room.
  await full.console.locations.updateLocation({ location: { ...locations[0]!, name: 'Cabin' } });
});

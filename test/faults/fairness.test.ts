import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test } from 'vitest';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import { CHANNELS } from '../../services/domain/delivery.ts';
import type { Owner } from '../support/owner.ts';
import { eventually, expectInTime } from '../support/wait.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';

/**
 * What a neighbour hardly notices, however little it waited before: as long as so many of the calls that disturb it take while
 * nobody is in their way. Whoever stood behind them would wait for tens and hundreds of them.
 */
const HARDLY_CALLS = 8;

/** A policy larger than any that owners may have: 12,000 messages asked for in one incident. */
async function largestPolicy(owner: Owner): Promise<string> {
  const addresses = {
    text: '+15550100',
    call: '+15550100',
    email: 'a@example.com',
    push: 'topic',
    webhook: 'https://a.example',
  };
  const contacts = await Promise.all(Array.from({ length: 20 }, (_, n) => owner.contact(`Contact ${n}`, addresses)));
  const told = contacts.map(contactId => ({ contactId, channels: [...CHANNELS] }));
  const steps = Array.from({ length: 20 }, () => ({ delayS: 60, contacts: told }));
  return owner.policy(steps, { times: 5, delayS: 60 });
}

interface House {
  owner: Owner;
  key: string;
  alarms: string[];
}

async function house(world: World, alarms: number, policyId: (owner: Owner) => Promise<string>): Promise<House> {
  const owner = await world.account();
  const bound = { windowS: 0, policyId: await policyId(owner) };
  const made = Array.from({ length: alarms }, () => owner.alarm({ modes: { away: bound } }));
  return { owner, key: await owner.key(), alarms: await Promise.all(made) };
}

/** How long it takes from a call's answer until it is applied, in milliseconds. */
async function appliedAfter(world: World, { owner, key, alarms }: House, verb: string): Promise<number> {
  const answer: Answer = await world.get(`/v1/alarm/${alarms[0]}/${verb}`, key);
  expect(answer.status).toBe(202);
  const began = performance.now();
  await eventually(async () => (await owner.call(answer)).outcome !== 'accepted' && 'applied', {
    what: `${verb} to be applied`,
    within: 30_000,
  });
  return performance.now() - began;
}

/** How long a neighbour's calls wait to be applied, in milliseconds: the median of so many, one after the other. */
async function usual(world: World, neighbour: House, calls: number): Promise<number> {
  const waits: number[] = [];
  for (let n = 0; n < calls; n++) waits.push(await appliedAfter(world, neighbour, n % 2 === 0 ? 'trigger' : 'clear'));
  return waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)]!;
}

/** What a neighbour hardly notices of the calls of this house, in milliseconds. */
async function hardlyNoticed(world: World, noisy: House): Promise<number> {
  return HARDLY_CALLS * (await usual(world, noisy, 6));
}

const small = (owner: Owner) =>
  owner
    .contact('Anna', { email: 'anna@example.com' })
    .then(contactId => owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]));

/** Sends pairs of trigger and clear to all alarms of a house, eight at a time, and gives the number of those accepted. */
async function flood(world: World, { key, alarms }: House, pairs: number): Promise<number> {
  const paths = Array.from({ length: pairs }).flatMap(() =>
    ['trigger', 'clear'].flatMap(verb => alarms.map(id => `/v1/alarm/${id}/${verb}`)),
  );
  let accepted = 0;
  const sender = async () => {
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      if ((await world.get(path, key)).status === 202) accepted++;
    }
  };
  await Promise.all(Array.from({ length: 8 }, sender));
  return accepted;
}

test('sixty calls of an account with the largest policy hold up nobody else, and all of them are applied', async () => {
  const world = await startWorld();
  const neighbour = await house(world, 1, small);
  const noisy = await house(world, 1, largestPolicy);
  const [undisturbed, hardly] = [await usual(world, neighbour, 10), await hardlyNoticed(world, noisy)];

  expect(await flood(world, noisy, 30)).toBe(60);
  const disturbed = await usual(world, neighbour, 10);
  expectInTime(disturbed, Math.max(2 * undisturbed, hardly));

  await world.settle();
  const [calls] = await world.rows<{ n: number }>(
    'SELECT count(*)::int AS n FROM call_log WHERE account_id = $1 AND applied_at IS NOT NULL',
    [noisy.owner.accountId],
  );
  expect(calls).toEqual({ n: 60 + 6 });
  const planned = await world.rows(
    `SELECT DISTINCT count(*)::int AS n FROM delivery WHERE account_id = $1 GROUP BY incident_id`,
    [noisy.owner.accountId],
  );
  expect(planned).toEqual([{ n: 500 }]);
  expect(await world.rows('SELECT FROM queued_action')).toEqual([]);
});

test('ten alarms with the largest policy, hundreds of calls each: a neighbour is answered, applied and sent as ever', async () => {
  const world = await startWorld();
  const neighbour = await house(world, 1, small);
  const noisy = await house(world, 10, largestPolicy);
  const [undisturbed, hardly] = [await usual(world, neighbour, 10), await hardlyNoticed(world, noisy)];

  const flooding = flood(world, noisy, 60);
  const disturbed = await usual(world, neighbour, 20);
  expectInTime(disturbed, Math.max(2 * undisturbed, hardly));
  await flooding;
  expectInTime(await usual(world, neighbour, 10), Math.max(2 * undisturbed, hardly));
  const waiting = await world.rows<{ account_id: string }>('SELECT DISTINCT account_id FROM queued_action');
  expect(waiting).toEqual([{ account_id: noisy.owner.accountId }]);
});

test('the windows of hundreds of alarms end beside that of a neighbour, which opens with the first of them', async () => {
  const ALARMS = 260;
  const world = await startWorld();
  const inWindows = async (owner: Owner, count: number, policyId: string) => {
    const bound = { windowS: 30, policyId };
    const alarms: string[] = [];
    // A few at once: each waits for a connection.
    while (alarms.length < count) {
      const few = Array.from({ length: Math.min(20, count - alarms.length) }, () =>
        owner.alarm({ modes: { away: bound } }),
      );
      alarms.push(...(await Promise.all(few)));
    }
    return alarms;
  };
  const [noisy, neighbour] = [await world.account(), await world.account()];
  const contacts = await Promise.all(
    Array.from({ length: 5 }, (_, n) => noisy.contact(`Contact ${n}`, { text: '+15550100', call: '+15550100' })),
  );
  const told = contacts.map(contactId => ({ contactId, channels: ['text' as const, 'call' as const] }));
  const steps = [0, 60].map(delayS => ({ delayS, contacts: told }));
  const theirs = await inWindows(noisy, ALARMS, await noisy.policy(steps, { times: 0, delayS: 60 }));
  const ours = await inWindows(neighbour, 1, await small(neighbour));
  for (const [alarms, key] of [
    [theirs, await noisy.key()],
    [ours, await neighbour.key()],
  ] as const) {
    for (const alarm of alarms) expect((await world.get(`/v1/alarm/${alarm}/trigger`, key)).status).toBe(202);
    await world.advance(1);
  }
  const pending = 'SELECT FROM source_state WHERE pending_due_at IS NOT NULL';
  await eventually(async () => (await world.rows(pending)).length === ALARMS + 1, { what: 'all windows to begin' });
  await world.passTime(30);

  // Transactions have numbers in their order, and each opens a few incidents of an account.
  const opened = () =>
    world.rows<{ account_id: string; number: number }>(
      'SELECT account_id, xmin::text::int AS number FROM incident_entry WHERE kind = $1 ORDER BY number',
      ['opened'],
    );
  await eventually(async () => (await opened()).length === ALARMS + 1, { what: 'all of them to open' });
  expect((await opened()).findIndex(({ account_id }) => account_id === neighbour.accountId)).toBeLessThan(20);
});

test('whoever acknowledges or closes does not wait behind the calls of machines that are queued', async () => {
  const world = await startWorld();
  const noisy = await house(world, 10, largestPolicy);
  await flood(world, noisy, 40);
  const [incident] = await world.rows<{ id: string }>('SELECT id FROM incident ORDER BY opened_at DESC LIMIT 1');
  const queued = async () => {
    const [row] = await world.rows<{ n: number }>('SELECT count(*)::int AS n FROM queued_action');
    return row!.n;
  };
  const before = await queued();
  expect(before).toBeGreaterThan(100);
  const client = createClient(IncidentService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const headers = { authorization: `Bearer ${world.operator}`, 'x-tocsin-account': noisy.owner.accountId };
  const { outcome } = await client.acknowledge({ incidentId: incident!.id }, { headers });
  expect(['acknowledged', 'already_closed']).toContain(outcome);
  expect(await queued()).toBeGreaterThan(before / 2);
});

test('a source whose calls cannot be applied is tried for ten minutes, then given up, and holds up nobody', async () => {
  const world = await startWorld();
  const owner = await world.account({ ownerEmail: 'owner@example.com' });
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const policyId = await owner.policy([{ delayS: 0, contacts: [{ contactId, channels: ['email'] }] }]);
  const [bad, good] = [await owner.alarm({ modes: { away: { windowS: 0, policyId } } }), await owner.alarm()];
  const neighbour = await house(world, 1, small);
  const key = await owner.key();
  // Something that no version of the console stores, and a hand in the database might.
  await world.rows(`UPDATE policy SET steps = '[{"delayS": 0}]' WHERE id = $1`, [policyId]);

  const trigger = await world.get(`/v1/alarm/${bad}/trigger`, key);
  const arm = await world.get(`/v1/alarm/${bad}/arm/home`, key);
  const beside = await world.get(`/v1/alarm/${good}/trigger`, key);
  await appliedAfter(world, neighbour, 'trigger');
  await world.settle();
  expect((await owner.call(trigger)).outcome).toBe('accepted');
  expect((await owner.call(arm)).outcome).toBe('accepted');
  expect((await owner.call(beside)).outcome).toBe('opened');

  for (let minutes = 0; minutes < 9; minutes += 3) {
    await world.advance(180);
    expect((await owner.call(trigger)).outcome).toBe('accepted');
  }
  await world.advance(120);
  await world.settle();
  expect(await owner.call(trigger)).toMatchObject({ outcome: 'opened' });
  expect((await owner.call(arm)).outcome).toBe('armed');
  const told = (await owner.incidents()).find(({ sourceId }) => sourceId === bad);
  expect(told).toMatchObject({ outcome: 'nobody_reached', deliveries: [] });
  expect(await world.rows('SELECT kind FROM notice WHERE incident_id = $1', [told!.id])).toEqual([
    { kind: 'nobody_reached' },
  ]);
});

import { Code } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import type { GetIncidentResponse } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { commandLine } from '../../cli/command-line.ts';
import type { World } from '../../support/world.ts';
import { aHouse, fault, type House } from './incident-rig.ts';

/** So many triggers that fold into the open incident of the house, as the engine would log them; `between` calls that do not. */
async function joined(world: World, folds: number, between = 0): Promise<void> {
  await world.rows(
    `INSERT INTO logged_call (account_seq, id, at, applied_at, trace_id, source_seq, incident_seq, verb, mode, environment, outcome)
     SELECT c.account_seq, c.id + n, c.at, c.applied_at, gen_random_uuid(), c.source_seq,
       CASE WHEN n <= $1::int THEN c.incident_seq END, CASE WHEN n <= $1::int THEN 'trigger' ELSE 'clear' END, 'away', 'live',
       CASE WHEN n <= $1::int THEN 'folded' ELSE 'nothing_open' END
     FROM (SELECT * FROM logged_call WHERE outcome = 'opened' ORDER BY id DESC LIMIT 1) c
     CROSS JOIN generate_series(1, $1::int + $2::int) n`,
    [folds, between],
  );
  await world.rows('UPDATE incident SET trigger_count = $1 WHERE closed_at IS NULL', [folds + 1]);
  // Later than all of them.
  await world.rows("SELECT setval('journal_number', (SELECT max(id) / 1024 + 1 FROM logged_call))");
}

const callsOf = ({ timeline }: GetIncidentResponse) =>
  timeline.flatMap(({ entry }) => (entry.case === 'call' ? [entry.value] : []));
const othersOf = ({ timeline }: GetIncidentResponse) => timeline.filter(({ entry }) => entry.case !== 'call');

/** The pages of an incident's calls, from the first on. */
async function pages({ client, asOwner }: House, incidentId: string, callsPageSize = 0) {
  const all = [await client.getIncident({ incidentId, callsPageSize }, asOwner)];
  while (all.at(-1)!.nextCallsPageToken !== '') {
    const callsPageToken = all.at(-1)!.nextCallsPageToken;
    all.push(await client.getIncident({ incidentId, callsPageSize, callsPageToken }, asOwner));
  }
  return all;
}

test('an incident that thirty thousand calls joined is told at once, and the calls page by page, each once and in order', async () => {
  const house = await aHouse();
  const { world, client, asOwner, asOutsider } = house;
  const incidentId = await house.fire();
  await joined(world, 30_000);
  const open = await client.getIncident({ incidentId }, asOwner);
  expect(callsOf(open)).toHaveLength(201);
  const cleared = await house.act('clear');
  await world.settle();

  const [first, ...further] = await pages(house, incidentId);
  expect(further).toHaveLength(149);
  expect(callsOf(first!)).toHaveLength(202);
  expect(callsOf(first!).at(-1)).toMatchObject({ verb: 'clear', traceId: cleared.body.traceId });
  const told = first!.timeline.map(({ entry }) => (entry.case === 'change' ? entry.value.kind : entry.case));
  expect(told).toEqual(expect.arrayContaining(['opened', 'step', 'delivery', 'closed']));
  for (const page of further) {
    expect(page.incident!.id).toBe(incidentId);
    expect(page.timeToHuman).toBeUndefined();
    expect(othersOf(page)).toEqual([]);
    expect(callsOf(page)).toHaveLength(200);
  }
  const ids = [first!, ...further].flatMap(callsOf).map(({ traceId }) => traceId);
  expect(new Set(ids).size).toBe(30_002);
  expect(ids).toHaveLength(30_002);

  expect((await fault(client.getIncident({ incidentId }, asOutsider))).code).toBe(Code.NotFound);
  const callsPageToken = first!.nextCallsPageToken;
  expect((await fault(client.getIncident({ incidentId, callsPageToken }, asOutsider))).code).toBe(Code.NotFound);
});

test('pages of calls go on with what people did and with what joined since, and end', async () => {
  const house = await aHouse();
  const { world, client, asOwner } = house;
  const incidentId = await house.fire();
  await joined(world, 5);
  const first = await client.getIncident({ incidentId, callsPageSize: 3 }, asOwner);
  expect(callsOf(first).map(({ outcome }) => outcome)).toEqual(['opened', 'folded', 'folded', 'folded']);
  await house.act('trigger');
  await client.acknowledge({ incidentId }, asOwner);
  await world.settle();
  const next = (callsPageToken: string) =>
    client.getIncident({ incidentId, callsPageSize: 3, callsPageToken }, asOwner);
  const second = await next(first.nextCallsPageToken);
  expect(callsOf(second).map(({ outcome }) => outcome)).toEqual(['folded', 'folded', 'folded', 'acknowledged']);
  expect(second.nextCallsPageToken).toBe('');
});

test('triggers that waited in the false-alarm window are paged like those that fold', async () => {
  const house = await aHouse();
  for (let nth = 0; nth < 4; nth++) await house.act('trigger/night');
  await house.world.advance(30);
  for (let nth = 0; nth < 3; nth++) await house.act('trigger/night');
  await house.act('clear');
  await house.world.settle();
  const [incident] = await house.owner.incidents();
  const told = await pages(house, incident!.id, 2);
  expect(told.map(page => callsOf(page).length)).toEqual([3, 2, 2, 1]);
  expect(told.flatMap(callsOf).map(({ outcome }) => outcome)).toEqual([
    ...['opened', 'folded', 'closed'],
    ...['folded', 'folded', 'folded', 'folded', 'folded'],
  ]);
  expect(told.slice(1).flatMap(othersOf)).toEqual([]);
});

test('a token of another incident, of nothing, or a size that no page has is refused with a sentence', async () => {
  const house = await aHouse();
  const { world, client, asOwner } = house;
  const before = await house.fire();
  await joined(world, 3);
  await house.act('clear');
  const incidentId = await house.fire();
  await joined(world, 3);
  const { nextCallsPageToken: ofBefore } = await client.getIncident({ incidentId: before, callsPageSize: 1 }, asOwner);
  expect(ofBefore).not.toBe('');
  for (const [wrong, field] of [
    [{ callsPageToken: ofBefore }, 'callsPageToken'],
    [{ callsPageToken: 'nonsense' }, 'callsPageToken'],
    [{ callsPageSize: 201 }, 'callsPageSize'],
    [{ callsPageSize: -1 }, 'callsPageSize'],
  ] as const) {
    const refused = await fault(client.getIncident({ incidentId, ...wrong }, asOwner));
    expect(refused.code).toBe(Code.InvalidArgument);
    expect(refused.rawMessage).toMatch(new RegExp(`^${field} takes .*, got .*\\.$`));
  }
});

test('a closed incident is read without a look at what its source did later, an open one looks at so much at a time', async () => {
  const house = await aHouse();
  const { world } = house;
  const open = await house.fire();
  await joined(world, 2, 45_000);
  const whileOpen = await pages(house, open);
  expect(whileOpen.map(page => callsOf(page).length)).toEqual([3, 0, 0]);
  await house.act('clear');
  await world.settle();
  const closed = await pages(house, open);
  expect(closed.map(page => callsOf(page).length)).toEqual([4]);
});

test('incidents show tells that there are more calls, and shows all with --all', async () => {
  const house = await aHouse();
  const { world, owner } = house;
  const incidentId = await house.fire();
  await joined(world, 450);
  const shell = commandLine({
    TOCSIN_RPC_URL: world.rpcUrl,
    TOCSIN_TOKEN: world.operator,
    TOCSIN_ACCOUNT: owner.accountId,
  });
  const some = await shell.text('incidents', 'show', incidentId);
  expect(some.err).toBe('More triggers joined it (451 in all): pass --all to see each.\n');
  expect(some.out.match(/→ folded/g)).toHaveLength(200);
  expect((await shell.json('incidents', 'show', incidentId)).json.nextCallsPageToken).not.toBe('');
  const all = await shell.text('incidents', 'show', incidentId, '--all');
  expect(all.err).toBe('');
  expect(all.out.match(/→ folded/g)).toHaveLength(450);
  expect((await shell.json('incidents', 'show', incidentId, '--all')).json.nextCallsPageToken).toBe('');
});

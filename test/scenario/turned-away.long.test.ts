import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { expect, test, vi } from 'vitest';
import { InventoryService } from '../../gen/tocsin/inventory/v1/inventory_pb.ts';
import { consoleOf, refusal } from '../support/console.ts';
import { eventually } from '../support/wait.ts';
import { type Answer, startWorld, type World } from '../support/world.ts';

/* DECISIONS.md "Limited and shed calls": what was turned away unjudged is kept, counted and said. */

async function twoHouses() {
  const world = await startWorld({ rateLimits: 'on' });
  const [owner, neighbour] = [await world.account({ ownerEmail: 'owner@example.com' }), await world.account()];
  const [alarm, key] = [await owner.alarm(), await owner.key()];
  const [other, otherKey] = [await neighbour.alarm(), await neighbour.key()];
  const console = consoleOf(world, world.operator, owner.accountId);
  const neighbours = consoleOf(world, world.operator, neighbour.accountId);
  return { world, owner, alarm, key, console, neighbours, other, otherKey };
}

type House = Awaited<ReturnType<typeof twoHouses>>;

/** Arms until so many calls were refused, and gives their answers. */
async function armTooOften({ alarm, key }: House, world: World, refused: number): Promise<Answer[]> {
  const limited: Answer[] = [];
  // No time passes meanwhile in which there would be room for more.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  while (limited.length < refused) {
    const answers = await Promise.all(Array.from({ length: 40 }, () => world.get(`/v1/alarm/${alarm}/arm`, key)));
    limited.push(...answers.filter(({ status }) => status === 429));
  }
  time.mockRestore();
  return limited;
}

/** How many calls of an outcome the log tells of, and in how many rows. */
async function logged(of: House['console'], outcome: string) {
  const { calls } = await of.incidents.listCalls({ outcome, pageSize: 200 });
  return { rows: calls.length, calls: calls.reduce((sum, { times }) => sum + times, 0) };
}

const found = async (of: House['console'], code: string) =>
  (await of.readiness.getReadiness({})).sources.flatMap(({ findings }) => findings).filter(one => one.code === code);

const noticed = async (of: House['console'], kind: string) =>
  (await of.accounts.listNotices({})).notices.filter(one => one.kind === kind).length;

test('a limited action is found by its traceId, further ones are counted; readiness and a notice a day say so, to nobody else', async () => {
  const house = await twoHouses();
  const { world, owner, console, neighbours, other, otherKey } = house;
  const limited = await armTooOften(house, world, 30);
  await eventually(
    async () => {
      await world.settle();
      return (await logged(console, 'limited')).calls === limited.length;
    },
    { what: 'every limited call to be told of' },
  );
  const log = await logged(console, 'limited');
  expect(log.rows).toBeGreaterThan(1);
  expect(log.rows).toBeLessThan(20);
  const call = await owner.call(limited[0]!);
  expect(call).toMatchObject({ outcome: 'limited', verb: 'arm', sourceId: house.alarm, times: 1 });
  expect(call.explanation).toMatch(/refused \(429\) and not done/);
  expect(await found(console, 'calls_limited')).toMatchObject([
    { severity: 'warns', problem: expect.stringContaining(`${limited.length} calls to it were refused (429)`) },
  ]);

  await armTooOften(house, world, 1);
  await world.settle();
  expect(await noticed(console, 'calls_limited')).toBe(1);

  expect((await world.get(`/v1/alarm/${other}/arm`, otherKey)).status).toBe(202);
  await world.settle();
  expect(await logged(neighbours, 'limited')).toEqual({ rows: 0, calls: 0 });
  expect([await found(neighbours, 'calls_limited'), await noticed(neighbours, 'calls_limited')]).toEqual([[], 0]);
  expect(await refusal(neighbours.incidents.findCall({ traceId: limited[0]!.body.traceId }))).toMatchObject({
    code: 'NotFound',
  });

  // A day later it is over.
  await world.advance(25 * 3600);
  expect(await found(console, 'calls_limited')).toEqual([]);
});

test('shed calls are counted for the account of their key, and said in readiness and by a notice', async () => {
  const { world, alarm, key, console, neighbours, otherKey } = await twoHouses();
  const inventory = createClient(
    InventoryService,
    createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }),
  );
  const shed = { refusal: 'shed', verb: 'trigger', sourceId: alarm, times: 7 };
  await inventory.checkKey(shed, { headers: { 'x-api-key': key } });
  // With a key of somebody else it counts for nobody's alarm.
  await inventory.checkKey(shed, { headers: { 'x-api-key': otherKey } });
  await world.settle();
  expect(await logged(console, 'shed')).toEqual({ rows: 1, calls: 7 });
  expect(await found(console, 'calls_shed')).toMatchObject([
    { severity: 'warns', problem: expect.stringContaining('7 calls to it were refused (503)') },
  ]);
  expect(await noticed(console, 'calls_shed')).toBe(1);
  expect(await found(neighbours, 'calls_shed')).toEqual([]);
});

import { expect, test, vi } from 'vitest';
import { isInTime } from '../support/crowd.ts';
import { startWorld, type World } from '../support/world.ts';

/** How many calls are made at once where there are too many: more than any key may. */
const FLOOD = 2_000;

async function flood(world: World, path: string, key: string) {
  const answers = await Promise.all(Array.from({ length: FLOOD }, () => world.get(path, key)));
  return Map.groupBy(answers.filter(isInTime), ({ status }) => status);
}

test('one key at full tilt is told to wait; its other alarms, its panic button and its neighbour are not', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const [owner, neighbour] = [await world.account(), await world.account()];
  const [noisy, quiet, button] = [await owner.alarm(), await owner.alarm(), await owner.panicButton()];
  const [key, othersKey, othersAlarm] = [await owner.key(), await neighbour.key(), await neighbour.alarm()];
  await world.get('/v1/integration/state', key);

  // No time passes meanwhile in which it would get more, however long a machine takes for all that.
  const time = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  const answers = await flood(world, `/v1/alarm/${noisy}/trigger`, key);
  time.mockRestore();
  expect([...answers.keys()].sort()).toEqual([202, 429]);
  expect(answers.get(202)!.length).toBeGreaterThanOrEqual(400);
  const [refused] = answers.get(429)!;
  expect(refused!.headers.get('retry-after')).toBe('1');
  expect(refused!.body).toEqual({
    error: true,
    message: 'Too many calls were made with this key or by its account. Wait a second, then send this one again.',
    links: {},
    traceId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    data: {},
  });

  expect((await world.get(`/v1/alarm/${quiet}/trigger`, key)).status).toBe(202);
  for (let nth = 0; nth < 50; nth++) expect((await world.get(`/v1/panic/${button}/trigger`, key)).status).toBe(202);
  expect((await world.get(`/v1/alarm/${othersAlarm}/trigger`, othersKey)).status).toBe(202);
  const metrics = await (await fetch(`${world.url}/metrics`)).text();
  expect(metrics).toMatch(/^tocsin_http_calls_limited_total\{class="trigger"\} \d+$/m);
});

test('a bad key is told the same however often it asks, and a good one behind the same address is not slowed', async () => {
  const world = await startWorld({ rateLimits: 'on' });
  const owner = await world.account();
  const [key, alarm] = [await owner.key(), await owner.alarm()];
  const path = `/v1/alarm/${alarm}/trigger`;
  const answers = await flood(world, path, `${key.slice(0, -1)}~`);
  expect([...answers.keys()]).toEqual([401]);
  expect(new Set(answers.get(401)!.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect((await world.get(path, key)).status).toBe(202);
});

import { expect, onTestFinished, test } from 'vitest';
import { askOwnWay } from '../../facade/own-way.ts';
import { scrape } from '../run/watching.ts';
import { startHangingHosts } from '../support/hanging.ts';
import { startHeartbeats } from '../support/heartbeats.ts';
import { startWorld } from '../support/world.ts';

/* DECISIONS.md "Watchman": a facade asks itself at its own door, with a key that nobody has. */

test('a facade that reaches its services answers itself, each time with another key; the figure says so', async () => {
  const world = await startWorld();
  expect([await askOwnWay(world.url), await askOwnWay(world.url)]).toEqual(['answers', 'answers']);
  const own = (await scrape(world.url)).find(({ name }) => name === 'tocsin_http_own_way');
  expect(own).toMatchObject({ value: 1 });
});

test('one that cannot ask its services, answers nobody or is gone does not', async () => {
  const { url } = await startHeartbeats((_request, response) => response.writeHead(503).end());
  const hosts = await startHangingHosts(1);
  onTestFinished(hosts.stop);
  for (const door of [url, hosts.urls[0]!, 'http://127.0.0.1:9']) expect(await askOwnWay(door)).toBe('fails');
  const world = await startWorld();
  const own = (await scrape(world.url)).find(({ name }) => name === 'tocsin_http_own_way');
  expect(own).toMatchObject({ value: 0 });
});

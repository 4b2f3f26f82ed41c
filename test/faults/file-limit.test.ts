import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { eventually } from '../support/wait.ts';
import { emptyFolder } from './embedded-rig.ts';
import { call, startProduct } from './product.ts';

vi.setConfig({ testTimeout: 90_000 });

/** How many files the product may open, and how many connections somebody without a key opens. */
const FILES = 300;
const ATTACKERS = 900;

test('connections that never finish what they say leave the product alive, and whoever is connected is served', async () => {
  const product = startProduct({ DATA_DIR: await emptyFolder() }, { files: FILES });
  const ready = await product.ready();
  const { hostname, port } = new URL(ready.http);
  expect(product.printed().stderr).toContain('raise the limit with \\"ulimit -n 65536\\"');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  const read = () =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'x-api-key': ready.apiKey ?? '' };
      get(`${ready.http}/v1/integration/state`, { agent, headers }, answer => {
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      }).on('error', reject);
    });
  expect(await read()).toBe(200);

  const open = new Set(
    Array.from({ length: ATTACKERS }, () => {
      const socket = connect({ host: hostname, port: Number(port) });
      socket.on('error', () => {}).resume();
      socket.once('close', () => open.delete(socket));
      socket.write('POST /i/token/acknowledge HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nabc');
      return socket;
    }),
  );
  // Whoever is connected goes on asking: a connection that rests for seconds is closed, and there would be no room for another.
  await eventually(async () => (await read()) === 200 && open.size < FILES, {
    what: 'all that are too many to be closed',
  });
  expect(open.size).toBeGreaterThan(0);
  for (let nth = 0; nth < 20; nth++) expect(await read()).toBe(200);
  // Nor does anybody have to be connected already.
  for (let nth = 0; nth < 20; nth++) expect(await call(ready, 'integration/state')).toBe(200);

  // Whoever stays silent is cut off in time, and there is room again.
  await Promise.all([...open].map(socket => once(socket, 'close')));
  expect(await call(ready, 'integration/state')).toBe(200);
  expect(product.printed().stderr).not.toMatch(/unforeseen|unexpected error|EMFILE/);
});

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { pythonWithGrpc } from '../support/python-program.ts';
import { anOpenIncident, snippet } from '../support/services-page.ts';
import { startWorld } from '../support/world.ts';

/* The examples of facade/docs/services.md as they stand there; that for Node is run in test/sdk/package.test.ts. */

const run = promisify(execFile);

test('the lines for curl list what is open and trigger, with a token and with a key', async () => {
  const world = await startWorld();
  const { token, key, alarmId, sourceName } = await anOpenIncident(world);
  const env = { ...process.env, TOCSIN_TOKEN: token, TOCSIN_KEY: key, TOCSIN_ACCOUNT: '', ALARM: alarmId };
  const { stdout } = await run('bash', ['-euc', snippet('sh', world)], { env });
  const [listed, triggered] = stdout.split('}{').map((part, nth) => JSON.parse(nth === 0 ? `${part}}` : `{${part}`));
  expect(listed.incidents).toMatchObject([{ sourceName, status: 'open' }]);
  expect(triggered).toMatchObject({ environment: 'live', location: { name: 'Home' } });
});

test('the lines for Python list what is open, with the descriptors of this deployment', async () => {
  const world = await startWorld();
  const { token, sourceName } = await anOpenIncident(world);
  const { path, env } = await pythonWithGrpc();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-python-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'page.py'), snippet('python', world));
  const { stdout } = await run(path, ['page.py'], {
    cwd: folder,
    env: { ...process.env, ...env, PYTHONIOENCODING: 'utf-8', TOCSIN_TOKEN: token },
  });
  expect(stdout).toBe(`${sourceName} nobody_to_alert\n`);
});

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { cached } from './cache.ts';
import { eventually } from './wait.ts';

/** Not a dependency: it brings 280 packages for one test, which fetches it once into the cache folder of the repository. */
const PACKAGE = 'node-red@5.0.7';

/** Starts Node-RED itself with a flow as somebody imported it; it ends with the test. `press` is the button of an inject node. */
export async function startNodeRed(flow: string): Promise<{ press(nodeId: string): Promise<void> }> {
  const program = await cached(PACKAGE, async folder => {
    const flags = ['--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '--no-save'];
    await promisify(execFile)('npm', ['install', ...flags, PACKAGE], { timeout: 240_000 });
    return folder;
  });
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-node-red-'));
  await writeFile(join(folder, 'flows.json'), flow);
  const red = join(program, 'node_modules', 'node-red', 'red.js');
  const running = spawn(process.execPath, [red, '-u', folder, '-p', '0', '-D', 'uiHost=127.0.0.1', 'flows.json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [running.stdout, running.stderr]) stream.setEncoding('utf8').on('data', text => (said += text));
  const gone = once(running, 'exit');
  onTestFinished(async () => {
    running.kill('SIGKILL');
    await gone;
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  const url = await eventually(
    async () => {
      if (running.exitCode !== null) throw new Error(`Node-RED ended at once. It said: ${said}`);
      return said.includes('Started flows') ? /Server now running at (http:\S+)/.exec(said)?.[1] : null;
    },
    { what: `Node-RED to start the flow. It said: ${said}`, within: 60_000 },
  );
  return {
    async press(nodeId) {
      const { status } = await fetch(`${url}inject/${nodeId}`, { method: 'POST' });
      if (status !== 200) throw new Error(`Node-RED answered ${status}: ${said}`);
    },
  };
}

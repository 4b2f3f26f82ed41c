import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { newOwner } from '../support/console.ts';
import { startWorld } from '../support/world.ts';

const run = promisify(execFile);
const BIN = fileURLToPath(new URL('../../facade/cli/bin/tocsin', import.meta.url));

/** Processor time of a command and all that it starts, user and system, in seconds. */
async function cpuOf(argv: readonly string[], env: Record<string, string> = {}): Promise<number> {
  const timed = 'TIMEFORMAT="%U %S"; { time "$@" >&3 2>&4; } 3>/dev/null 4>&2';
  const { PATH, HOME } = process.env as Record<string, string>;
  const { stderr } = await run('bash', ['-ec', timed, 'bash', ...argv], { env: { PATH: PATH!, HOME: HOME!, ...env } });
  const [user = Number.NaN, system = Number.NaN] = stderr.trim().split(' ').map(Number);
  return user + system;
}

/** How many times what a bare Node takes: 0.3 s are ten times, where that is 0.03 s. A busy machine slows the larger more. */
const MOST = { help: 5, list: 14 };

test('help and a list take a few times the processor time of a bare Node', async () => {
  const world = await startWorld();
  const { token } = await newOwner(world);
  const env = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token };
  const commands = {
    bare: () => cpuOf([process.execPath, '-e', '0']),
    help: () => cpuOf([BIN, '--help']),
    list: () => cpuOf([BIN, 'alarms', 'list'], env),
  };
  const least = { bare: Infinity, help: Infinity, list: Infinity };
  for (let round = 0; round < 6; round += 1) {
    for (const name of ['bare', 'help', 'list'] as const) least[name] = Math.min(least[name], await commands[name]());
  }
  const inAll = Object.entries(least).map(([name, seconds]) => `${name} ${seconds.toFixed(3)} s`);
  console.log(`Processor time of a start: ${inAll.join(', ')}`);
  expect(least.help / least.bare).toBeLessThan(MOST.help);
  expect(least.list / least.bare).toBeLessThan(MOST.list);
});

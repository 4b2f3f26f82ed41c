import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from './support/wait.ts';

/** A process that says when it is asked to stop, takes for ever to do so, and answers to every line in the meantime. */
const SLOW = `
  import { stopSignal } from '${new URL('../services/process/run.ts', import.meta.url).href}';
  process.stdin.on('data', () => console.log('still here'));
  stopSignal().then(() => console.log('stopping'));
  console.log('running');
`;

test('the first signal asks for a clean stop, also when it comes twice at once; one more exits with code 1', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SLOW], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async () => (await lines.next()).value;
  expect(await next()).toBe('running');

  // What npm start gets when somebody presses Ctrl-C: the terminal's signal and npm's.
  child.kill('SIGINT');
  child.kill('SIGTERM');
  expect(await next()).toBe('stopping');
  child.stdin.write('?\n');
  expect(await next()).toBe('still here');

  const exit = once(child, 'exit');
  await eventually(() => !child.kill('SIGINT') || child.exitCode !== null, { what: 'the process to give up' });
  expect((await exit)[0]).toBe(1);
});

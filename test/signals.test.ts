import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** A process that has written to a share whose server is gone: opening a pipe that nobody reads hangs as that does. */
const HUNG = (pipe: string) => `
  import { open } from 'node:fs/promises';
  import { Worker } from 'node:worker_threads';
  import { runProcess } from '${new URL('../services/process/run.ts', import.meta.url).href}';
  const settings = { logLevel: 'info', facts: { ports: {}, databaseUrl: null }, hints: [], service: 'hung', collector: null };
  await runProcess(() => settings, async () => {
    void open('${pipe}', 'w');
    new Worker("import('node:fs/promises').then(({ open }) => open('${pipe}', 'w'))", { eval: true });
    console.log('running');
  });
`;

test('a stop ends the process though a call of the system hangs in it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-hung-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const child = spawn(process.execPath, ['--input-type=module', '--eval', HUNG(pipe)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', text => (said += text));
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  await once(child, 'exit');
  expect(said).toContain('Tocsin has stopped.');
}, 30_000);

#!/usr/bin/env node
// The command line's way in. Plain JavaScript, because the Node of the machine may be too old for the rest: it hands over to
// the Node that package.json pins, and passes arguments, streams, signals and the exit code through.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import * as modules from 'node:module';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

const root = new URL('../../', import.meta.url);
const pinned = fileURLToPath(new URL('node_modules/node/bin/node', root));

if (!existsSync(pinned)) {
  const folder = fileURLToPath(root);
  process.stderr.write(
    `tocsin is not installed yet: run npm ci in ${folder} (install scripts allowed), then try again.\n`,
  );
  process.exitCode = 1;
} else if (process.execPath === realpathSync(pinned)) {
  // Half of a start is reading the program. Not in the system's folder for temporary files: others may write there.
  modules.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/tocsin', root)));
  await import('./main.ts');
} else {
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The child ends by itself on these and says with what; this process only waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', fault => {
    process.stderr.write(`tocsin cannot start ${pinned}: ${fault.message}. Run npm ci and try again.\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}

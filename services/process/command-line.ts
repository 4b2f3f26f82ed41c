import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from './settings.ts';

/** The folder that holds the command line and nothing else: on the PATH of a shell, `tocsin` is found everywhere. */
const FOLDER = fileURLToPath(new URL('../../facade/cli/bin', import.meta.url));

/**
 * The line that makes a shell find `tocsin`, to be pasted; null where the PATH of `env` leads there already. Every hint how to
 * start the command line is this one: `npx` would ask a public registry for the name in any other folder, and run what it finds
 * there with the token of the environment.
 */
export function exportOfPath(env: Environment, folder = FOLDER): string | null {
  if (env.PATH?.split(delimiter).includes(folder)) return null;
  return `export PATH="${folder.replace(/[\\"$`]/g, '\\$&')}:$PATH"`;
}

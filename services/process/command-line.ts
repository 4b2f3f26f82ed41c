import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from './settings.ts';

/** The folder that holds the command line and nothing else: on the PATH of a shell, `tocsin` is found everywhere. */
const FOLDER = fileURLToPath(new URL('../../facade/cli/bin', import.meta.url));

/**
 * Returns the line to paste so that a shell finds `tocsin`; null if the PATH of `env` already contains it. Every hint uses this
 * line and never `npx`, which in any other folder would ask a public registry for the name and run what it finds with the token
 * of the environment.
 */
export function exportOfPath(env: Environment, folder = FOLDER): string | null {
  if (env.PATH?.split(delimiter).includes(folder)) return null;
  return `export PATH="${folder.replace(/[\\"$`]/g, '\\$&')}:$PATH"`;
}

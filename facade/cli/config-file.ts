import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { variable } from './config.ts';
import { CliFault, EXIT, usageFault } from './exit.ts';
import type { Io } from './io.ts';

/** A configuration file as read. */
export interface ConfigFile {
  /** Its name in problems: the path as typed, or `stdin`. */
  name: string;
  text: string;
  /** The folder that its `file:` references are relative to. */
  folder: string;
}

/** Reads the file at `path`, or standard input for `-`. Throws a usage fault if it cannot be read. */
export async function readConfigFile(path: string, io: Io): Promise<ConfigFile> {
  if (path === '-') return { name: 'stdin', text: await io.stdin.readAll(), folder: process.cwd() };
  const text = await readFile(path, 'utf8').catch((fault: NodeJS.ErrnoException) => {
    throw usageFault(`${path} cannot be read (${fault.code}): name a YAML file, or - for standard input.`);
  });
  return { name: path, text, folder: dirname(resolve(path)) };
}

/**
 * Returns the secrets that a file refers to: `env:NAME` from this command's environment, `file:path` relative to the
 * file, without its trailing newline. The services never read either. Throws a refused fault that names all that are
 * missing.
 */
export async function resolveSecrets(
  references: readonly string[],
  { name, folder }: ConfigFile,
  io: Io,
): Promise<Record<string, string>> {
  const found = await Promise.all(references.map(reference => resolveSecret(reference, folder, io)));
  const missing = found.filter(secret => 'problem' in secret).map(({ problem }) => problem);
  if (missing.length > 0) {
    throw new CliFault(
      EXIT.refused,
      `${name} refers to secrets that are not here: ${missing.join('; ')}. Nothing was changed.`,
    );
  }
  return Object.fromEntries(found.flatMap(secret => ('value' in secret ? [[secret.reference, secret.value]] : [])));
}

type Secret = { reference: string; value: string } | { reference: string; problem: string };

async function resolveSecret(reference: string, folder: string, io: Io): Promise<Secret> {
  const [source = '', rest = ''] = reference.split(/:(.*)/s);
  if (source === 'env') {
    const value = variable(io.environment, rest);
    return value === null ? { reference, problem: `set ${rest} in the environment` } : { reference, value };
  }
  if (source === 'file') {
    const path = resolve(folder, rest);
    return readFile(path, 'utf8').then(
      text => ({ reference, value: text.replace(/\r?\n$/, '') }),
      (fault: NodeJS.ErrnoException) => ({ reference, problem: `make ${path} readable (${fault.code})` }),
    );
  }
  return { reference, problem: `${reference} is neither env:NAME nor file:path` };
}

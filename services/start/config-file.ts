import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Pool, PoolClient } from 'pg';
import type { FileToApply, ReadFile } from '../configuration/file/apply.ts';
import type { Problem } from '../configuration/file/problem.ts';
import type { NewSecret } from '../configuration/file/write.ts';
import { CONFIG_FILE } from '../domain/actor.ts';
import type { Plan } from '../domain/plan.ts';
import { diskReason, faultCode, StartError } from '../process/start-errors.ts';
import { mismatch, shown } from '../process/text.ts';
import { inTransaction } from '../store/statement.ts';
import { firstAccount } from './first-account.ts';

/** CONFIG_FILE as it is set. */
export interface ConfigFileSetting {
  path: string;
  /** Reads a variable of the environment that the file refers to; null if it is not set. */
  variable(name: string): string | null;
}

/**
 * Applies CONFIG_FILE to the deployment's first account, all of it or nothing; creates the account if there is none. `keep` is
 * given the new API keys within the same transaction. Throws StartError with a sentence for each mistake.
 */
export async function applyConfigFile(
  pool: Pool,
  { path, variable }: ConfigFileSetting,
  on: { plan: Plan; read: ReadFile; keep(client: PoolClient, keys: readonly NewSecret[]): Promise<void> },
): Promise<void> {
  const text = textOf(path);
  const file = await readWithSecrets(text, on.read, reference => secretOf(reference, dirname(path), variable));
  const { announce } = await inTransaction(pool, async client => {
    const { id } = await firstAccount(client, { name: 'Home', plan: on.plan, purpose: 'use' });
    const applied = await file.applyTo(client, id, CONFIG_FILE);
    if (applied.problems.length > 0) throw new StartError(applied.problems.map(one => lineOf(path, one)).join('\n'));
    if (applied.newSecrets.length > 0) await on.keep(client, applied.newSecrets);
    return applied;
  });
  announce();
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path));
  } catch (fault) {
    const code = faultCode(fault) ?? '';
    const reason = FILE_FAULTS[code] ?? diskReason(fault) ?? code;
    throw new StartError(`CONFIG_FILE ${mismatch('the path of a YAML file', `${shown(path)}: ${reason}`)}`);
  }
}

const FILE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};

/** Reads the file, a second time if it refers to secrets. A secret that cannot be found is a problem with its position. */
async function readWithSecrets(
  text: string,
  read: ReadFile,
  secretOf: (reference: string) => string | null,
): Promise<FileToApply> {
  const file = await read(text, {});
  const found = file.missingSecrets.map(reference => [reference, secretOf(reference)] as const);
  const secrets = found.filter((one): one is readonly [string, string] => one[1] !== null);
  return secrets.length === 0 ? file : read(text, Object.fromEntries(secrets));
}

/** Reads `env:NAME` from the environment, and `file:path`, relative to the configuration file, without its trailing newline. */
function secretOf(reference: string, folder: string, variable: ConfigFileSetting['variable']): string | null {
  const [source, name = ''] = reference.split(/:(.*)/s);
  if (source === 'env') return variable(name);
  try {
    return readFileSync(resolve(folder, name), 'utf8').replace(/\r?\n$/, '');
  } catch {
    return null;
  }
}

function lineOf(path: string, { line, column, field, problem, didYouMean }: Problem): string {
  const place = line === 0 ? path : `${path}:${line}:${column}`;
  const meant = didYouMean === '' ? '' : ` Did you mean ${didYouMean}?`;
  return `${place}: ${field === '' ? '' : `${field} `}${problem}${meant}`;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject, onTestFinished } from 'vitest';
import { newId } from '../../services/store/id.ts';
import { dropDatabase, makeDatabase } from '../support/database.ts';

const TOCSIN = fileURLToPath(new URL('../../facade/cli/bin/tocsin', import.meta.url));

export const PASSPHRASE = { BACKUP_PASSPHRASE: 'correct horse battery' };

export const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64) };

/** What a command ended with. */
export interface Ended {
  code: number | null;
  /** The line of JSON, null if there is none. */
  value: Record<string, unknown> | null;
  stderr: string;
}

/** Starts `tocsin` with these settings and no others, in a group of its own. `bytes`: no file may grow larger. */
export function startTocsin(words: readonly string[], settings: Record<string, string>, bytes?: number) {
  const { PATH, HOME } = process.env;
  const limit = bytes === undefined ? '' : `ulimit -f ${Math.ceil(bytes / 512)}; `;
  const child: ChildProcess = spawn('sh', ['-c', `${limit}exec "$0" "$@"`, TOCSIN, ...words], {
    env: { PATH, HOME, ...PASSPHRASE, ...settings },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout!.setEncoding('utf8').on('data', text => (stdout += text));
  child.stderr!.setEncoding('utf8').on('data', text => (stderr += text));
  const closed = once(child, 'close');
  const running = () => child.exitCode === null && child.signalCode === null;
  const kill = async () => {
    if (running()) process.kill(-child.pid!, 'SIGKILL');
    await closed;
  };
  onTestFinished(kill);
  return {
    kill,
    async ended(): Promise<Ended> {
      await closed;
      return { code: child.exitCode, value: stdout.startsWith('{') ? JSON.parse(stdout) : null, stderr };
    },
  };
}

/** Runs `tocsin` to its end. */
export function tocsin(words: readonly string[], settings: Record<string, string>, bytes?: number): Promise<Ended> {
  return startTocsin(words, settings, bytes).ended();
}

/** A folder for backups that is gone with the test. */
export async function shelf(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-shelf-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The settings of a deployment on an empty database of the run's server. */
export async function emptyDatabase(): Promise<typeof SECRETS & { DATABASE_URL: string }> {
  const name = `backup_${newId()}`;
  const url = await makeDatabase(inject('postgresUrl'), { name, from: 'template0' });
  onTestFinished(() => dropDatabase(inject('postgresUrl'), name));
  return { ...SECRETS, DATABASE_URL: url };
}

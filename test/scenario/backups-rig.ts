import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { commandLine } from '../cli/command-line.ts';
import type { World } from '../support/world.ts';

export const PASSPHRASE = 'correct horse battery';
export const [HOUR_S, DAY_S] = [3_600, 86_400];

/** A folder for backups, gone with the test. */
export async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-backups-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const backupsIn = async (folder: string) => (await readdir(folder)).sort();

/** Makes files that hang whoever opens them for writing, as on a share whose server is gone, until the returned function is called. */
export function hanging(...files: string[]): () => void {
  execFileSync('mkfifo', files);
  // Synchronously: all threads may hang.
  const answer = () => {
    for (const file of files) {
      try {
        closeSync(openSync(file, constants.O_RDONLY | constants.O_NONBLOCK));
      } catch {}
    }
  };
  onTestFinished(answer);
  return answer;
}

/** The file by which a folder is tried. */
export const probeIn = (folder: string) => join(folder, `.probe-${process.pid}`);

/** What doctor says of backups to the operator. */
export async function doctor(world: World, token = world.operator) {
  const as = { TOCSIN_RPC_URL: world.rpcUrl, TOCSIN_TOKEN: token, TOCSIN_ACCOUNT: '' };
  const { json } = await commandLine(as).json('doctor');
  return (json.checks as { name: string; verdict: string; found: string; fix: string }[]).find(
    ({ name }) => name === 'backup',
  )!;
}

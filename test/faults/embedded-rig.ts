import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from 'pg';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { startEmbedded } from '../../services/embedded/embedded.ts';
import type { Rows } from '../support/history/load.ts';
import { eventually } from '../support/wait.ts';

/** A folder that is gone with the test, and with it the server that may still run in it. */
export async function emptyFolder(mode = 0o755): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'tocsin-embedded-')));
  await chmod(folder, mode);
  onTestFinished(async () => {
    for (const path of [folder, join(folder, 'data')]) {
      const pid = await serverPid(path).catch(() => 0);
      if (pid > 0 && pid !== process.pid && isAlive(pid)) await kill(pid);
    }
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Starts PostgreSQL in this process; it stops with the test. */
export async function start(dataDir: string, { shelter = '/nowhere', settings = [] as string[] } = {}) {
  const postgres = await startEmbedded({ dataDir, shelter, settings, log: pino({ level: 'silent' }) });
  onTestFinished(postgres.stop);
  return postgres;
}

/** Another process that holds the folder: what it said first is the URL, or why not. */
export async function hold(dataDir: string): Promise<{ process: ChildProcess; said: string }> {
  const script = fileURLToPath(new URL('hold-embedded.ts', import.meta.url));
  const holder = spawn(process.execPath, [script, dataDir], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => kill(holder));
  const [said] = await once(createInterface(holder.stdout), 'line');
  return { process: holder, said };
}

/** SIGKILL, and waits until it is gone. */
export async function kill(target: ChildProcess | number): Promise<void> {
  if (typeof target === 'number') {
    process.kill(target, 'SIGKILL');
    await eventually(() => !isAlive(target), { what: `process ${target} to be gone` });
  } else if (target.exitCode === null && target.signalCode === null) {
    const exit = once(target, 'exit');
    target.kill('SIGKILL');
    await exit;
  }
}

export async function serverPid(dataDir: string): Promise<number> {
  return Number((await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

/** Not so once it has ended, also where the container's first process has yet to take note of that (a zombie). */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export async function query(url: string, sql: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Asks a database over a connection of its own each time. */
export function rowsAt(url: string): Rows {
  return async <Row>(sql: string, values: unknown[] = []) => (await query(url, sql, values)) as Row[];
}

export async function setting(url: string, name: string): Promise<unknown> {
  return (await query(url, `SELECT current_setting('${name}') AS value`)).map(row => Object(row).value)[0];
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import packageFile from '../../package.json' with { type: 'json' };
import type { Answers, Load } from './load.ts';

/** A server under load, in a process of its own. */
export interface Target {
  url: string;
  /** Where its RPCs are; absent: it has none. */
  rpcUrl?: string;
  /** Resident memory of the process, in bytes. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** How `npm start` starts the product: the same flags, the same file. */
export const PRODUCT: readonly string[] = packageFile.scripts.start.split(' ').slice(2);

/** Starts `node <command>` and waits for its line of JSON that says it is ready. */
export async function startTarget(command: readonly string[], settings: Record<string, string>): Promise<Target> {
  const env = { ...process.env, NODE_ENV: 'production', ...settings };
  const child = spawn(process.execPath, [...command], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  // What it says besides is of interest only where it does not start.
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ready = await readyLine(createInterface(child.stdout));
  if (ready === null) throw new Error(`${command.join(' ')} ended before it was ready: ${said}`);
  return {
    url: ready.http,
    ...(ready.rpc === undefined ? {} : { rpcUrl: ready.rpc }),
    memory: () => residentMemory(child.pid!),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Null where the process ends without having said it. */
async function readyLine(lines: AsyncIterable<string>): Promise<{ http: string; rpc?: string } | null> {
  for await (const line of lines) if (line.startsWith('{"ready":true')) return JSON.parse(line);
  return null;
}

/** As the system counts it; procfs where there is one, since small images come without ps. */
async function residentMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const shown = /VmRSS:\s*(\d+)/.exec(status)?.[1];
  const kilobytes = shown ?? (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout;
  return Number(kilobytes) * 1_024;
}

/** Puts a load on a server from a process of its own. */
export async function applyLoad(load: Load): Promise<Answers> {
  const script = fileURLToPath(new URL('load.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(load)]);
  return JSON.parse(stdout) as Answers;
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import packageFile from '../../../package.json' with { type: 'json' };

/** A server in a process of its own, once it said that it is ready. */
export interface Target {
  pid: number;
  /** Where it is reached over HTTP; empty: it has no such door. */
  url: string;
  /** Where its RPCs are; absent: it has none. */
  rpcUrl?: string;
  stop(): Promise<void>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A program for node: its flags, file and arguments, and what it needs in its environment. */
export interface NodeCommand {
  args: readonly string[];
  env: Record<string, string>;
}

/** Returns how npm starts a part of the product. */
export function productCommand(script: 'start' | 'services' | 'facade'): NodeCommand {
  const words = packageFile.scripts[script].split(' ');
  const command = words.indexOf('exec');
  return {
    args: words.slice(command + 2),
    env: Object.fromEntries(words.slice(0, command).map(word => word.split('=') as [string, string])),
  };
}

/**
 * Starts node on this command with these settings and no others, and waits for its line of JSON that says it is ready. Throws
 * what it said where it ends before.
 */
export async function startTarget({ args, env: own }: NodeCommand, settings: Record<string, string>): Promise<Target> {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', LOG_LEVEL: 'warn', ...own, ...settings };
  const child = spawn(process.execPath, [...args], { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = once(child, 'exit');
  killWithUs(child);
  // What it says besides is of interest only where it does not start.
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const ready = await readyLine(createInterface(child.stdout));
  if (ready === null) throw new Error(`${args.join(' ')} ended before it was ready: ${said}`);
  // Nobody reads on, and it must never wait for a reader.
  child.stdout.resume();
  return {
    pid: child.pid!,
    url: ready.http ?? '',
    ...(ready.rpc !== undefined && { rpcUrl: ready.rpc }),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Whatever ends this process ends what it started, in the middle of a start too. */
export function killWithUs(child: ChildProcess): void {
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
}

/** Null where the process ends without having said it. */
async function readyLine(lines: AsyncIterable<string>): Promise<{ http?: string; rpc?: string } | null> {
  for await (const line of lines) if (line.startsWith('{"ready":true')) return JSON.parse(line);
  return null;
}

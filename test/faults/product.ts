import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { eventually } from '../support/wait.ts';

/** The line that a started product prints for machines. */
export interface Ready {
  process: string;
  /** Of what this process does not serve: undefined, whatever the type says. */
  http: string;
  rpc: string;
  realtime: string;
  metrics: string;
  apiKey?: string;
  /** At the first start only. */
  signInUrl?: string;
}

/** The product, or a part of it, as its users start it: `npm start` in a process of its own. */
export interface Product {
  /** Waits for the ready line. Throws what was printed instead when there is none. */
  ready(): Promise<Ready>;
  /** Everything printed so far. */
  printed(): { stdout: string; stderr: string };
  /** Waits for the end and gives the exit code, null after a kill. */
  ended(): Promise<number | null>;
  /** Sends a signal to the process id of `npm start`, as a service manager does. */
  signal(signal: NodeJS.Signals): void;
  /** SIGSTOP to npm and to all it started: connections stay open and nothing answers. */
  freeze(): void;
  /** SIGCONT to all of them. */
  thaw(): void;
  /** SIGKILL to npm and to all it started; an embedded PostgreSQL lives on. */
  kill(): Promise<void>;
}

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts the product with these settings and no others, on free ports and without rate limits unless they say so. It is stopped with the test,
 * and its embedded PostgreSQL with it. `script`: what to start of it, all in one process where nothing is said. `files`: how
 * many it may open. `args`: what is said behind the command.
 */
export function startProduct(
  settings: Record<string, string>,
  {
    folder = REPOSITORY,
    script = 'start',
    files = 'unlimited',
    args = [],
  }: {
    folder?: string;
    script?: 'start' | 'services' | 'facade' | 'migrate';
    files?: number | 'unlimited';
    args?: readonly string[];
  } = {},
): Product {
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    HTTP_PORT: '0',
    RPC_PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMITS: 'off',
    ...settings,
  };
  const command = ['npm', 'run', '--silent', script, '--', ...args];
  const limited =
    files === 'unlimited' ? command : ['sh', '-c', 'ulimit -n "$0" && exec "$@"', String(files), ...command];
  const npm = spawn(limited[0]!, limited.slice(1), {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  npm.stdout.setEncoding('utf8').on('data', text => (stdout += text));
  npm.stderr.setEncoding('utf8').on('data', text => (stderr += text));
  const end = once(npm, 'close');

  const hasEnded = () => npm.exitCode !== null || npm.signalCode !== null;
  const toAll = (signal: NodeJS.Signals) => npm.pid !== undefined && process.kill(-npm.pid, signal);
  onTestFinished(async () => {
    if (hasEnded()) return;
    toAll('SIGCONT');
    npm.kill('SIGTERM');
    const impatience = setTimeout(() => toAll('SIGKILL'), 10_000);
    await end;
    clearTimeout(impatience);
  });

  return {
    async ready() {
      const line = await eventually(() => /^\{"ready":true.*\}$/m.exec(stdout)?.[0] ?? (hasEnded() ? 'ended' : null), {
        what: 'the product to be ready',
        within: 30_000,
      });
      if (line === 'ended') throw new Error(`The product ended instead of starting: ${stderr}`);
      return JSON.parse(line);
    },
    printed: () => ({ stdout, stderr }),
    async ended() {
      await end;
      return npm.exitCode;
    },
    signal: signal => void npm.kill(signal),
    freeze: () => void toAll('SIGSTOP'),
    thaw: () => void toAll('SIGCONT'),
    async kill() {
      toAll('SIGKILL');
      await end;
    },
  };
}

/** Calls /v1 and gives the status. */
export async function call(
  ready: Pick<Ready, 'http' | 'apiKey'>,
  path: string,
  apiKey = ready.apiKey ?? '',
): Promise<number> {
  const response = await fetch(`${ready.http}/v1/${path}`, { headers: { 'x-api-key': apiKey } });
  await response.body?.cancel();
  return response.status;
}

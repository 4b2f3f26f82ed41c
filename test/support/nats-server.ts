import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { natsServerProgram } from './nats-program.ts';
import { eventually } from './wait.ts';

/** A real nats-server of its own for a test, on a free port of the loopback. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** The process that runs now: after a restart another. */
  pid(): number;
  /** Ends it properly and removes what it left. Twice is fine. */
  stop(): Promise<void>;
  /** SIGKILL: clients see their connections reset. */
  kill(): Promise<void>;
  /** Starts it again on the same port, after a stop or a kill. */
  restart(): Promise<void>;
  /** SIGSTOP: connections stay open and nothing answers, as when a network is cut. */
  freeze(): void;
  /** SIGCONT after `freeze`. */
  thaw(): void;
}

/** Starts one. `config`: further lines for its configuration file, such as `authorization { token: "t" }`. */
export async function startNatsServer({ config = '' }: { config?: string } = {}): Promise<NatsServer> {
  const program = await natsServerProgram();
  const folder = await mkdtemp(join(tmpdir(), 'tocsin-nats-'));
  let running = await launch(program, folder, config, -1);
  const { port } = running;

  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    await endProcess(running.child, signal);
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    pid: () => running.child.pid!,
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    async restart() {
      await end('SIGTERM');
      running = await launch(program, folder, config, port);
    },
    freeze: () => void running.child.kill('SIGSTOP'),
    thaw: () => void running.child.kill('SIGCONT'),
  };
}

/** Port -1 lets the server choose: it then writes its choice into a file, so no port is ever taken from under it. */
async function launch(program: string, folder: string, config: string, port: number) {
  const configFile = join(folder, 'nats.conf');
  await writeFile(configFile, `listen: "127.0.0.1:${port}"\nports_file_dir: "${folder}"\n${config}\n`);
  const child = spawn(program, ['-c', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-2_000);
  });
  const killOnExit = () => child.kill('SIGKILL');
  process.once('exit', killOnExit);
  child.once('exit', () => process.removeListener('exit', killOnExit));

  const chosen = await eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}: ${said}`);
      const name = (await readdir(folder)).find(file => file.endsWith(`_${child.pid}.ports`));
      return name && Number(/:(\d+)"/.exec(await readFile(join(folder, name), 'utf8'))?.[1]);
    },
    { what: 'nats-server to listen', within: 10_000 },
  );
  return { child, port: chosen };
}

async function endProcess(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await exited;
  clearTimeout(impatience);
}

import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { run } from '../../facade/cli/run.ts';

/** What a command came to. */
export interface Ended {
  exit: number;
  out: string;
  err: string;
  /** The one JSON value on stdout. */
  // biome-ignore lint/suspicious/noExplicitAny: a script that reads it has no types either.
  json: any;
}

type Environment = Record<string, string>;

export interface CommandLine {
  /** Runs one command to its end, with --json. */
  json(...argv: string[]): Promise<Ended>;
  /** The same for people. */
  text(...argv: string[]): Promise<Ended>;
}

/** The command line in this process, without a terminal, in an environment. `signal` interrupts it. */
export function commandLine(
  environment: Environment,
  {
    signal = new AbortController().signal,
    stdin = '',
    timeZone = '',
  }: { signal?: AbortSignal; stdin?: string; timeZone?: string } = {},
): CommandLine {
  const start = async (argv: string[]): Promise<Ended> => {
    const out: string[] = [];
    const err: string[] = [];
    const exit = await run(argv, {
      environment,
      stdout: { write: chunk => void out.push(chunk), isTerminal: false },
      stderr: { write: chunk => void err.push(chunk), isTerminal: false },
      stdin: { isTerminal: false, readAll: async () => stdin },
      timeZone,
      signal,
    });
    return ended(exit, out.join(''), err.join(''));
  };
  return { json: (...argv) => start([...argv, '--json']), text: (...argv) => start(argv) };
}

const BIN = fileURLToPath(new URL('../../facade/cli/bin/tocsin', import.meta.url));

/** The command line as a person starts it, in a process of its own. */
export function startCommand(
  environment: Environment,
  argv: readonly string[],
): { child: ChildProcess; ended: Promise<Ended> } {
  const { PATH, HOME } = process.env as Environment;
  const child = spawn(BIN, argv, { env: { PATH: PATH!, HOME: HOME!, ...environment } });
  const all = async () => {
    const [out, err, exit] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      new Promise<number>(resolve => child.on('exit', code => resolve(code ?? -1))),
    ]);
    return ended(exit, out, err);
  };
  return { child, ended: all() };
}

function ended(exit: number, out: string, err: string): Ended {
  return {
    exit,
    out,
    err,
    get json() {
      return JSON.parse(out);
    },
  };
}

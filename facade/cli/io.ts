import { text as readAll } from 'node:stream/consumers';
import { styleText } from 'node:util';
import type { Environment } from '../../services/process/settings.ts';
import { colourWish } from './config.ts';

/** One of the two streams that a command writes to. */
export interface Output {
  write(text: string): void;
  isTerminal: boolean;
}

/** Everything outside itself that a command touches. Tests build it by hand. */
export interface Io {
  environment: Environment;
  /** Results, and with --json one JSON value and nothing else. */
  stdout: Output;
  /** Everything beside the result: progress, hints, faults. */
  stderr: Output;
  stdin: { isTerminal: boolean; readAll(): Promise<string> };
  /** The time zone of this machine (IANA), to propose for people; empty if it is UTC. */
  timeZone: string;
  /** Aborted when the person or the system asks the command to end. */
  signal: AbortSignal;
}

export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold' | 'cyan';

/** The streams of this process. SIGINT and SIGTERM abort what is under way; what still hangs 2 s later is ended. */
export function processIo(environment: Environment): Io {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruption.abort();
      setTimeout(() => process.exit(130), 2_000).unref();
    });
  }
  // A reader that goes away (`| head`) is not an error of ours.
  process.stdout.on('error', () => process.exit(0));
  return {
    environment,
    stdout: { write: text => void process.stdout.write(text), isTerminal: process.stdout.isTTY ?? false },
    stderr: { write: text => void process.stderr.write(text), isTerminal: process.stderr.isTTY ?? false },
    stdin: { isTerminal: process.stdin.isTTY ?? false, readAll: () => readAll(process.stdin) },
    // Few commands need it, and all would wait for it.
    get timeZone() {
      return machineTimeZone();
    },
    signal: interruption.signal,
  };
}

/** Machines without a configured location run in UTC, which says nothing about their people. */
function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^(Etc\/.*|UTC|GMT|Etc)$/.test(timeZone) ? '' : timeZone;
}

/** Colours text if `output` is a terminal and colours are allowed (NO_COLOR). */
export function painter(io: Io, output: Output): (colour: Colour, text: string) => string {
  const coloured = output.isTerminal && colourWish(io.environment) === 'allowed';
  return (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text);
}

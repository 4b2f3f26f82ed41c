import { text as readAll } from 'node:stream/consumers';
import { styleText } from 'node:util';
import type { Environment } from '../../services/process/settings.ts';
import { colourWish } from './config.ts';

/** One of the two streams that a command writes to. */
export interface Output {
  write(text: string): void;
  isTerminal: boolean;
}

/** Everything that a command touches outside itself. Tests build it by hand. */
export interface Io {
  environment: Environment;
  /** Results, and with --json one JSON value and nothing else. */
  stdout: Output;
  /** What is said beside the result: progress, hints, faults. */
  stderr: Output;
  stdin: { isTerminal: boolean; readAll(): Promise<string> };
  /** The time zone of this machine (IANA), which is proposed for people; empty where it is UTC. */
  timeZone: string;
  /** Aborted when the person or the system asks the command to end. */
  signal: AbortSignal;
}

export type Colour = 'red' | 'yellow' | 'green' | 'dim' | 'bold' | 'cyan';

/** The streams of this process. SIGINT and SIGTERM abort what is under way; what hangs then ends 2 s later. */
export function processIo(environment: Environment): Io {
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      interruption.abort();
      setTimeout(() => process.exit(130), 2_000).unref();
    });
  }
  // A reader that goes away (`| head`) is no fault of ours.
  process.stdout.on('error', () => process.exit(0));
  return {
    environment,
    stdout: { write: text => void process.stdout.write(text), isTerminal: process.stdout.isTTY ?? false },
    stderr: { write: text => void process.stderr.write(text), isTerminal: process.stderr.isTTY ?? false },
    stdin: { isTerminal: process.stdin.isTTY ?? false, readAll: () => readAll(process.stdin) },
    // Few commands ask, and all would wait for the answer.
    get timeZone() {
      return machineTimeZone();
    },
    signal: interruption.signal,
  };
}

/** Machines that nobody told where they stand run in UTC: nothing is known of their people then. */
function machineTimeZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^(Etc\/.*|UTC|GMT|Etc)$/.test(timeZone) ? '' : timeZone;
}

/** Text in a colour, where `output` is a terminal and colours are not unwanted (NO_COLOR). */
export function painter(io: Io, output: Output): (colour: Colour, text: string) => string {
  const coloured = output.isTerminal && colourWish(io.environment) === 'allowed';
  return (colour, text) => (coloured ? styleText(colour, text, { validateStream: false }) : text);
}

import { type Logger, pino } from 'pino';
import { stopSignal } from './signals.ts';
import { type StartFacts, startSentence } from './start-errors.ts';

/** What a process reads before anything else. */
export interface Settings {
  logLevel: string;
  /** For the sentence that a failed start deserves. */
  facts: StartFacts;
}

/**
 * The life of a process, the same for all of ours: reads its settings, starts, and stops at SIGTERM or SIGINT. `start` puts
 * each thing that runs on the stack the moment it does; they stop last in, first out. A fault that somebody foresaw ends
 * it with one sentence, and every fault with exit code 1.
 */
export async function runProcess<S extends Settings>(
  read: () => S,
  start: (settings: S, log: Logger, running: AsyncDisposableStack) => Promise<void>,
): Promise<void> {
  let facts: StartFacts = { ports: {}, databaseUrl: null };
  const stopAsked = stopSignal();
  try {
    const settings = read();
    facts = settings.facts;
    await using running = new AsyncDisposableStack();
    await start(settings, logger(settings.logLevel), running);
    await stopAsked;
  } catch (fault) {
    process.exitCode = 1;
    const sentence = startSentence(fault, facts);
    if (sentence !== null) console.error(sentence);
    else logger('error').fatal({ err: fault }, 'Tocsin ended for a reason that nobody foresaw.');
  }
}

/** Says that a process is ready. Machines read the one line on stdout; what people read must not get between. */
export function announce(lines: string, ready: Record<string, unknown>): void {
  const people = process.stdout.isTTY ? process.stdout : process.stderr;
  people.write(lines);
  process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`);
}

/** To stderr, at once: what is logged last before an end must not be lost. */
function logger(level: string): Logger {
  return pino({ level }, pino.destination({ dest: 2, sync: true }));
}

import { type Logger, pino } from 'pino';
import { type StartFacts, startSentence } from './start-errors.ts';
import { terminalLines } from './terminal-log.ts';

/** What a process reads before anything else. */
export interface Settings {
  logLevel: string;
  /** For the sentence that a failed start deserves. */
  facts: StartFacts;
  /** Sentences on settings that were probably meant otherwise, to be said at the start. */
  hints: readonly string[];
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
    const log = logger(settings.logLevel);
    for (const hint of settings.hints) log.warn(hint);
    {
      await using running = new AsyncDisposableStack();
      await start(settings, log, running);
      await stopAsked;
      log.info('Tocsin stops: calls and messages under way are finished first.');
    }
    log.info('Tocsin has stopped.');
  } catch (fault) {
    process.exitCode = 1;
    const sentence = startSentence(fault, facts);
    if (sentence !== null) console.error(sentence);
    else logger('error').fatal({ err: fault }, 'unexpected error');
  }
}

/** Says that a process is ready: to a terminal in lines for people, else those on stderr and one for machines on stdout. */
export function announce(lines: string, ready: Record<string, unknown>): void {
  if (process.stdout.isTTY) {
    process.stdout.write(lines);
    return;
  }
  process.stderr.write(lines);
  process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`);
}

/** To stderr, at once: what is logged last before an end must not be lost. At a terminal in lines for people, else as JSON. */
function logger(level: string): Logger {
  const stderr = pino.destination({ dest: 2, sync: true });
  return pino({ level }, process.stderr.isTTY ? terminalLines(text => void stderr.write(text)) : stderr);
}

/**
 * Resolves at the first SIGTERM or SIGINT. One that comes more than a quarter of a second later exits at once, with code 1: whoever
 * insists does not want to wait for a clean stop. (Ctrl-C under `npm start` comes twice: from the terminal and from npm.)
 */
export function stopSignal(): Promise<void> {
  let firstAt: number | null = null;
  return new Promise(resolve => {
    const receive = () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > SAME_KEY_PRESS_MS) process.exit(1);
      resolve();
    };
    process.on('SIGTERM', receive).on('SIGINT', receive);
  });
}

const SAME_KEY_PRESS_MS = 250;

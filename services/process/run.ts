import { type Logger, pino } from 'pino';
import { type StartFacts, startSentence } from './start-errors.ts';
import { startTracing } from './traces.ts';

/** What a process reads before anything else. */
export interface Settings {
  logLevel: string;
  /** Used in the sentence about a failed start. */
  facts: StartFacts;
  /** Warnings about settings that are probably misspelt, logged at the start. */
  hints: readonly string[];
  /** The name of this process in traces, and the collector that they go to; null: nowhere. */
  service: string;
  collector: string | null;
}

/**
 * Runs a process from start to end: reads its settings, starts, and stops at SIGTERM or SIGINT. `start` puts each running part
 * on the stack as soon as it runs; parts stop last in, first out. Known faults end the process with one sentence, and every
 * fault with exit code 1.
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
    const log = await logger(settings.logLevel);
    for (const hint of settings.hints) log.warn(hint);
    {
      await using running = new AsyncDisposableStack();
      running.defer((await startTracing(settings, log)).close);
      await start(settings, log, running);
      await stopAsked;
    }
    log.info('Tocsin has stopped.');
    endWithin(END_MS, log);
  } catch (fault) {
    process.exitCode = 1;
    const sentence = startSentence(fault, facts);
    if (sentence !== null) console.error(sentence);
    else (await logger('error')).fatal({ err: fault }, 'unexpected error');
  }
}

/** How long a process may stay once all has stopped, in milliseconds. */
const END_MS = 5_000;

/** A call of the system that hangs, as on a share that is gone, keeps a process, and even an exit waits for it. */
function endWithin(ms: number, log: Logger): void {
  setTimeout(() => {
    log.warn('A call of the system hangs: the process ends without it.');
    process.kill(process.pid, 'SIGKILL');
  }, ms).unref();
}

/**
 * Announces that a process is ready: in lines for people on a terminal; else those go to stderr and one line of JSON to stdout.
 * Gives back what only the start needed first, a sixth of its memory, where the process may (`--expose-gc`, as npm starts it):
 * once callers come, they would wait for that.
 */
export function announce(lines: string, ready: Record<string, unknown>): void {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' });
  if (process.stdout.isTTY) {
    process.stdout.write(lines);
    return;
  }
  process.stderr.write(lines);
  process.stdout.write(`${JSON.stringify({ ready: true, ...ready })}\n`);
}

/** Logs to stderr synchronously, so that the last line before an exit is not lost. Lines for people on a terminal, else JSON. */
async function logger(level: string): Promise<Logger> {
  const stderr = pino.destination({ dest: 2, sync: true });
  if (!process.stderr.isTTY) return pino({ level }, stderr);
  const { terminalLines } = await import('./terminal-log.ts');
  const colours = process.stderr.hasColors() ? 'colours' : 'none';
  return pino(
    { level },
    terminalLines(text => void stderr.write(text), colours),
  );
}

/**
 * Resolves at the first SIGTERM or SIGINT. A second one more than a quarter of a second later exits at once with code 1: the
 * user does not want to wait for a clean stop. (Ctrl-C under `npm start` arrives twice, from the terminal and from npm.)
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

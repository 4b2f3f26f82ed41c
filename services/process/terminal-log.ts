import { prettyFactory } from 'pino-pretty';

/**
 * Creates a destination for pino that writes lines for people: when, how bad, what, with what. Without the migrations of a first
 * start, unless one goes wrong. Written before the call returns, so that the last line before an exit is not lost.
 */
export function terminalLines(
  write: (text: string) => void,
  colours: 'colours' | 'none' = 'none',
): { write(json: string): void } {
  const readable = prettyFactory({
    colorize: colours === 'colours',
    ignore: 'pid,hostname,part',
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
  });
  return {
    write(json) {
      const line = JSON.parse(json) as Line;
      if (line.part === 'schema' && line.level <= LEVELS.info) return;
      // Where a fault came from matters where it is one of ours.
      const { err, ...rest } = line;
      write(readable(line.level >= LEVELS.error || err === undefined ? line : { ...rest, reason: err.message }));
    },
  };
}

/** The parts of a log line that matter here. `schema`: of the migrations of a start. */
interface Line {
  level: number;
  part?: string;
  err?: { message?: string };
}

/** Pino's. */
const LEVELS = { info: 30, error: 50 } as const;

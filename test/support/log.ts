import { type Level, type Logger, pino } from 'pino';

/** A log that adds its lines to `lines`, from `level` on; without `lines`, a silent one. */
export function logInto(lines: string[] | undefined, level: Level = 'info'): Logger {
  if (lines === undefined) return pino({ level: 'silent' });
  return pino({ base: null, level }, { write: (line: string) => void lines.push(line) });
}

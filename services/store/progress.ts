import type { Logger } from 'pino';

/** Where progress is reported while the start waits for something. */
export interface Progress {
  info(fields: Record<string, unknown>, words: string): void;
  warn(fields: Record<string, unknown>, words: string): void;
}

/** Writes JSON lines for machines, and prose for a person at a terminal, whatever the log level. */
export function progressTo(log: Logger, terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): Progress {
  if (!terminal.isTTY) return log;
  const tell = (fields: Record<string, unknown>, words: string) => void terminal.write(`${inWords(fields, words)}\n`);
  return { info: tell, warn: tell };
}

/** Formats, for example: "the database is being migrated (migration 20270301-reached, number 1, of 6, seconds 4)". */
function inWords(fields: Record<string, unknown>, words: string): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const shown = known.map(
    ([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`,
  );
  return shown.length === 0 ? words : `${words} (${shown.join(', ')})`;
}

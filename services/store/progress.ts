import type { Logger } from 'pino';

/** Where it is told how far something is that the start waits for. */
export interface Progress {
  info(fields: Record<string, unknown>, words: string): void;
  warn(fields: Record<string, unknown>, words: string): void;
}

/** Lines of JSON for machines; in words where a person looks on, whatever the level of the log. */
export function progressTo(log: Logger, terminal: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): Progress {
  if (!terminal.isTTY) return log;
  const tell = (fields: Record<string, unknown>, words: string) => void terminal.write(`${inWords(fields, words)}\n`);
  return { info: tell, warn: tell };
}

/** Such as "the database is being migrated (migration 20261122-reached, number 1, of 6, seconds 4)". */
function inWords(fields: Record<string, unknown>, words: string): string {
  const known = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const shown = known.map(
    ([name, value]) => `${name} ${typeof value === 'number' ? value.toLocaleString('en') : value}`,
  );
  return shown.length === 0 ? words : `${words} (${shown.join(', ')})`;
}

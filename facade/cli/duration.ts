import { mismatch, shown } from '../../services/process/text.ts';
import { usageFault } from './exit.ts';

/** The most seconds the services can represent, 68 years. */
const MOST_S = 2 ** 31 - 1;

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Returns the seconds of a duration such as `30s`, `5m`, `1h`, `1h30m` or `0`. `where` is its flag. Throws a usage
 * fault for anything else, including a bare number, whose unit nobody knows.
 */
export function parseDuration(text: string, where: string): number {
  if (text === '0') return 0;
  const parts = [...text.matchAll(/(\d{1,9})([smhd])/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) {
    throw usageFault(`${where} ${mismatch('a duration such as 30s, 5m, 1h or 1h30m', shown(text))}`);
  }
  const seconds = parts.reduce((sum, [, number, unit]) => sum + Number(number) * UNITS[unit as keyof typeof UNITS], 0);
  if (seconds <= MOST_S) return seconds;
  throw usageFault(`${where} ${mismatch(`a duration of at most ${formatDuration(MOST_S)}`, shown(text))}`);
}

/** Formats seconds for people: `1h 30m`, `45s`, `0s`. */
export function formatDuration(seconds: number): string {
  const parts: string[] = [];
  let rest = Math.max(0, Math.round(seconds));
  for (const [unit, size] of Object.entries(UNITS).reverse()) {
    const number = Math.floor(rest / size);
    if (number > 0) parts.push(`${number}${unit}`);
    rest -= number * size;
  }
  return parts.join(' ') || '0s';
}

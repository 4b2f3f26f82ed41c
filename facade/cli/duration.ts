import { mismatch, shown } from '../../services/process/text.ts';
import { usageFault } from './exit.ts';

/** What the services can say in seconds, 68 years. */
const MOST_S = 2 ** 31 - 1;

const UNITS = { s: 1, m: 60, h: 3600, d: 86_400 } as const;

/**
 * Seconds of a duration such as `30s`, `5m`, `1h`, `1h30m` or `0`. `where` is the flag it stands in. Throws a usage fault for
 * anything else, a bare number too: nobody knows its unit.
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

/** Seconds as people write them: `1h 30m`, `45s`, `0s`. */
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

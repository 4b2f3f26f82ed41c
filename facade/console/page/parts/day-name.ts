import { format } from './time.tsx';

/** Names a day such as `2026-11-20` in the reader's language: `Fri 20 Nov`. */
export function dayNamed(day: string): string {
  return format(new Date(`${day}T00:00Z`), 'UTC', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  });
}

import { language } from '../words.ts';

/** Returns a duration such as `1 hr 5 min`: whole seconds, nothing rounded away; zero units are left out. */
export function spanOf(seconds: number): string {
  const parts = [
    ['hour', Math.floor(seconds / 3_600)],
    ['minute', Math.floor(seconds / 60) % 60],
    ['second', seconds % 60],
  ] as const;
  const said = parts.filter(([, count]) => count > 0);
  return (said.length > 0 ? said : parts.slice(2))
    .map(([unit, count]) =>
      new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
    )
    .join(' ');
}

/** Returns how long ago something was, such as `3 min. ago`, in the largest unit that fits. */
export function agoOf(at: Date, now: Date): string {
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1_000));
  const [size, unit] = AGO.find(([size]) => seconds >= size) ?? AGO.at(-1)!;
  const style = { style: 'short', numeric: 'always' } as const;
  return new Intl.RelativeTimeFormat(language.value, style).format(-Math.floor(seconds / size), unit);
}

const AGO = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

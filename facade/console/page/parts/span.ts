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

/** One thing that was measured, of everything that it was measured of. */
export interface Row {
  name: string;
  unit: string;
  figures: Record<string, number>;
  /** What the issue asks of one of the figures. */
  target?: { figure: string; atMost: number };
}

/** The table for people. */
export function report(rows: readonly Row[]): string {
  return rows
    .map(({ name, unit, figures, target }) => {
      const shown = Object.entries(figures).map(([of, value]) => `${of} ${digits(value)}`);
      const got = target && figures[target.figure];
      const verdict =
        got === undefined ? '' : `  (${got <= target!.atMost ? 'met' : 'missed'}: at most ${target!.atMost})`;
      return `${name.padEnd(62)} ${unit.padEnd(3)} ${shown.join(', ')}${verdict}`;
    })
    .join('\n');
}

function digits(value: number): string {
  return value >= 1_000 ? Math.round(value).toLocaleString('en') : value.toFixed(value >= 100 ? 0 : 2);
}

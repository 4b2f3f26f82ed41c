import { clean } from '../../services/process/text.ts';

/** A column: its title, and the cell of a row. */
export type Columns<Row> = readonly (readonly [title: string, cell: (row: Row) => string])[];

/**
 * Formats rows under their titles, columns aligned, every cell cleaned. Empty cells show as `-`, so that columns stay
 * countable.
 */
export function table<Row>(columns: Columns<Row>, rows: readonly Row[]): string[] {
  const cells = rows.map(row => columns.map(([, cell]) => clean(cell(row)) || '-'));
  const lines = [columns.map(([title]) => title.toUpperCase()), ...cells];
  const widths = columns.map((_, index) => Math.max(...lines.map(line => lengthOf(line[index] ?? ''))));
  return lines.map(line =>
    line
      .map((cell, index) => padded(cell, widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

/** Formats names and values below each other, values aligned and cleaned; empty values are left out. */
export function facts(pairs: readonly (readonly [name: string, value: string])[]): string[] {
  const shown = pairs.map(([name, value]) => [name, clean(value)] as const).filter(([, value]) => value !== '');
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${padded(name, width)}  ${value}`);
}

function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}

function lengthOf(text: string): number {
  return [...text].length;
}

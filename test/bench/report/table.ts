/** Returns a table with its columns aligned: the first to the left, numbers to the right, `-` where there is nothing. */
export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string[] {
  const cells = [head, ...rows.map(row => row.map(cell => (cell === null ? '-' : String(cell))))];
  const widths = head.map((_, column) => Math.max(...cells.map(row => row[column]!.length)));
  return cells.map(row =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]! + 2)))
      .join('')
      .trimEnd(),
  );
}

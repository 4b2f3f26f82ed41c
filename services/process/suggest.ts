/**
 * Returns the known word that was probably meant: the nearest one, if few enough letters differ (by default a third of them,
 * three at most). Empty: none is near. The first of equally near ones, so that the answer is always the same.
 */
export function suggestion(
  written: string,
  known: Iterable<string>,
  letters = Math.min(3, Math.max(1, Math.floor(written.length / 3))),
): string {
  const word = written.toLowerCase();
  let most = letters;
  let nearest = '';
  for (const candidate of known) {
    if (candidate === written || Math.abs(candidate.length - word.length) > most) continue;
    const differ = distance(word, candidate.toLowerCase(), most);
    if (differ > most || (nearest !== '' && differ === most)) continue;
    nearest = candidate;
    most = differ;
    if (most === 0) break;
  }
  return nearest;
}

/** Counts letters inserted, deleted, replaced or swapped with a neighbour. Gives up beyond `most`. */
function distance(a: string, b: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, replaced);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, beforeLast[j - 2]! + 1);
      row.push(least);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

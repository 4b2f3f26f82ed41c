/** How many known words are looked at: more take long enough to hold up everybody else. */
const LOOKED_AT = 5_000;

/** How many suggestions one answer holds at most. Each is a search among all known words. */
export const SUGGESTED_MOST = 10;

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
  let looked = 0;
  for (const candidate of known) {
    looked += 1;
    if (looked > LOOKED_AT) break;
    if (candidate === written || Math.abs(candidate.length - word.length) > most) continue;
    const differ = distance(word, candidate.toLowerCase(), most);
    if (differ > most || (nearest !== '' && differ === most)) continue;
    nearest = candidate;
    most = differ;
    if (most === 0) break;
  }
  return nearest;
}

/**
 * Counts letters inserted, deleted, replaced or swapped with a neighbour. Gives up beyond `most`: cells further than that from
 * the diagonal are left out, and so is what both words begin and end with. Names of an account may be many, long and alike.
 */
function distance(a: string, b: string, most: number): number {
  let [from, endA, endB] = [0, a.length, b.length];
  while (from < endA && from < endB && a[from] === b[from]) from += 1;
  while (endA > from && endB > from && a[endA - 1] === b[endB - 1]) [endA, endB] = [endA - 1, endB - 1];
  const far = most + 1;
  const width = endB - from;
  let beforeLast: number[] = new Array(width + 1).fill(far);
  let last = Array.from(beforeLast, (_, at) => at);
  let row = [...beforeLast];
  for (let i = 1; i <= endA - from; i += 1) {
    const first = Math.max(1, i - most);
    // Nothing was ever written beyond the end of the band, which moves on with each row.
    row[first - 1] = first === 1 ? i : far;
    let least = row[first - 1]!;
    for (let j = first; j <= Math.min(width, i + most); j += 1) {
      const ofA = a[from + i - 1];
      const ofB = b[from + j - 1];
      let cell = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (ofA === ofB ? 0 : 1));
      const swapped = i > 1 && j > 1 && ofA === b[from + j - 2] && a[from + i - 2] === ofB;
      if (swapped) cell = Math.min(cell, beforeLast[j - 2]! + 1);
      row[j] = cell;
      least = Math.min(least, cell);
    }
    if (least > most) return far;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[width]!;
}

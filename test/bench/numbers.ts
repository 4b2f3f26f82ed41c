/** Returns the middle of these numbers, NaN where there are none. */
export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

/** Returns the number that this share of them does not exceed, NaN where there are none. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Rounds to so many decimals; what is unknown stays so. */
export function rounded(number: number, decimals?: number): number;
export function rounded(number: number | null, decimals?: number): number | null;
export function rounded(number: number | null, decimals = 0): number | null {
  return number === null || Number.isNaN(number) ? null : Number(number.toFixed(decimals));
}

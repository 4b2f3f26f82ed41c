/** Cents of a US dollar as people write them: `$12.05`. */
export function dollars(cents: number): string {
  return `$${(cents / 100).toFixed(2)}`;
}

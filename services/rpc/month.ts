/** A month as `2026-11`. */
export const MONTH = /^(19[7-9]\d|2\d{3})-(0[1-9]|1[0-2])$/;

/** Returns the beginning of a month, given as `2026-11`, in UTC. */
export function monthStart(month: string): Date {
  return new Date(`${month}-01T00:00:00Z`);
}

/** Returns the beginning of the month that is so many months after the one that begins then. */
export function monthAfter(start: Date, months: number): Date {
  return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months));
}

/*
 * The deployment's time goes on as a clock does that nobody can set; the database's clock, which people's clocks agree
 * with, may be ahead of it or behind (engine/clock.ts). Inside, every time is of the deployment; where a time is shown
 * to somebody, or comes from somebody, it is turned into the other here.
 */

/** By how many milliseconds the deployment's time is ahead of the database's clock. Almost always 0. */
let aheadMs = 0;

/** Sets by how many milliseconds the deployment's time of this process's database is ahead of its clock. */
export function setAhead(ms: number): void {
  aheadMs = ms;
}

/** Returns it, for what is asked about clocks without a process. */
export function aheadByMs(): number {
  return aheadMs;
}

/** Returns a time of the deployment as clocks show it now. Both in milliseconds since 1970. */
export function toWall(at: number): number {
  return at - aheadMs;
}

/** Returns a date of the deployment as clocks show it now. */
export function shownDate(at: Date): Date {
  return new Date(toWall(at.getTime()));
}

/** Returns the details of something with the times `openedAt` and `until` (ISO text) in them, where they are there, as clocks show them now. */
export function shownTimes<Of extends { readonly openedAt?: string | number; readonly until?: string | number }>(
  about: Of,
): Of {
  const shown = (at: string | number) => shownDate(new Date(at)).toISOString();
  const { openedAt, until } = about;
  return {
    ...about,
    ...(openedAt !== undefined && { openedAt: shown(openedAt) }),
    ...(until !== undefined && { until: shown(until) }),
  };
}

/** Returns the time of the deployment that is meant by ISO text, as somebody chose it by a clock. */
export function chosenTime(text: string): Date {
  return new Date(fromWall(Date.parse(text)));
}

/** Returns the ISO text that `chosenTime` reads. */
export function chosenText(at: Date): string {
  return shownDate(at).toISOString();
}

/** Returns a time that somebody read off a clock as one of the deployment. Both in milliseconds since 1970. */
function fromWall(at: number): number {
  return at + aheadMs;
}

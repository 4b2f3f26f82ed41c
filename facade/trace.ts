import { randomUUID } from 'node:crypto';

/** What all ids of one millisecond begin with: many calls share one. */
let [latestAt, latestStart] = [0, ''];

/** Creates the id of a call: a UUID of version 7 (DECISIONS.md "traceId"). Later ones sort after earlier ones. */
export function newTraceId(): string {
  const now = Date.now();
  if (now !== latestAt) [latestAt, latestStart] = [now, startOf(now)];
  // Everything after the version digit of a random UUID is laid out as in version 7.
  return latestStart + randomUUID().slice(15);
}

function startOf(milliseconds: number): string {
  const hex = milliseconds.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7`;
}

/** Returns when a trace id of ours was made, in milliseconds since 1970. */
export function traceTime(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 8) + traceId.slice(9, 13), 16);
}

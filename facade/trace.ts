import { randomUUID } from 'node:crypto';

/** Creates the id of a call: a UUID of version 7 (DECISIONS.md "traceId"). Later ones sort after earlier ones. */
export function newTraceId(): string {
  const milliseconds = Date.now().toString(16).padStart(12, '0');
  // Everything after the version digit of a random UUID is laid out as in version 7.
  return `${milliseconds.slice(0, 8)}-${milliseconds.slice(8)}-7${randomUUID().slice(15)}`;
}

/** Returns when a trace id of ours was made, in milliseconds since 1970. */
export function traceTime(traceId: string): number {
  return Number.parseInt(traceId.slice(0, 8) + traceId.slice(9, 13), 16);
}

/** Returns the W3C header that passes the id on: its 16 bytes are the trace id, its last 8 the id of the facade's span. */
export function traceparentOf(traceId: string): string {
  const digits = traceId.replaceAll('-', '');
  return `00-${digits}-${digits.slice(16)}-01`;
}

import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the API key in an `authorization` object (DECISIONS.md "Where the key travels"): the field `Authorization`,
 * else `x-api-key`, in any letter case. Null if there is none.
 */
export function keyIn(authorization: unknown): string | null {
  if (typeof authorization !== 'object' || authorization === null) return null;
  const fields = new Map(Object.entries(authorization).map(([name, value]) => [name.toLowerCase(), value]));
  return keyOf(fields.get('authorization')) ?? keyOf(fields.get('x-api-key'));
}

/**
 * Returns the API key in the plain headers of an upgrade, where clients without the second subprotocol send it. Null
 * without one.
 */
export function keyInHeaders(headers: IncomingHttpHeaders): string | null {
  return keyOf(headers['x-api-key']) ?? keyOf(headers.authorization);
}

function keyOf(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  return value.trim().replace(/^Bearer\s+/i, '') || null;
}

import type { IncomingHttpHeaders } from 'node:http';
import { keyIn, keyInHeaders } from './credentials.ts';
import { SUBPROTOCOL } from './protocol.ts';

/** What an upgrade asks for: a socket on behalf of a key (null if none was sent), or nothing that can be granted. */
export type Handshake =
  | { kind: 'asked'; key: string | null }
  | { kind: 'malformed'; status: 400 | 426; message: string; headers: Readonly<Record<string, string>> };

/**
 * Reads an upgrade (REALTIME.md 2 "Handshake"): the two subprotocols in either order, the second containing the key; or
 * the first alone, with the key as a plain header.
 */
export function readHandshake(headers: IncomingHttpHeaders): Handshake {
  if (headers['sec-websocket-version'] !== '13') {
    return malformed(426, 'Version 13 of the WebSocket protocol is spoken here.', { 'sec-websocket-version': '13' });
  }
  if (!NONCE.test(headers['sec-websocket-key'] ?? '')) return malformed(400, 'Sec-WebSocket-Key is missing or wrong.');
  const offered = (headers['sec-websocket-protocol'] ?? '').split(',').map(name => name.trim());
  if (!offered.includes(SUBPROTOCOL)) {
    return malformed(400, `Sec-WebSocket-Protocol must offer ${SUBPROTOCOL}.`);
  }
  const [holder, ...more] = offered.filter(name => name.startsWith(HOLDER));
  if (holder === undefined) return { kind: 'asked', key: keyInHeaders(headers) };
  const authorization = decode(holder.slice(HOLDER.length));
  if (authorization === null || more.length > 0) {
    return malformed(400, `Sec-WebSocket-Protocol must offer one ${HOLDER}… with a JSON object as base64url.`);
  }
  return { kind: 'asked', key: keyIn(authorization) ?? keyInHeaders(headers) };
}

const HOLDER = 'header-';
const NONCE = /^[+/0-9A-Za-z]{22}==$/;

function decode(base64url: string): object | null {
  if (!/^[\w-]+$/.test(base64url)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(base64url, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

function malformed(status: 400 | 426, message: string, headers: Readonly<Record<string, string>> = {}): Handshake {
  return { kind: 'malformed', status, message, headers };
}

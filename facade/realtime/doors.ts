import type { Answer } from '../answer.ts';
import { JSON_HEADERS } from '../answer.ts';
import { UNAUTHORIZED } from './protocol.ts';

/* The answers over HTTP of the two paths of the realtime channel: those of an upgrade that is not granted, and of a publish. */

/** Nobody may publish (REALTIME.md 2 "HTTP publish"): Amplify reads `message` and the header, others `errors`. */
export const PUBLISH_REFUSED: Answer = (() => {
  const message = 'Nobody may publish here.';
  return {
    status: 401,
    headers: { ...JSON_HEADERS, 'x-amzn-errortype': UNAUTHORIZED.errorType },
    body: JSON.stringify({ message, errors: [{ errorType: UNAUTHORIZED.errorType, message }] }),
  };
})();

export const NO_UPGRADE = answer(426, 'This is a WebSocket: connect to it with wss:// or ws://.', {
  upgrade: 'websocket',
  connection: 'upgrade',
});

/** The refusals of an upgrade that say nothing about a key. Whoever gets one may come back. */
export const REFUSALS = {
  closing: answer(503, 'Restarting: connect again.', { 'retry-after': '1' }),
  full: answer(503, 'There are too many sockets.', { 'retry-after': '30' }),
  address_full: answer(429, 'There are too many sockets from this address.', { 'retry-after': '30' }),
};

export function answer(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ message }) };
}

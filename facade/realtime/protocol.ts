/*
 * The relay's messages, word for word (REALTIME.md 2): AppSync Events over WebSocket. Other people's clients read all
 * of this, so each message has exactly the fields they know.
 */

/** The selected subprotocol. Never the other one offered, which contains the caller's key (REALTIME.md 3, trap 2). */
export const SUBPROTOCOL = 'aws-appsync-event-ws';

/** The path of the socket. */
export { REALTIME_PATH } from '../../services/process/network.ts';

/** The path of a publish over HTTP, which is always refused. */
export const PUBLISH_PATH = '/event';

/** What a signal says to read again (DECISIONS.md "Frame"). */
export const KINDS = ['state', 'inventory'] as const;

export type Kind = (typeof KINDS)[number];

/** The names of errors that the clients know. */
export type ErrorType =
  | 'BadRequestException'
  | 'DuplicatedOperationError'
  | 'LimitExceededError'
  | 'MaxSubscriptionsReachedError'
  | 'UnauthorizedException'
  | 'UnknownOperationError'
  | 'UnsupportedOperation';

export interface WireError {
  errorType: ErrorType;
  message: string;
}

/** How long a client waits without a message from here before it gives up the socket, in milliseconds. */
const CONNECTION_TIMEOUT_MS = 300_000;

/** The messages that are the same for everybody. */
export const CONNECTION_ACK = JSON.stringify({ type: 'connection_ack', connectionTimeoutMs: CONNECTION_TIMEOUT_MS });
export const KEEP_ALIVE = JSON.stringify({ type: 'ka' });

/** Says why a socket is closed. After UnauthorizedException a client does not come back (REALTIME.md 3, trap 6). */
export function connectionError(error: WireError): string {
  return JSON.stringify({ type: 'connection_error', errors: [error] });
}

export function subscribeSuccess(id: string): string {
  return JSON.stringify({ type: 'subscribe_success', id });
}

export function unsubscribeSuccess(id: string): string {
  return JSON.stringify({ type: 'unsubscribe_success', id });
}

/** Refuses one message; `id` is left out if the message had none that can be repeated. */
export function refusal(
  type: 'subscribe_error' | 'unsubscribe_error' | 'publish_error' | 'error',
  id: string | null,
  error: WireError,
): string {
  return JSON.stringify({ type, ...(id !== null && { id }), errors: [error] });
}

/** A signal for one subscription: exactly type, id and event, and the event is text (REALTIME.md 3, traps 5 and 7). */
export function dataMessage(id: string, kind: Kind): string {
  return JSON.stringify({ type: 'data', id, event: JSON.stringify({ v: '1', kind }) });
}

/** The code and reason with which the relay closes a socket. Codes from 4000 are the application's own (RFC 6455). */
export interface Ending {
  code: 1003 | 1008 | 1012 | 1013 | 4401;
  reason: string;
  /** For the metrics. */
  cause: 'binary' | 'too_frequent' | 'limit' | 'closing' | 'aged' | 'services_unavailable' | 'bad_key' | 'key_ended';
}

export const ENDINGS = {
  binary: { code: 1003, reason: 'Messages are text.', cause: 'binary' },
  tooFrequent: { code: 1008, reason: 'Too many messages.', cause: 'too_frequent' },
  tooManySockets: { code: 1013, reason: 'Too many sockets with this key.', cause: 'limit' },
  closing: { code: 1012, reason: 'Restarting: connect again.', cause: 'closing' },
  aged: { code: 1012, reason: 'Open for a day: connect again.', cause: 'aged' },
  servicesUnavailable: { code: 1013, reason: 'Try again later.', cause: 'services_unavailable' },
  badKey: { code: 4401, reason: 'The API key is missing or not valid.', cause: 'bad_key' },
  keyEnded: { code: 4401, reason: 'The API key is no longer valid.', cause: 'key_ended' },
} satisfies Record<string, Ending>;

/** The same for a bad key and for a channel that is not the key's: neither reveals what exists (SPEC.md 6). */
export const UNAUTHORIZED: WireError = {
  errorType: 'UnauthorizedException',
  message: 'The API key is missing, not valid, or not for this channel.',
};

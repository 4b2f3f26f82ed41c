import type { Realtime } from './types.ts';

/* The messages of AppSync Events over WebSocket, as far as a client that only listens needs them. */

/** The messages of the service that matter here. */
export type Heard =
  | { kind: 'greeted'; silenceMs: number }
  | { kind: 'subscribed' }
  /** Something changed: read again what it names, or everything if it names nothing known. */
  | { kind: 'signal'; what: 'state' | 'inventory' | 'anything' }
  | { kind: 'refused'; message: string }
  /** A keep-alive, or anything else that only shows that somebody is there. */
  | { kind: 'alive' };

/** One socket has one subscription, so its id is always the same. */
const SUBSCRIPTION = 'watch';

/** How long a silence ends a socket if the service does not say, in milliseconds. */
const SILENCE_MS = 300_000;

/**
 * Returns the arguments for WebSocket. The key travels in the second subprotocol, because a browser lets a page set no
 * header.
 */
export function handshake(on: { url: string; key: string; realtime: Realtime }): { url: string; protocols: string[] } {
  const { url, key, realtime } = on;
  const scheme = url.startsWith('http:') ? 'ws' : 'wss';
  const shown = btoa(JSON.stringify({ host: realtime.httpHost, Authorization: key }));
  const holder = shown.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return {
    url: `${scheme}://${realtime.realtimeHost}/event/realtime`,
    protocols: ['aws-appsync-event-ws', `header-${holder}`],
  };
}

export const CONNECTION_INIT = JSON.stringify({ type: 'connection_init' });

export function subscribe(key: string, { httpHost, channel }: Realtime): string {
  const authorization = { host: httpHost, Authorization: key };
  return JSON.stringify({ type: 'subscribe', id: SUBSCRIPTION, channel, authorization });
}

/** Reads a message. An unknown one is a sign of life and nothing more. */
export function hear(data: unknown): Heard {
  const message = parse(data);
  switch (message.type) {
    case 'connection_ack': {
      const { connectionTimeoutMs: told } = message;
      return { kind: 'greeted', silenceMs: typeof told === 'number' && told > 0 ? told : SILENCE_MS };
    }
    case 'subscribe_success':
      return { kind: 'subscribed' };
    case 'data': {
      const { kind } = parse(message.event);
      return { kind: 'signal', what: kind === 'state' || kind === 'inventory' ? kind : 'anything' };
    }
    case 'connection_error':
    case 'subscribe_error':
    case 'error':
      return { kind: 'refused', message: errorIn(message.errors) };
    default:
      return { kind: 'alive' };
  }
}

function errorIn(errors: unknown): string {
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const { errorType, message } = (typeof first === 'object' && first !== null ? first : {}) as Record<string, unknown>;
  return [errorType, message].filter(part => typeof part === 'string' && part !== '').join(': ') || 'no reason given';
}

function parse(text: unknown): Record<string, unknown> {
  if (typeof text !== 'string') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

import { CONNECTION_INIT, type Heard, handshake, hear, subscribe } from './messages.ts';
import type { Clock, Socket, WebSocketClass } from './platform.ts';
import type { Realtime } from './types.ts';

/** How long it may take from the first byte to the subscription, in milliseconds. */
const WELCOME_MS = 15_000;

/** The events of a link. `ended` comes once and last. */
export interface LinkEvents {
  subscribed(): void;
  signal(what: 'state' | 'inventory' | 'anything'): void;
  /**
   * `refused`: the service does not want this socket, so the key or the recipe may be at fault; `lost`: everything
   * else.
   */
  ended(how: 'refused' | 'lost', why: string): void;
}

/** Opens one socket and subscribes. Returns the function that ends it silently. */
export function openLink(
  deps: { url: string; key: string; realtime: Realtime; WebSocket: WebSocketClass; clock: Clock },
  events: LinkEvents,
): () => void {
  const { key, realtime, WebSocket, clock } = deps;
  const { url, protocols } = handshake(deps);
  let phase: 'opening' | 'subscribed' | 'ended' = 'opening';
  let silenceMs = WELCOME_MS;
  let stopWaiting = () => {};

  function end(): 'was_open' | 'was_ended' {
    if (phase === 'ended') return 'was_ended';
    phase = 'ended';
    stopWaiting();
    return 'was_open';
  }

  function fail(how: 'refused' | 'lost', why: string): void {
    if (end() === 'was_ended') return;
    closeQuietly(socket);
    events.ended(how, why);
  }

  /** Before the subscription the time runs from the start, after it from the last message, including keep-alives. */
  function waitAtMost(ms: number, what: string): void {
    stopWaiting();
    stopWaiting = clock.after(ms, () => fail('lost', `No ${what} came within ${ms} ms.`));
  }

  function heard(message: Heard): void {
    if (phase === 'subscribed') waitAtMost(silenceMs, 'keep-alive');
    switch (message.kind) {
      case 'greeted':
        silenceMs = message.silenceMs;
        socket?.send(subscribe(key, realtime));
        break;
      case 'subscribed':
        if (phase === 'subscribed') break;
        phase = 'subscribed';
        waitAtMost(silenceMs, 'keep-alive');
        events.subscribed();
        break;
      case 'signal':
        events.signal(message.what);
        break;
      case 'refused':
        fail('refused', `The service refused: ${message.message}.`);
    }
  }

  waitAtMost(WELCOME_MS, 'subscription');
  let socket: Socket | null = null;
  try {
    socket = new WebSocket(url, protocols);
    socket.addEventListener('open', () => {
      if (phase !== 'ended') socket?.send(CONNECTION_INIT);
    });
    socket.addEventListener('message', event => {
      if (phase !== 'ended') heard(hear((event as { data: unknown }).data));
    });
    socket.addEventListener('error', () => fail('lost', 'The socket failed.'));
    socket.addEventListener('close', event => {
      const { code, reason } = event as { code: number; reason: string };
      // Codes from 4000 are the service's own (RFC 6455): it refused on purpose.
      fail(code >= 4_000 ? 'refused' : 'lost', `The socket was closed (${code}${reason && `, ${reason}`}).`);
    });
  } catch (error) {
    // An invalid host; or a page with https, which may not open a socket without TLS. Reported later, like every end.
    const why = `The socket cannot be opened: ${error instanceof Error ? error.message : String(error)}`;
    stopWaiting();
    stopWaiting = clock.after(0, () => fail('lost', why));
  }

  return () => {
    if (end() === 'was_open') closeQuietly(socket);
  };
}

/** Some sockets throw if closed before they are open. */
function closeQuietly(socket: Socket | null): void {
  try {
    socket?.close();
  } catch {
    // It is abandoned either way.
  }
}

import { WebSocketServer } from 'ws';
import { RelaySocket } from './peer.ts';
import { SUBPROTOCOL } from './protocol.ts';
import type { RelayLimits } from './settings.ts';

/**
 * What turns upgraded connections into WebSockets. Without compression: it costs six times the time of a frame and several
 * times the memory of a socket (REALTIME.md 5.3).
 */
export function createSockets({ messageBytes }: RelayLimits) {
  const options = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: messageBytes,
    maxFragments: MOST_FRAGMENTS,
    closeTimeout: CLOSE_TIMEOUT_MS,
    // ws would select the first one offered, which may be the one with the caller's key (REALTIME.md 3, trap 2).
    handleProtocols: () => SUBPROTOCOL,
    WebSocket: RelaySocket,
  };
  return new WebSocketServer(options);
}

/** Clients send what they say in one piece. */
const MOST_FRAGMENTS = 64;

/** How long a client may take to answer a close, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

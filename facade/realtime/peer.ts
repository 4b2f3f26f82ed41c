import type { Duplex } from 'node:stream';
import { type RawData, WebSocket, WebSocketServer } from 'ws';
import { type Allowance, spend } from '../../services/limits/allowance.ts';
import { KEEP_ALIVE_AND_PING, textFrame } from './frames.ts';
import type { Holder, Listener } from './grants.ts';
import { ENDINGS, type Ending, SUBPROTOCOL } from './protocol.ts';
import type { RelayLimits } from './settings.ts';
import type { Out, Subscription } from './subscription.ts';

/** What all peers share: where their messages go, and who must know when they end. */
export interface PeerHost {
  limits: RelayLimits;
  /** Returns when a socket opened now is to be closed for its age. */
  oldAt(): number;
  heard(peer: Peer, text: string): void;
  /** It gets no more messages: called once, when it is told to end or is gone. */
  left(peer: Peer): void;
  /** Its connection is gone: called once, last of all. */
  gone(peer: Peer, cause: string): void;
}

/** Created by ws: a socket that knows its peer, so that one set of listeners serves all. */
export class RelaySocket extends WebSocket {
  peer: Peer | undefined;
}

/** How many pings in a row may stay without a pong. */
const MOST_UNANSWERED = 2;

/**
 * One open socket: what it listens to, its remaining allowance, and how it ends. Small, because there are thousands.
 */
export class Peer implements Allowance, Listener, Out {
  readonly #host: PeerHost;
  readonly #ws: RelaySocket;
  readonly #connection: Duplex;
  readonly #oldAt: number;
  readonly address: string;
  readonly agent: string | undefined;
  readonly subscriptions = new Map<string, Subscription>();
  readonly holders: Holder[] = [];
  /** Its place in the wheel; -1 for none. */
  slot = -1;
  left: number;
  countedAt = performance.now();
  heardAt = performance.now();
  #unansweredPings = 0;
  #state: 'open' | 'ending' | 'gone' = 'open';
  #cause = 'client';

  /** Listens from the first moment, so that what arrives with the upgrade is not lost (REALTIME.md 3, trap 4). */
  constructor(
    host: PeerHost,
    ws: RelaySocket,
    connection: Duplex,
    who: { address: string; agent: string | undefined },
  ) {
    this.#host = host;
    this.#ws = ws;
    this.#connection = connection;
    this.#oldAt = host.oldAt();
    this.address = who.address;
    this.agent = who.agent;
    this.left = host.limits.messageBurst;
    ws.peer = this;
    ws.on('message', onMessage).on('ping', onPing).on('pong', onPong).on('error', onError).on('close', onClose);
  }

  /**
   * Writes a whole frame as it is. A reader that is too slow is cut off: it reads everything anew when it comes back.
   */
  write(frame: Buffer): 'sent' | 'not_sent' {
    if (this.#state !== 'open') return 'not_sent';
    if (this.#connection.writableLength > this.#host.limits.unsentBytes) {
      this.cut('slow');
      return 'not_sent';
    }
    this.#connection.write(frame);
    return 'sent';
  }

  say(text: string): void {
    this.write(textFrame(text));
  }

  /** Closes it properly. Messages arriving after this are ignored. */
  end(ending: Ending): void {
    if (this.#state !== 'open') return;
    this.#leave('ending', ending.cause);
    this.#ws.close(ending.code, ending.reason);
  }

  /** Ends it at once, without a closing frame. */
  cut(cause: string): void {
    if (this.#state === 'open') this.#leave('ending', cause);
    this.#ws.terminate();
  }

  /** Called once in every keep-alive period. */
  keepAlive(): void {
    if (this.#unansweredPings >= MOST_UNANSWERED) {
      this.cut('silent');
    } else if (performance.now() >= this.#oldAt) {
      this.end(ENDINGS.aged);
    } else {
      this.#unansweredPings += 1;
      this.write(KEEP_ALIVE_AND_PING);
    }
  }

  heard(data: RawData, form: 'binary' | 'text'): void {
    this.heardAt = performance.now();
    if (this.#state !== 'open' || this.#spend() === 'over') return;
    if (form === 'binary') this.end(ENDINGS.binary);
    else this.#host.heard(this, data.toString());
  }

  /** Pings count like messages: each is answered with a pong. */
  pinged(): void {
    this.heardAt = performance.now();
    if (this.#state === 'open') this.#spend();
  }

  ponged(): void {
    this.heardAt = performance.now();
    this.#unansweredPings = 0;
  }

  /** It sent an invalid WebSocket message; ws closes it with the matching code: 1002, 1007 or 1009. */
  broke(): void {
    if (this.#state === 'open') this.#leave('ending', 'malformed');
  }

  closed(): void {
    if (this.#state === 'open') this.#leave('ending', 'client');
    this.#state = 'gone';
    this.#host.gone(this, this.#cause);
  }

  #spend(): 'within' | 'over' {
    const { messageBurst: burst, messagesPerSecond: perSecond } = this.#host.limits;
    const verdict = spend(this, performance.now(), { burst, perSecond });
    if (verdict === 'over') this.end(ENDINGS.tooFrequent);
    return verdict;
  }

  #leave(state: 'ending', cause: string): void {
    this.#state = state;
    this.#cause = cause;
    this.#host.left(this);
  }
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  peerOf(this).heard(data, isBinary ? 'binary' : 'text');
}

function onPing(this: WebSocket): void {
  peerOf(this).pinged();
}

function onPong(this: WebSocket): void {
  peerOf(this).ponged();
}

function onError(this: WebSocket): void {
  peerOf(this).broke();
}

function onClose(this: WebSocket): void {
  peerOf(this).closed();
}

function peerOf(ws: WebSocket): Peer {
  return (ws as RelaySocket).peer!;
}

/**
 * Creates the WebSocket server for upgraded connections. Without compression, which costs six times the time of a frame
 * and several times the memory of a socket (REALTIME.md 5.3).
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

/** Clients send their messages in one piece. */
const MOST_FRAGMENTS = 64;

/** How long a client may take to answer a close, in milliseconds. */
const CLOSE_TIMEOUT_MS = 2_000;

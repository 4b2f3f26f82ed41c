import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { networkOf } from '../../services/process/network.ts';
import { type Answer, JSON_HEADERS } from '../answer.ts';
import { REALTIME_PATH, UNAUTHORIZED } from './protocol.ts';
import type { RelayLimits } from './settings.ts';

/** The connection of a request for a WebSocket, and the bytes that followed the request. */
export interface Upgrade {
  connection: Socket;
  head: Buffer;
  /** Takes the connection over from HTTP: from now on the caller has to end it. */
  take(): void;
}

/**
 * Lets only the realtime path be upgraded, for Node's `shouldUpgradeCallback`. Without it every request with an Upgrade
 * header would end up here, and some clients add one (h2c) to each of their calls of /v1.
 */
export function mayUpgrade(request: IncomingMessage): boolean {
  const asksForWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return request.method === 'GET' && asksForWebSocket && PATH.test(request.url ?? '');
}

const PATH = new RegExp(`^${REALTIME_PATH}/?(\\?|$)`, 'i');

/**
 * Passes upgrade requests to the router like any others, so that their address is known and refused ones are answered
 * as everywhere. `upgradeOf` returns to their handler what Node provided with them.
 */
export function routeUpgrades(app: FastifyInstance): (request: IncomingMessage) => Upgrade | undefined {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  app.server.on('upgrade', (request: IncomingMessage, connection: Socket, head: Buffer) => {
    // Node no longer handles its errors, and nobody else does yet: without this a reset would end the process.
    connection.on('error', ignore);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    try {
      response.assignSocket(connection);
    } catch {
      // An earlier request is not answered yet, so there is no line to answer on. From here a throw would end the process.
      connection.destroy();
      return;
    }
    // Ends both halves: nothing watches a connection whose other half stays open.
    const end = () => connection.destroySoon();
    response.once('finish', end);
    const take = () => {
      response.removeListener('finish', end);
      response.detachSocket(connection);
    };
    upgrades.set(request, { connection, head, take });
    app.routing(request, response);
  });
  return request => upgrades.get(request);
}

function ignore(): void {}

/* The HTTP answers of the two paths of the realtime channel: to an upgrade that is not granted, and to a publish. */

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

/** The refusals of an upgrade that are not about a key. The client may come back. */
export const REFUSALS = {
  closing: answer(503, 'Restarting: connect again.', { 'retry-after': '1' }),
  full: answer(503, 'There are too many sockets.', { 'retry-after': '30' }),
  address_full: answer(429, 'There are too many sockets from this address.', { 'retry-after': '30' }),
};

export function answer(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { ...JSON_HEADERS, ...headers }, body: JSON.stringify({ message }) };
}

/** Counts the sockets of each address (of IPv6 each /64) and of all, including those not granted yet (REALTIME.md 5.11). */
export class Admission {
  readonly #limits: RelayLimits;
  readonly #ofNetwork = new Map<string, number>();
  #all = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** `release` must follow if it was `admitted`. */
  take(address: string): 'admitted' | 'full' | 'address_full' {
    const network = networkOf(address);
    const ofNetwork = this.#ofNetwork.get(network) ?? 0;
    if (this.#all >= this.#limits.sockets) return 'full';
    if (ofNetwork >= this.#limits.socketsPerAddress) return 'address_full';
    this.#all += 1;
    this.#ofNetwork.set(network, ofNetwork + 1);
    return 'admitted';
  }

  release(address: string): void {
    const network = networkOf(address);
    this.#all -= 1;
    const left = this.#ofNetwork.get(network)! - 1;
    if (left === 0) this.#ofNetwork.delete(network);
    else this.#ofNetwork.set(network, left);
  }
}

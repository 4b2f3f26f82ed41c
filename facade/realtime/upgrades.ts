import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type Answer, JSON_HEADERS } from '../answer.ts';
import { REALTIME_PATH, UNAUTHORIZED } from './protocol.ts';
import type { RelayLimits } from './settings.ts';

/** The connection of a request that asks for a WebSocket, and what came on it behind the request. */
export interface Upgrade {
  connection: Socket;
  head: Buffer;
  /** Takes the connection from HTTP: from now on it is the taker's to end. */
  take(): void;
}

/**
 * Lets only the realtime path be upgraded, for Node's `shouldUpgradeCallback`. Without it every request with an Upgrade
 * header would come here, and some clients put one (h2c) on each of their calls of /v1.
 */
export function mayUpgrade(request: IncomingMessage): boolean {
  const asksForWebSocket = request.headers.upgrade?.toLowerCase() === 'websocket';
  return request.method === 'GET' && asksForWebSocket && PATH.test(request.url ?? '');
}

const PATH = new RegExp(`^${REALTIME_PATH}/?(\\?|$)`, 'i');

/**
 * Hands requests for an upgrade to the router as any others, so that their address is seen and refused ones are answered
 * as everywhere. `upgradeOf` tells their handler what Node gave with them.
 */
export function routeUpgrades(app: FastifyInstance): (request: IncomingMessage) => Upgrade | undefined {
  const upgrades = new WeakMap<IncomingMessage, Upgrade>();
  app.server.on('upgrade', (request: IncomingMessage, connection: Socket, head: Buffer) => {
    // Node has let go of it, and nobody else holds it yet: without this a reset would end the process.
    connection.on('error', ignore);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(connection);
    // Not only its own half: nothing watches over a connection whose other half stays open.
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

/** Counts the sockets of each address and of all, those that are still asking included (REALTIME.md 5.11). */
export class Admission {
  readonly #limits: RelayLimits;
  readonly #ofAddress = new Map<string, number>();
  #all = 0;

  constructor(limits: RelayLimits) {
    this.#limits = limits;
  }

  /** `release` must follow when it was `admitted`. */
  take(address: string): 'admitted' | 'full' | 'address_full' {
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    if (this.#all >= this.#limits.sockets) return 'full';
    if (ofAddress >= this.#limits.socketsPerAddress) return 'address_full';
    this.#all += 1;
    this.#ofAddress.set(address, ofAddress + 1);
    return 'admitted';
  }

  release(address: string): void {
    this.#all -= 1;
    const left = this.#ofAddress.get(address)! - 1;
    if (left === 0) this.#ofAddress.delete(address);
    else this.#ofAddress.set(address, left);
  }
}

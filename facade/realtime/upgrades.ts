import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { REALTIME_PATH } from './protocol.ts';

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

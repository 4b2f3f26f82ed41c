import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import type { Config } from './config.ts';
import type { TlsPair } from './tls.ts';

/** How long calls under way may take when the facade closes, in milliseconds. */
const LAST_CALLS_MS = 5_000;

/** Longer than any request line that Node takes: no identifier is too long to be looked up and not found. */
const MAX_PARAMETER = 16 * 1024;

/** How Fastify meets what devices really send (DECISIONS.md "Keys, errors, limits"). Times are in milliseconds. */
export function httpOptions(on: {
  config: Config;
  /** Which requests may turn into a WebSocket. */
  mayUpgrade: (request: IncomingMessage) => boolean;
  /** Null: without TLS. */
  tls: TlsPair | null;
}): FastifyHttpOptions<Server> {
  const { trustedProxies } = on.config;
  const edges = {
    requireHostHeader: false,
    headersTimeout: 5_000,
    connectionsCheckingInterval: 2_000,
    shouldUpgradeCallback: on.mayUpgrade,
  };
  const secure = { ...edges, handshakeTimeout: 10_000, ...on.tls };
  return {
    // The two kinds of server differ in nothing that is used here; Fastify's types keep them apart all the same.
    ...((on.tls === null ? { http: edges } : { https: secure }) as { http: typeof edges }),
    requestTimeout: 10_000,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: MAX_PARAMETER },
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
  };
}

/** What Node's server needs beyond its options. */
export function settleEdges(server: Server): void {
  // More than any device or proxy sends; a request with more is refused like one with too large ones.
  server.maxHeadersCount = 100;
  // A device that closes its sending side after the request still gets its answer. Node has it, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** Browsers that came over TLS once come over nothing else for a year, however they are led here. */
export function stayWithTls(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}

/** On close, calls under way get their answer within 5 s; connections that wait for a next call are ended. */
export function closeGracefully(app: FastifyInstance): void {
  app.addHook('preClose', async () => {
    const idle = setInterval(() => app.server.closeIdleConnections(), 50);
    const late = setTimeout(() => app.server.closeAllConnections(), LAST_CALLS_MS);
    app.server.once('close', () => {
      clearInterval(idle);
      clearTimeout(late);
    });
  });
}

/** How many requests may wait on one connection behind one that is not answered yet: no device sends any, a few clients some. */
const WAITING_MOST = 32;

/**
 * Ends a connection on which too many requests come before their answers are taken (DECISIONS.md "Could not commit, deadline,
 * overload"). Node reads all that comes in one piece, thousands of requests, before it stops reading, and keeps every answer
 * until somebody takes those before it. What was asked for before is done.
 */
export function boundPipelining(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    // One that is next to be answered has the connection already.
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const before = waiting.get(socket) ?? 0;
    if (before >= WAITING_MOST) {
      reply.hijack();
      readNoMore(socket);
      socket.destroy();
      return;
    }
    waiting.set(socket, before + 1);
    reply.raw.once('finish', () => waiting.set(socket, waiting.get(socket)! - 1));
    done();
  });
}

/**
 * Lets Node's parser stop within the piece that it is reading, as it does where a connection turns into something else. Node has
 * no door for that, and without it each of thousands of requests would be made, and then ended with an error of its own. Where a
 * version of Node has no such parser, the connection ends all the same.
 */
function readNoMore(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => 2;
}

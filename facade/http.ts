import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyHttpOptions, FastifyInstance } from 'fastify';
import { PIPELINED_MOST } from '../services/limits/table.ts';
import type { Config } from './config.ts';
import type { TlsPair } from './tls.ts';

/** How long calls under way may take when the facade closes, in milliseconds. */
const LAST_CALLS_MS = 5_000;

/** Longer than any request line that Node accepts, so that an identifier of any length is looked up and not found. */
const MAX_PARAMETER = 16 * 1024;

/** Returns options that fit what devices really send (DECISIONS.md "Keys, errors, limits"). Times are in milliseconds. */
export function httpOptions(on: {
  config: Config;
  /** Tells whether a request may become a WebSocket. */
  mayUpgrade: (request: IncomingMessage) => boolean;
  /** Null: without TLS. */
  tls: TlsPair | null;
}): FastifyHttpOptions<Server> {
  const { trustedProxies } = on.config;
  const edges = {
    requireHostHeader: false,
    // Calls have no body: without a stream for it Node does less for each of them.
    optimizeEmptyRequests: true,
    headersTimeout: 5_000,
    connectionsCheckingInterval: 2_000,
    shouldUpgradeCallback: on.mayUpgrade,
  };
  const secure = { ...edges, handshakeTimeout: 10_000, ...on.tls };
  return {
    // Nothing used here differs between the two kinds of server, but Fastify's types keep them apart.
    ...((on.tls === null ? { http: edges } : { https: secure }) as { http: typeof edges }),
    requestTimeout: 10_000,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: MAX_PARAMETER },
    rewriteUrl: readableMode,
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
  };
}

/** Matches a mode in a URL of /v1: what stands behind arm or trigger of an alarm. */
const MODE = /^(\/+v1\/+alarm\/+[^/?#]+\/+(?:arm|trigger)\/+)([^/?#]+)(?=\/*(?:[?#]|$))/;

/** Replaces a mode that cannot be percent-decoded, so that it is explained like every other unknown word (SPEC.md 7). */
function readableMode({ url = '/' }: { url?: string | undefined }): string {
  if (!url.includes('%')) return url;
  return url.replace(MODE, (whole, before: string, mode: string) => (isDecodable(mode) ? whole : `${before}%EF%BF%BD`));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** Sets what Node's server needs beyond its options. */
export function settleEdges(server: Server): void {
  // More than any device or proxy sends. A request with more is refused like one with too large headers.
  server.maxHeadersCount = 100;
  // A device that half-closes after the request still gets its answer. Node has this option, its types do not.
  Object.assign(server, { httpAllowHalfOpen: true });
}

/** Adds HSTS: browsers that came over TLS once use nothing else for a year. */
export function stayWithTls(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('strict-transport-security', 'max-age=31536000');
    done();
  });
}

/** Lets calls in flight be answered within 5 s on close, and ends idle connections. */
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

/**
 * Ends a connection on which too many requests are pipelined (DECISIONS.md "Could not commit, deadline, overload"). Node reads a
 * whole chunk, thousands of requests, before it stops reading, and keeps every answer until those before it are taken. Requests
 * before the limit are carried out.
 */
export function boundPipelining(app: FastifyInstance): void {
  const waiting = new WeakMap<Socket, number>();
  app.addHook('onRequest', (request, reply, done) => {
    // The request that is answered next already has the connection.
    if (reply.raw.socket !== null) return done();
    const { socket } = request.raw;
    const before = waiting.get(socket) ?? 0;
    if (before >= PIPELINED_MOST) {
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
 * Stops Node's parser within the chunk that it is reading, as it does for an upgrade. Node has no API for that, and without it
 * thousands of requests would be created, each to end with an error. If a version of Node has no such parser, the connection
 * still ends.
 */
function readNoMore(socket: Socket): void {
  const { parser } = socket as { parser?: { onIncoming?: unknown } | null };
  if (parser?.onIncoming !== undefined) parser.onIncoming = () => 2;
}

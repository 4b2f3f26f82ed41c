import { createServer as createHttpServer } from 'node:http';
import { constants, createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Logger } from 'pino';
import { ConfigurationService } from '../gen/tocsin/console/v1/configuration_pb.ts';
import { BatchService } from '../gen/tocsin/internal/v1/batch_pb.ts';
import type { Implementation } from './direct.ts';
import { logFault } from './rpc-faults.ts';
import { createRpcGuard } from './rpc-guard.ts';

/** How an HTTP/2 connection begins; no HTTP/1.1 method does. */
const HTTP2_PREFACE = Buffer.from('PRI ');

/** How long a connection may stay silent before its first bytes, in milliseconds. */
const FIRST_BYTES_MS = 10_000;

/** The largest message, in bytes: of a configuration and of what carries many calls, and of everything else. */
const MAX_MESSAGE = { large: 16 * 1024 * 1024, usual: 1024 * 1024 };

/** How long a whole request may take to come, and its headers, in milliseconds. */
const REQUEST_MS = 60_000;
const HEADERS_MS = 10_000;

/** How many connections are taken, and how many requests may be under way on each. */
const CONNECTIONS_MOST = 1_000;
const STREAMS_MOST = 1_000;

const LARGE: ReadonlySet<string> = new Set([ConfigurationService.typeName, BatchService.typeName]);

export interface RpcServer {
  url: string;
  close(): Promise<void>;
}

/**
 * Serves gRPC, gRPC-Web and Connect on one port, over HTTP/2 without TLS and over HTTP/1.1: the first bytes of a
 * connection tell which. `port` 0 takes any free one.
 */
export async function serveRpc(options: {
  host: string;
  port: number;
  /** What the parts of a deployment show each other; null: nothing, on this machine alone. */
  serviceToken: string | null;
  implementations: readonly Implementation[];
  log: Logger;
}): Promise<RpcServer> {
  const stopping = new AbortController();
  const handler = connectNodeAdapter({
    routes: router => {
      for (const { service, methods } of options.implementations) {
        const readMaxBytes = LARGE.has(service.typeName) ? MAX_MESSAGE.large : MAX_MESSAGE.usual;
        router.service(service, methods, { readMaxBytes });
      }
    },
    interceptors: [logFaults(options.log)],
    maxTimeoutMs: 60_000,
    // Streams have no end of their own: they end with the server.
    shutdownSignal: stopping.signal,
  });
  const guard = createRpcGuard(options.serviceToken);
  const http1 = createHttpServer({ requestTimeout: REQUEST_MS, headersTimeout: HEADERS_MS }, (request, response) => {
    if (guard(request, response) === 'passed') handler(request, response);
  });
  // It never listens by itself: without this, nobody would look after its limits of time.
  http1.emit('listening');
  let underWay = 0;
  let onIdle = () => {};
  http1.on('request', (_request, response) => {
    underWay++;
    response.on('close', () => {
      if (--underWay === 0) onIdle();
    });
  });
  const http2 = createHttp2Server({ settings: { maxConcurrentStreams: STREAMS_MOST } }, (request, response) => {
    // A stream of answers may be silent for as long as it likes once its request is there.
    request.setTimeout(REQUEST_MS, () => {
      if (!request.complete) response.stream.close(constants.NGHTTP2_CANCEL);
    });
    if (guard(request, response) === 'passed') handler(request, response);
  });
  const sessions = new Set<ServerHttp2Session>();
  http2.on('session', session => {
    sessions.add(session);
    session.on('close', () => {
      sessions.delete(session);
      if (underWay === 0) onIdle();
    });
  });
  http2.on('sessionError', () => {});
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    route(socket, version => (version === 2 ? http2 : http1).emit('connection', socket));
  });
  server.maxConnections = CONNECTIONS_MOST;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    async close() {
      stopping.abort(new ConnectError('The service stops: call again.', Code.Unavailable));
      const closed = new Promise(resolve => server.close(resolve));
      for (const session of sessions) session.close();
      const grace = setTimeout(() => sockets.forEach(socket => void socket.destroy()), 5_000);
      // Silent connections belong to neither server yet, idle ones to a client that keeps them open.
      onIdle = () => {
        if (sessions.size === 0) for (const socket of sockets) socket.destroySoon();
      };
      if (underWay === 0) onIdle();
      await closed;
      clearTimeout(grace);
    },
  };
}

/** Looks at the first bytes of a connection, puts them back and says which version it speaks. */
function route(socket: Socket, to: (version: 1 | 2) => void): void {
  let seen = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const look = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) seen = Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, HTTP2_PREFACE.length);
    const maybeHttp2 = seen.subarray(0, length).equals(HTTP2_PREFACE.subarray(0, length));
    if (maybeHttp2 && length < HTTP2_PREFACE.length) return;
    socket.off('readable', look).off('end', giveUp).off('timeout', giveUp).setTimeout(0);
    socket.unshift(seen);
    to(maybeHttp2 ? 2 : 1);
  };
  socket.setTimeout(FIRST_BYTES_MS).on('timeout', giveUp).on('end', giveUp).on('readable', look);
}

function logFaults(log: Logger): Interceptor {
  return next => async request => {
    try {
      return await next(request);
    } catch (error) {
      const fault = ConnectError.from(error, Code.Internal);
      logFault(log, fault, request.method.name);
      throw fault;
    }
  };
}

import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttp2Server, type ServerHttp2Session } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Logger } from 'pino';
import type { Implementation } from './direct.ts';
import { logFault } from './rpc-faults.ts';

/** How an HTTP/2 connection begins; no HTTP/1.1 method does. */
const HTTP2_PREFACE = Buffer.from('PRI ');

/** How long a connection may stay silent before its first bytes, in milliseconds. */
const FIRST_BYTES_MS = 10_000;

/** The largest message, in bytes: a whole configuration fits, a bomb does not. */
const MAX_MESSAGE = 16 * 1024 * 1024;

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
  implementations: readonly Implementation[];
  log: Logger;
}): Promise<RpcServer> {
  const stopping = new AbortController();
  const handler = connectNodeAdapter({
    routes: router => {
      for (const { service, methods } of options.implementations) router.service(service, methods);
    },
    interceptors: [logFaults(options.log)],
    readMaxBytes: MAX_MESSAGE,
    maxTimeoutMs: 60_000,
    // Streams have no end of their own: they end with the server.
    shutdownSignal: stopping.signal,
  });
  const http1 = createHttpServer({ requestTimeout: 60_000, headersTimeout: 10_000 }, handler);
  let underWay = 0;
  let onIdle = () => {};
  http1.on('request', (_request, response) => {
    underWay++;
    response.on('close', () => {
      if (--underWay === 0) onIdle();
    });
  });
  const http2 = createHttp2Server({}, handler);
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

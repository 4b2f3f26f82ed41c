import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import {
  constants,
  createServer as createHttp2Server,
  type Http2ServerRequest,
  type ServerHttp2Session,
} from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, createContextKey, createContextValues, type MethodImpl } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import type { Logger } from 'pino';
import { Health } from '../../gen/grpc/health/v1/health_pb.ts';
import { ServerReflection } from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';
import { ConfigurationService } from '../../gen/tocsin/console/v1/configuration_pb.ts';
import { BatchService } from '../../gen/tocsin/internal/v1/batch_pb.ts';
import { BACKLOG, boundConnections, type ConnectionLimits, rpcConnectionLimits } from '../limits/connections.ts';
import { createPlaces, type Place } from '../limits/places.ts';
import { type HealthPages, type MetricsPlace, withHealthPages } from '../process/health-pages.ts';
import { beginReading, blameReading, carriedOut } from '../process/unreadable.ts';
import { logFaults, loggedFault } from './boundary.ts';
import type { Implementation } from './direct.ts';
import { endWhenCancelling, endWhenIdle } from './ending.ts';
import { routeByVersion } from './first-bytes.ts';
import type { RpcGate } from './gate.ts';
import { encodeMessageIn } from './grpc-message.ts';
import { strictJson } from './json.ts';
import { rpcConnectionsOpen, rpcConnectionsRefused } from './metrics.ts';
import { inLanguageOf, say } from './reader.ts';
import { createUnknown } from './unknown.ts';

/** How long things may take on the RPC port, in milliseconds. */
export interface RpcTimes {
  /** Until the first bytes of a connection. */
  firstBytes: number;
  headers: number;
  /** Until a request has arrived as a whole. */
  request: number;
  /** An HTTP/2 connection without a call. */
  idle: number;
}

const TIMES: RpcTimes = { firstBytes: 10_000, headers: 10_000, request: 60_000, idle: 600_000 };

/** The interval between checks for requests that take too long, in milliseconds. */
const LOOK_MS = 2_000;

/** The idle time before TCP keep-alive probes, in milliseconds. */
const STILL_THERE_MS = 30_000;

/** The largest message, in bytes: usually, and for configurations, carried calls and what anybody may ask. */
const USUAL_BYTES = 1024 * 1024;
const MAX_BYTES: Readonly<Record<string, number>> = {
  [ConfigurationService.typeName]: 16 * 1024 * 1024,
  [BatchService.typeName]: 16 * 1024 * 1024,
  [Health.typeName]: 1024,
  [ServerReflection.typeName]: 1024,
  [ServerReflectionAlpha.typeName]: 1024,
};

const maxBytesOf = ({ typeName }: DescService): number => MAX_BYTES[typeName] ?? USUAL_BYTES;

/** How many requests may be in flight on an HTTP/2 connection: usually, and for other parts of this deployment. */
const STREAMS_MOST = { ordinary: 100, kept: 1_000 } as const;

/** How many header fields a request over HTTP/2 may have: clients and proxies send fewer than 40, and each costs work. */
const FIELDS_MOST = 64;

/** How much memory Node may use for one HTTP/2 connection, in megabytes; of data sent and not read it keeps 64 KB. */
const SESSION_MB = 10;

/** Where a facade's stream of calls comes in, for those alone whom the gate lets through. */
const CARRY = `/${BatchService.typeName}/${BatchService.method.carry.name}`;

const CONNECTION = createContextKey<Place | null>(null);

export interface RpcServer {
  url: string;
  close(): Promise<void>;
}

/** What bounds the connections of the RPC port. */
export interface RpcBounds {
  /** Addresses and networks behind which many callers stand. */
  trustedProxies: string[];
  /** Absent: as many as this process may open files for. */
  connections?: ConnectionLimits;
  times?: RpcTimes;
}

/**
 * Serves gRPC, gRPC-Web and Connect on one port, over HTTP/2 without TLS and over HTTP/1.1: the first bytes of a
 * connection tell which. `port` 0 takes any free one.
 */
export async function serveRpc(
  options: {
    host: string;
    port: number;
    gate: RpcGate;
    /** Served over HTTP/1.1, to anybody. */
    health: HealthPages;
    metrics: MetricsPlace;
    implementations: readonly Implementation[];
    log: Logger;
  } & RpcBounds,
): Promise<RpcServer> {
  const { times = TIMES, connections = rpcConnectionLimits(), trustedProxies, log } = options;
  const stopping = new AbortController();
  const places = createPlaces();
  const unknown = createUnknown(options.implementations.map(({ service }) => service));
  const connect = connectNodeAdapter({
    fallback: unknown.path,
    routes: router => {
      for (const { service, methods } of options.implementations) {
        const readMaxBytes = maxBytesOf(service);
        for (const method of service.methods) {
          const carryOut = carriedOut(methods[method.localName]!) as MethodImpl<DescMethod>;
          router.rpc(method, carryOut, { readMaxBytes, jsonOptions: strictJson(method.input) });
        }
      }
    },
    contextValues: request => createContextValues().set(CONNECTION, connectionOf(request)),
    // Runs before any of the body is read.
    requestGate: async context => {
      encodeMessageIn(context.responseTrailer);
      await options.gate(context, context.values.get(CONNECTION)!).catch(error => {
        throw loggedFault(log, error, context.method.name);
      });
      beginReading(context, maxBytesOf(context.service), () => inLanguageOf(context, () => say().refusals));
    },
    interceptors: [logFaults(log), blameReading],
    maxTimeoutMs: 60_000,
    // Streams do not end by themselves: they end with the server.
    shutdownSignal: stopping.signal,
  });
  const handler: typeof connect = (request, response) => {
    try {
      if (unknown.type(request, response) === 'taken') connect(request, response);
    } catch {
      // A host that is missing or none: Connect throws before there is a call, which would end the process.
      response.statusCode = 400;
      response.end();
    }
  };

  function connectionOf(request: IncomingMessage | Http2ServerRequest): Place {
    const connection = places.of(request.socket);
    if (!('stream' in request)) return connection;
    const { session } = request.stream;
    return {
      ...connection,
      keep() {
        connection.keep();
        if (session !== undefined) keepSession(session as ServerHttp2Session);
      },
    };
  }

  const http1 = createHttpServer(
    { requestTimeout: times.request, headersTimeout: times.headers, connectionsCheckingInterval: LOOK_MS },
    withHealthPages(options.health, options.metrics, handler),
  );
  // It never listens itself: without this event its timeouts would not be enforced.
  http1.emit('listening');
  let underWay = 0;
  let onIdle = () => {};
  http1.on('request', (request, response) => {
    // Connect takes its own listener away before Node has told of all that went wrong: without another one that ends the process.
    request.on('error', () => {});
    underWay++;
    response.on('close', () => {
      if (--underWay === 0) onIdle();
    });
  });
  const http2Options = {
    settings: { maxConcurrentStreams: STREAMS_MOST.ordinary },
    maxSessionMemory: SESSION_MB,
    maxHeaderListPairs: FIELDS_MOST,
  };
  const http2 = createHttp2Server(http2Options, (request, response) => {
    // Cancelled in the bytes that it came with.
    if (request.stream.closed) return;
    // Once its request has arrived, a stream may be silent for any time. One that carries calls is never there as a whole.
    const late = setTimeout(() => {
      if (!request.complete && request.url !== CARRY) response.stream.close(constants.NGHTTP2_CANCEL);
    }, times.request);
    response.stream.once('close', () => clearTimeout(late));
    handler(request, response);
  });
  const sessions = new Set<ServerHttp2Session>();
  const kept = new WeakSet<ServerHttp2Session>();
  function keepSession(session: ServerHttp2Session): void {
    if (kept.has(session)) return;
    kept.add(session);
    session.settings({ maxConcurrentStreams: STREAMS_MOST.kept });
  }
  http2.on('session', session => {
    sessions.add(session);
    endWhenIdle(session, times.idle, () => kept.has(session));
    endWhenCancelling(session, () => kept.has(session));
    session.on('close', () => {
      sessions.delete(session);
      if (underWay === 0) onIdle();
    });
  });
  http2.on('sessionError', () => {});
  const sockets = new Set<Socket>();
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: STILL_THERE_MS }, socket => {
    sockets.add(socket);
    places.come(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    routeByVersion(socket, times.firstBytes, version => (version === 2 ? http2 : http1).emit('connection', socket));
  });
  const meters = { open: rpcConnectionsOpen, refused: rpcConnectionsRefused };
  boundConnections(server, connections, { trustedProxies, meters, makeRoom: places.makeRoom });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: options.port, host: options.host, backlog: BACKLOG }, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  return {
    url: `http://${address.includes(':') ? `[${address}]` : address}:${port}`,
    async close() {
      options.health.close();
      stopping.abort(new ConnectError('The service stops: call again.', Code.Unavailable));
      const closed = new Promise(resolve => server.close(resolve));
      for (const session of sessions) session.close();
      const grace = setTimeout(() => sockets.forEach(socket => void socket.destroy()), 5_000);
      // Silent connections belong to neither server yet; idle ones are kept open by their client.
      onIdle = () => {
        if (sessions.size === 0) for (const socket of sockets) socket.destroySoon();
      };
      if (underWay === 0) onIdle();
      await closed;
      clearTimeout(grace);
      // Ends its check for slow requests, which would keep all of this in memory.
      http1.close();
    },
  };
}

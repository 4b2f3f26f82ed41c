import type { AddressInfo } from 'node:net';
import type { Transport } from '@connectrpc/connect';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import {
  BACKLOG,
  boundConnections,
  type ConnectionLimits,
  connectionLimits,
  connectionsSentence,
} from '../services/limits/connections.ts';
import { createPlaces } from '../services/limits/places.ts';
import { createRateLimits, NO_RATE_LIMITS } from '../services/limits/rate-limits.ts';
import { createSlowdown, NO_SLOWDOWN } from '../services/limits/slowdown.ts';
import { createStrangers, NO_STRANGERS } from '../services/limits/strangers.ts';
import { PRESSED, RATES } from '../services/limits/table.ts';
import { type HealthPages, serveHealthPages } from '../services/process/health-pages.ts';
import { localUrl } from '../services/process/network.ts';
import { createBrokenRequests } from './broken-requests.ts';
import { createServices } from './client.ts';
import { type Config, publicUrlAt, schemeOf } from './config.ts';
import { registerConsole } from './console/register.ts';
import { registerDocs } from './docs.ts';
import { ARMING_GUIDE } from './docs-pages.ts';
import { registerFeeds } from './duty/register.ts';
import { registerFace } from './face.ts';
import { registerHealth } from './health.ts';
import { boundPipelining, closeGracefully, httpOptions, settleEdges, stayWithTls } from './http.ts';
import { callsLimited, connectionsOpen, connectionsRefused } from './metrics.ts';
import { createOutside } from './outside.ts';
import { createOverload, type OverloadLimits } from './overload.ts';
import { askOwnWay } from './own-way.ts';
import { type RealtimeOptions, registerRelay } from './realtime/relay.ts';
import { mayUpgrade } from './realtime/upgrades.ts';
import { registerResponder } from './responder/register.ts';
import { createRest } from './rest.ts';
import { followTlsFiles, readTlsPair } from './tls.ts';
import { endUnsent } from './unsent.ts';
import { registerWorker } from './worker/worker.ts';

export interface FacadeOptions {
  /** Reaches the services, in this process or in another. */
  transport: Transport;
  /** The URL of the RPC port, for the examples in the documentation. Absent: as they stand there. */
  rpcUrl?: string;
  config: Config;
  /** Returns where links lead as the services of this process know it; null: by `config`, as where it is absent. */
  publicUrl?(): string | null;
  log: Logger;
  /** How many calls may be in flight; by default the limits of overload.ts. */
  limits?: OverloadLimits;
  /** How many connections are accepted; by default as many as this process may open files for. */
  connections?: ConnectionLimits;
  /** The options of the realtime channel; null or absent: this facade serves none. */
  realtime?: RealtimeOptions | null;
}

export interface Facade {
  /** Its URL as seen from this machine, without trailing slash. */
  url: string;
  /** The URL of METRICS_PORT, without trailing slash; null if the figures are at `url`, or another part serves them. */
  metricsUrl: string | null;
  /** Asks whether it answers at its own door. */
  ownWay(): Promise<'answers' | 'fails'>;
  /** Stops accepting calls and resolves when those in flight are answered, after 5 s at most. */
  close(): Promise<void>;
}

/** Starts the facade at the configured address. Rejects if it cannot listen there. */
export async function startFacade(options: FacadeOptions): Promise<Facade> {
  const { app, health } = await createFacade(options);
  const { host, port, metrics } = options.config;
  await using starting = new AsyncDisposableStack();
  const pages = await serveHealthPages(metrics, health, options.log);
  starting.defer(pages.close);
  starting.defer(async () => app.close());
  await app.listen({ host, port, backlog: BACKLOG });
  const running = starting.move();
  const url = localUrl(schemeOf(options.config), host, portOf(app) ?? port);
  return { url, metricsUrl: pages.url, ownWay: () => askOwnWay(url), close: () => running.disposeAsync() };
}

/** Creates the facade, which does not listen yet: /v1, docs, health, responder pages and realtime. */
export async function createFacade(options: FacadeOptions): Promise<{ app: FastifyInstance; health: HealthPages }> {
  const { transport, config, log, limits, connections = connectionLimits(), realtime = null } = options;
  const publicUrl = () => options.publicUrl?.() ?? publicUrlAt(config, portOf(app) ?? config.port);
  const services = createServices(transport);
  const overload = createOverload(limits);
  const places = createPlaces();
  const limiting = { ...limitsOf(config), places };
  const rest = createRest({ services, overload, ...limiting, helpUrl: () => publicUrl() + ARMING_GUIDE, log });
  const outside = createOutside(rest, limiting.strangers, log);
  const broken = createBrokenRequests(log);
  const tls = config.tls === null ? null : readTlsPair(config.tls);

  const app = fastify({
    ...httpOptions({ config, mayUpgrade: realtime === null ? () => false : mayUpgrade, tls }),
    clientErrorHandler: broken.answer,
    frameworkErrors: outside.answerBadUrl,
  });
  broken.watch(app.server);
  settleEdges(app.server);
  const meters = { open: connectionsOpen, refused: connectionsRefused };
  app.server.on('connection', places.come);
  boundConnections(app.server, connections, {
    trustedProxies: config.trustedProxies,
    meters,
    makeRoom: places.makeRoom,
  });
  const few = connectionsSentence(connections);
  if (few !== null) log.warn(few);
  boundPipelining(app);
  endUnsent(app.server, tls === null ? 'connection' : 'secureConnection');
  closeGracefully(app);
  if (tls !== null) {
    followTlsFiles(app, { files: config.tls!, pair: tls, log });
    stayWithTls(app);
  }
  rest.register(app);
  registerFace(app);
  registerWorker(app);
  registerDocs(app, { publicUrl, strangers: limiting.strangers, ...(options.rpcUrl && { rpcUrl: options.rpcUrl }) });
  const health = registerHealth(app, { services, metrics: config.metrics });
  registerConsole(app, { transport, publicUrl, openLine: config.consoleOpenLine, overload, ...limiting, log });
  registerFeeds(app, { transport, overload, ...limiting, log });
  registerResponder(app, { transport, overload, ...limiting, log });
  if (realtime !== null) registerRelay(app, { ...realtime, services, overload, ...limiting, log });
  outside.register(app);
  await app.ready();
  return { app, health };
}

function limitsOf({ rateLimits }: Config) {
  if (rateLimits === 'off') return { rateLimits: NO_RATE_LIMITS, strangers: NO_STRANGERS, pressed: NO_SLOWDOWN };
  const onLimited = (callClass: string) => callsLimited.inc({ class: callClass });
  return {
    rateLimits: createRateLimits(RATES.key, { onLimited }),
    strangers: createStrangers('http'),
    pressed: createSlowdown(PRESSED),
  };
}

function portOf(app: FastifyInstance): number | undefined {
  return (app.server.address() as AddressInfo | null)?.port;
}

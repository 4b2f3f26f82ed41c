import type { AddressInfo } from 'node:net';
import type { Transport } from '@connectrpc/connect';
import { type FastifyInstance, fastify } from 'fastify';
import type { Logger } from 'pino';
import { createBadCallers, NO_BAD_CALLERS } from '../services/process/bad-callers.ts';
import {
  boundConnections,
  type ConnectionLimits,
  connectionLimits,
  connectionsSentence,
} from '../services/process/connections.ts';
import { createRateLimits, NO_RATE_LIMITS, RATES } from '../services/process/rate-limits.ts';
import { createBrokenRequests } from './broken-requests.ts';
import { createServices } from './client.ts';
import { type Config, publicUrlAt, schemeOf } from './config.ts';
import { registerDocs } from './docs.ts';
import { ARMING_GUIDE } from './docs-pages.ts';
import { registerHealth } from './health.ts';
import { boundPipelining, closeGracefully, httpOptions, settleEdges, stayWithTls } from './http.ts';
import { callsLimited, connectionsOpen, connectionsRefused } from './metrics.ts';
import { createOutside } from './outside.ts';
import { createOverload, type Limits } from './overload.ts';
import { type RealtimeOptions, registerRelay } from './realtime/relay.ts';
import { mayUpgrade } from './realtime/upgrades.ts';
import { registerResponder } from './responder/register.ts';
import { createRest } from './rest.ts';
import { followTlsFiles, readTlsPair } from './tls.ts';

export interface FacadeOptions {
  /** Reaches the services, in this process or in another. */
  transport: Transport;
  config: Config;
  log: Logger;
  /** How much may be in flight; absent: the limits of overload.ts. */
  limits?: Limits;
  /** How many connections are taken; absent: as many as this process may open files for. */
  connections?: ConnectionLimits;
  /** What the realtime channel needs; null or absent: this facade serves none. */
  realtime?: RealtimeOptions | null;
}

export interface Facade {
  /** Where it listens, as seen from this machine, without trailing slash. */
  url: string;
  /** Takes no more calls and ends when those under way are answered, after at most 5 s. */
  close(): Promise<void>;
}

/** Starts the facade where its config says. Rejects when it cannot listen there. */
export async function startFacade(options: FacadeOptions): Promise<Facade> {
  const app = await createFacade(options);
  const { host, port } = options.config;
  await app.listen({ host, port });
  return { url: localUrl(options.config, portOf(app) ?? port), close: async () => app.close() };
}

/** The facade, ready and not listening yet: /v1 over the RPCs, its docs, its health. */
export async function createFacade(options: FacadeOptions): Promise<FastifyInstance> {
  const { transport, config, log, limits, connections = connectionLimits(), realtime = null } = options;
  const publicUrl = () => publicUrlAt(config, portOf(app) ?? config.port);
  const services = createServices(transport);
  const overload = createOverload(limits);
  const limiting = limitsOf(config);
  const rest = createRest({ services, overload, ...limiting, helpUrl: () => publicUrl() + ARMING_GUIDE, log });
  const outside = createOutside(rest, log);
  const broken = createBrokenRequests();
  const tls = config.tls === null ? null : readTlsPair(config.tls);

  const app = fastify({
    ...httpOptions({ config, mayUpgrade: realtime === null ? () => false : mayUpgrade, tls }),
    clientErrorHandler: broken.answer,
    frameworkErrors: outside.answerBadUrl,
  });
  broken.watch(app.server);
  settleEdges(app.server);
  const meters = { open: connectionsOpen, refused: connectionsRefused };
  boundConnections(app.server, connections, { trustedProxies: config.trustedProxies, meters });
  const few = connectionsSentence(connections);
  if (few !== null) log.warn(few);
  boundPipelining(app);
  closeGracefully(app);
  if (tls !== null) {
    followTlsFiles(app, { files: config.tls!, pair: tls, log });
    stayWithTls(app);
  }
  rest.register(app);
  registerDocs(app, publicUrl);
  registerHealth(app, services);
  registerResponder(app, { transport, overload, log });
  if (realtime !== null) registerRelay(app, { ...realtime, services, overload, log });
  outside.register(app);
  await app.ready();
  return app;
}

function limitsOf({ rateLimits }: Config) {
  if (rateLimits === 'off') return { rateLimits: NO_RATE_LIMITS, badCallers: NO_BAD_CALLERS };
  const onLimited = (callClass: string) => callsLimited.inc({ class: callClass });
  return { rateLimits: createRateLimits(RATES.key, { onLimited }), badCallers: createBadCallers('http') };
}

function portOf(app: FastifyInstance): number | undefined {
  return (app.server.address() as AddressInfo | null)?.port;
}

function localUrl(config: Config, port: number): string {
  const { host } = config;
  const everywhere = host === '0.0.0.0' || host === '::';
  const name = everywhere ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `${schemeOf(config)}://${name}:${port}`;
}

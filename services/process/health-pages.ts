import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Logger } from 'pino';
import { collectDefaultMetrics, register as registry } from 'prom-client';
import { localUrl } from './network.ts';
import { host, port } from './setting-kinds.ts';
import { type Environment, readSetting } from './settings.ts';

/*
 * The figures of the process itself, under the names that prom-client gives them. Without those that list every open file or
 * connection: the more connections somebody held, the slower each answer would be.
 */
collectDefaultMetrics();
for (const listing of [
  'process_open_fds',
  'nodejs_active_handles',
  'nodejs_active_resources',
  'nodejs_active_requests',
]) {
  registry.removeSingleMetric(listing);
  registry.removeSingleMetric(`${listing}_total`);
}

export type Readiness = 'ready' | 'closing' | 'services_not_ready';

/** One of the pages, complete. */
export interface HealthPage {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** What a process says of itself: `/livez`, `/readyz` and `/metrics`. */
export interface HealthPages {
  /** Returns a page by its path; null if there is none at it. */
  at(path: string): Promise<HealthPage> | null;
  /** From now on the process is not ready. */
  close(): void;
}

/**
 * Where /metrics is served (DECISIONS.md "Health and metrics"): on a port of its own, which serves the other pages too (0: any
 * free one); `here`: beside everything else; `elsewhere`: by another part of this process.
 */
export type MetricsPlace = MetricsPort | 'here' | 'elsewhere';

/** `ifTaken`: a port that nobody asked for must not keep an alarm system from starting. */
export interface MetricsPort {
  host: string;
  port: number;
  ifTaken: 'refuse_to_start' | 'take_a_free_one';
}

/** Returns the port by the name of its setting, for the sentence about a failed start. */
export function metricsPortOf(place: MetricsPlace): Record<string, number> {
  return typeof place === 'string' ? {} : { METRICS_PORT: place.port };
}

/** The usual METRICS_PORT: two, as services and a facade may run apart on one machine. */
export const METRICS_PORTS = { services: 9464, facade: 9465 };

/**
 * Reads METRICS_PORT and METRICS_HOST. `own`: the port on which the process serves everything else; whoever names it for the
 * figures as well wants them there. Throws ConfigError.
 */
export function readMetricsPlace(
  env: Environment,
  { own, usual }: { own: number; usual: number },
): Exclude<MetricsPlace, 'elsewhere'> {
  const metricsHost = readSetting(env, 'METRICS_HOST', host, '127.0.0.1');
  const metricsPort = readSetting(env, 'METRICS_PORT', port, null);
  if (metricsPort === null) return { host: metricsHost, port: usual, ifTaken: 'take_a_free_one' };
  if (metricsPort === own && own !== 0) return 'here';
  return { host: metricsHost, port: metricsPort, ifTaken: 'refuse_to_start' };
}

/**
 * Creates the pages. `isReady` tells whether calls can be taken; it answers in time, whatever the database does. Requests at
 * the same moment share an answer, so that nobody can load the process through here.
 */
export function createHealthPages(isReady: () => Promise<boolean>): HealthPages {
  let phase: 'open' | 'closing' = 'open';
  const ask = shared(async (): Promise<Readiness> => {
    return (await isReady().catch(() => false)) ? 'ready' : 'services_not_ready';
  });
  const figures = shared(() => registry.metrics());
  const pages: Readonly<Record<string, () => Promise<HealthPage>>> = {
    '/livez': async () => status(200, 'alive'),
    '/readyz': async () => {
      const state = phase === 'closing' ? phase : await ask();
      return status(state === 'ready' ? 200 : 503, state);
    },
    '/metrics': async () => page(200, registry.contentType, await figures()),
  };
  return {
    at: path => (Object.hasOwn(pages, path) ? pages[path]!() : null),
    close() {
      phase = 'closing';
    },
  };
}

/** The longest a request may take to arrive, in milliseconds, and how many connections may be open. */
const ARRIVES_MS = 5_000;
const CONNECTIONS_MOST = 100;

/** Adds the pages to what a server of HTTP/1.1 answers. Where /metrics has a port of its own, it is not among them. */
export function withHealthPages(pages: HealthPages, metrics: MetricsPlace, answer: RequestListener): RequestListener {
  return (request, response) => {
    const { method, url = '' } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    const page = !isRead || (url === '/metrics' && metrics !== 'here') ? null : pages.at(url);
    if (page === null) return answer(request, response);
    page.then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(500).end(),
    );
  };
}

/**
 * Serves the pages, and nothing else, on a port of their own, if they have one. `url`: where, without trailing slash; null if
 * they have none. Rejects if it cannot listen there.
 */
export async function serveHealthPages(
  place: MetricsPlace,
  pages: HealthPages,
  log: Logger,
): Promise<{ url: string | null; close(): Promise<void> }> {
  if (typeof place === 'string') return { url: null, close: async () => {} };
  const server = createServer(
    { requestTimeout: ARRIVES_MS, headersTimeout: ARRIVES_MS, connectionsCheckingInterval: 1_000 },
    withHealthPages(pages, 'here', (_request, response) => {
      response.writeHead(NO_PAGE.status, NO_PAGE.headers).end(NO_PAGE.body);
    }),
  );
  keepNewest(server, CONNECTIONS_MOST);
  await listen(server, place).catch(fault => {
    if (fault.code !== 'EADDRINUSE' || place.ifTaken === 'refuse_to_start') throw fault;
    log.warn(`port ${place.port} is taken: /metrics is on another one, unless METRICS_PORT names a free one`);
    return listen(server, { ...place, port: 0 });
  });
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: localUrl('http', place.host, listening),
    async close() {
      pages.close();
      const closed = new Promise(resolve => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function listen(server: Server, { host, port }: Pick<MetricsPort, 'host' | 'port'>): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** One connection too many takes the place of the oldest: nobody holds them all against whoever scrapes. */
function keepNewest(server: Server, most: number): void {
  const open = new Set<Socket>();
  server.on('connection', socket => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    const [oldest] = open;
    if (open.size > most) oldest?.destroy();
  });
}

/** Lets callers share an answer that is under way. */
function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let asked: Promise<Answer> | undefined;
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined;
    });
    return asked;
  };
}

const status = (code: 200 | 503, word: Readiness | 'alive') =>
  page(code, 'application/json; charset=utf-8', JSON.stringify({ status: word }));

function page(code: number, contentType: string, body: string): HealthPage {
  const headers = { 'content-type': contentType, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };
  return { status: code, headers, body };
}

const NO_PAGE = page(
  404,
  'application/json; charset=utf-8',
  JSON.stringify({ message: 'Here are /livez, /readyz and /metrics, for GET and HEAD.' }),
);

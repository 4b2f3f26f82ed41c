import { Counter, Gauge } from 'prom-client';
import { createTally } from '../services/process/tally.ts';

/*
 * What the facade counts, in the default registry of prom-client: GET /metrics returns it together with everything else
 * counted in this process.
 */

/** The route is the template in the proto, never the actual path, so that no ids get in. */
export const callsAnswered = createTally({
  name: 'tocsin_http_calls_total',
  help: 'Answered calls of /v1 by route and status.',
  labelNames: ['route', 'status'],
});

export const callsInFlight = new Gauge({
  name: 'tocsin_http_calls_in_flight',
  help: 'Calls of /v1 that wait for the services.',
});

export const callsLimited = new Counter({
  name: 'tocsin_http_calls_limited_total',
  help: 'Calls of /v1 that were answered with 429 because their key had made too many: read, action or trigger.',
  labelNames: ['class'],
});

export const connectionsOpen = new Gauge({
  name: 'tocsin_http_connections',
  help: 'Open connections of callers, WebSockets included.',
});

export const connectionsRefused = new Counter({
  name: 'tocsin_http_connections_refused_total',
  help: 'Connections that were closed at once because there were too many, of all or of one address.',
  labelNames: ['limit'],
});

export const requestsUnreadable = new Counter({
  name: 'tocsin_http_requests_unreadable_total',
  help: 'Requests that could not be read as HTTP, so that no log of calls has them: url, too_large, late, http_on_https_port, other.',
  labelNames: ['reason'],
});

export const callsShed = new Counter({
  name: 'tocsin_http_calls_shed_total',
  help: 'Calls of /v1 that were turned away with 503 because too many were in flight: read, action or trigger.',
  labelNames: ['class'],
});

export const consoleStreams = new Gauge({
  name: 'tocsin_http_console_streams',
  help: 'Streams that pages of the console keep open.',
});

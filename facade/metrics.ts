import { Counter, Gauge } from 'prom-client';

/*
 * What the facade counts, in the default registry of prom-client: GET /metrics gives it together with whatever else counts
 * in this process.
 */

/** The route is the template of the proto, never the path that came: ids stay out. */
export const callsAnswered = new Counter({
  name: 'tocsin_http_calls_total',
  help: 'Answered calls of /v1 by route and status.',
  labelNames: ['route', 'status'],
});

export const callsInFlight = new Gauge({
  name: 'tocsin_http_calls_in_flight',
  help: 'Calls of /v1 that wait for the services.',
});

export const callsShed = new Counter({
  name: 'tocsin_http_calls_shed_total',
  help: 'Calls of /v1 that were turned away with 503 because too many were in flight: read, action or trigger.',
  labelNames: ['class'],
});

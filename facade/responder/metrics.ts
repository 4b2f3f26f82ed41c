import { Counter, Gauge } from 'prom-client';

/** The route is a template, never the actual path, so that no tokens get in. */
export const responsesAnswered = new Counter({
  name: 'tocsin_http_responder_calls_total',
  help: 'Answered calls of those who were alerted and of carriers, by route and status.',
  labelNames: ['route', 'status'],
});

export const pagesFollowed = new Gauge({
  name: 'tocsin_http_pages_followed',
  help: 'Pages of incidents that are shown somewhere and kept up to date.',
});

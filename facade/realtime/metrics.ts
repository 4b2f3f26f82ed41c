import { Counter, Gauge } from 'prom-client';

/* What the relay counts, beside facade/metrics.ts. No label contains an id. */

export const socketsOpen = new Gauge({
  name: 'tocsin_realtime_sockets',
  help: 'Open sockets of the realtime channel.',
});

export const subscriptionsOpen = new Gauge({
  name: 'tocsin_realtime_subscriptions',
  help: 'Granted subscriptions of the realtime channel.',
});

export const accountsHeard = new Gauge({
  name: 'tocsin_realtime_accounts',
  help: 'Accounts whose changes this process listens to.',
});

export const upgradesAnswered = new Counter({
  name: 'tocsin_realtime_upgrades_total',
  help: 'Attempts to open a socket by outcome: open, bad_key, malformed, limit, shed, unavailable or closing.',
  labelNames: ['outcome'],
});

export const socketsEnded = new Counter({
  name: 'tocsin_realtime_sockets_ended_total',
  help: 'Ended sockets by cause: client, or the reason why the relay closed it.',
  labelNames: ['cause'],
});

export const changesHeard = new Counter({
  name: 'tocsin_realtime_changes_total',
  help: 'Changes that came over the bus by kind.',
  labelNames: ['kind'],
});

export const signalsSent = new Counter({
  name: 'tocsin_realtime_signals_total',
  help: 'Signals written to sockets by kind.',
  labelNames: ['kind'],
});

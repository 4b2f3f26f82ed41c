import { Counter, Gauge } from 'prom-client';

/*
 * What the services count at the RPC port, in the default registry beside facade/metrics.ts. No label contains an id.
 */

export const rpcConnectionsOpen = new Gauge({
  name: 'tocsin_rpc_connections',
  help: 'Open connections to the RPC port.',
});

export const rpcConnectionsRefused = new Counter({
  name: 'tocsin_rpc_connections_refused_total',
  help: 'Connections to the RPC port that were closed because there were too many: the new one of an address, or of all the one that was idle for longest.',
  labelNames: ['limit'],
});

export const accountCallsLimited = new Counter({
  name: 'tocsin_account_calls_limited_total',
  help: 'Calls of /v1 and of the RPC port that were refused because their account had made too many: read, action or trigger.',
  labelNames: ['class'],
});

export const signInCodes = new Counter({
  name: 'tocsin_sign_in_codes_total',
  help: 'Codes to sign in that were asked for, by outcome: sent, too_many (for the person, by whoever asked), nobody (no member has the address), dropped (too many wait).',
  labelNames: ['outcome'],
});

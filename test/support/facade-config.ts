import type { Config } from '../../facade/config.ts';

/** The settings of a facade on any free port of this machine, without rate limits and silent; `but` says what differs. */
export function facadeConfig(but: Partial<Config> = {}): Config {
  return {
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    trustedProxies: [],
    tls: null,
    rateLimits: 'off',
    consoleOpenLine: 'taken',
    metrics: 'here',
    logLevel: 'silent',
    ...but,
  };
}

import packageFile from '../package.json' with { type: 'json' };
import { connectNatsBus } from '../services/changes/nats.ts';
import { metricsPortOf } from '../services/process/health-pages.ts';
import { realtimeUrl } from '../services/process/network.ts';
import { announce, runProcess } from '../services/process/run.ts';
import { misspeltSettings } from '../services/process/setting-names.ts';
import { StartError } from '../services/process/start-errors.ts';
import { readCollector } from '../services/process/traces.ts';
import { startFacade } from './app.ts';
import { readConfig } from './config.ts';
import { readApartConfig } from './rpc/config.ts';
import { createServicesTransport } from './rpc/transport.ts';

/** How often a facade asks itself whether it answers, in milliseconds. */
const OWN_WAY_MS = 20_000;

/*
 * `npm run facade`: /v1, the docs and the sockets, in front of services in other processes (`npm run services`). In any
 * number: a facade stores nothing. It may start before the services, and answers 503 until one of them is reachable.
 */
await runProcess(
  () => {
    const config = readConfig(process.env);
    const apart = readApartConfig(process.env);
    return {
      config,
      apart,
      logLevel: config.logLevel,
      facts: { ports: { HTTP_PORT: config.port, ...metricsPortOf(config.metrics) }, databaseUrl: null },
      hints: misspeltSettings(process.env),
      service: 'tocsin-facade',
      collector: readCollector(process.env),
    };
  },
  async ({ config, apart }, log, running) => {
    // Faults of the bus are sentences already.
    const bus = await connectNatsBus({ servers: apart.natsUrl, log }).catch(fault => {
      throw new StartError(fault instanceof Error ? fault.message : String(fault));
    });
    running.defer(bus.close);

    const services = createServicesTransport(apart.rpcUrls, apart.serviceToken, log);
    running.defer(services.close);

    const facade = await startFacade({
      transport: services.transport,
      rpcUrl: apart.rpcUrls[0]!,
      config,
      log,
      realtime: { bus },
    });
    running.defer(facade.close);
    const asking = setInterval(facade.ownWay, OWN_WAY_MS).unref();
    running.defer(async () => clearInterval(asking));

    const http = facade.url;
    const { metricsUrl: metrics } = facade;
    const served = { http, realtime: realtimeUrl(http), ...(metrics !== null && { metrics }) };
    announce(friendlyLines(http, apart.rpcUrls, metrics), { process: 'facade', ...served });
  },
);

function friendlyLines(http: string, rpcUrls: readonly string[], metrics: string | null): string {
  const places = [
    `  API       ${http}/v1`,
    `  Docs      ${http}/docs`,
    ...(metrics === null ? [] : [`  Metrics   ${metrics}/metrics`]),
    `  Services  ${rpcUrls.join(', ')}`,
  ];
  return `\nTocsin ${packageFile.version}, the facade, is ready.\n\n${places.join('\n')}\n`;
}

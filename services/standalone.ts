import { startFacade } from '../facade/app.ts';
import { readConfig as readFacadeConfig } from '../facade/config.ts';
import { exportOfPath } from './process/command-line.ts';
import { runProcess } from './process/run.ts';
import { misspeltSettings } from './process/setting-names.ts';
import { readCollector } from './process/traces.ts';
import { factsOf, readConfig } from './start/config.ts';
import { startBackend } from './start/start.ts';

/*
 * `npm start`: the whole product in one process, on embedded Postgres unless DATABASE_URL is set. The only file that knows
 * both sides.
 */
await runProcess(
  () => {
    const facade = readFacadeConfig(process.env);
    // Both count into one registry, so one of them serves it.
    const config = { ...readConfig(process.env), ...(facade.metrics === 'here' && { metrics: 'elsewhere' as const }) };
    const facts = factsOf(config, { HTTP_PORT: facade.port });
    const hints = misspeltSettings(process.env);
    const collector = readCollector(process.env);
    return { config, facade, logLevel: config.logLevel, facts, hints, service: 'tocsin', collector };
  },
  async ({ config, facade: facadeConfig }, log, running) => {
    // Where nothing says where links lead, that is known once the facade listens, and it needs the services to start.
    let listensAt: string | null = null;
    let ownWay: (() => Promise<'answers' | 'fails'>) | null = null;
    const askOwnWay = async () => (ownWay === null ? 'answers' : ownWay());
    const { services, bus, publicUrl, present } = await startBackend(config, log, running, () => listensAt, askOwnWay);

    const realtime = { bus };
    const metrics = facadeConfig.metrics === 'here' ? 'here' : 'elsewhere';
    const facadeHere = { ...facadeConfig, metrics } as const;
    const facade = await startFacade({
      transport: services.transport,
      rpcUrl: services.rpcUrl,
      config: facadeHere,
      publicUrl,
      log,
      realtime,
    });
    running.defer(facade.close);
    listensAt = facade.url;
    ownWay = facade.ownWay;

    await present({ process: 'standalone', http: facade.url, exportOfPath: exportOfPath(process.env) });
  },
);

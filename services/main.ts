import { exportOfPath } from './process/command-line.ts';
import { runProcess } from './process/run.ts';
import { misspeltSettings } from './process/setting-names.ts';
import { readCollector } from './process/traces.ts';
import { factsOf, readConfig, requireNats } from './start/config.ts';
import { startBackend } from './start/start.ts';

/*
 * `npm run services`: the services and the engine, for facades in other processes (`npm run facade`). In any number on one
 * database; they hear of each other over NATS.
 */
await runProcess(
  () => {
    const config = readConfig(process.env);
    requireNats(config);
    const hints = misspeltSettings(process.env);
    const facts = factsOf(config, {});
    const collector = readCollector(process.env);
    return { config, logLevel: config.logLevel, facts, hints, service: 'tocsin-services', collector };
  },
  async ({ config }, log, running) => {
    const { present } = await startBackend(config, log, running, () => null);
    await present({ process: 'services', http: config.publicUrl, exportOfPath: exportOfPath(process.env) });
  },
);

import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import type { Bus } from '../changes/bus.ts';
import { readToApply } from '../console/file/apply.ts';
import type { NewKey, ReadFile } from '../console/file/file-to-apply.ts';
import { linksLead, urlsInNetwork } from '../process/network.ts';
import { announce } from '../process/run.ts';
import { LOCKS, underLock } from '../store/lock.ts';
import { type Services, startServices } from './app.ts';
import { type Facts, friendlyLines, readyFacts } from './banner.ts';
import type { Config } from './config.ts';
import { applyConfigFile } from './config-file.ts';
import { rehearseDemo } from './demo.ts';
import { keepUnshown, prepareFirstStart } from './first-start.ts';
import { openFoundations } from './foundations.ts';

/** The services while they run, and what is left to do once everything else of the process stands. */
export interface Backend {
  services: Services;
  bus: Bus;
  /**
   * Makes what a first start makes, and says that the process is ready, at `http` where it is known. Last: secrets that are
   * shown once must not be made by a start that fails, for want of a port say, and shows nothing.
   */
  present(process: Pick<Facts, 'process' | 'http' | 'exportOfPath'>): Promise<void>;
}

/** How long a carrier may take to answer at a start, in milliseconds: until then nobody is told that all is ready. */
const ASK_MS = 3_000;

/** Starts the services on what the settings say, for `npm start` and `npm run services` alike. */
export async function startBackend(
  config: Config,
  log: Logger,
  running: AsyncDisposableStack,
  publicUrl: () => string | null,
): Promise<Backend> {
  const foundations = await openFoundations(config, log, running);
  const { store, seal, pepper, channels, data, bus } = foundations;
  const { planDefault: plan, demoEmail, consoleToken, configFile } = config;
  const read: ReadFile = (text, secrets) => readToApply({ ...foundations, orm: store.orm }, text, secrets);
  // First: nothing is answered by an account that is not yet what it shall be.
  if (configFile !== null) {
    const keep = (client: PoolClient, keys: readonly NewKey[]) => keepUnshown(client, seal, { keys: [...keys] });
    await applyConfigFile(store.pool, configFile, { plan, read, keep });
  }
  const deployment = { ...foundations.deployment, publicUrl };
  const services = await startServices({ ...foundations, deployment });
  running.defer(services.close);

  const demo = configFile === null ? 'wanted' : 'unwanted';
  return {
    services,
    bus,
    // One process after the other: what the first one shows, the next must not show again.
    present: process =>
      underLock(store.pool, LOCKS.firstStart, async () => {
        const first = await prepareFirstStart(store, { pepper, seal, plan, demo, demoEmail, consoleToken, read });
        if (first.demo !== null) await rehearseDemo(services.transport, first.demo);
        const asked = await channels.ask(ASK_MS);
        const links = publicUrl();
        const facts: Facts = {
          ...process,
          version: packageFile.version,
          rpc: services.rpcUrl,
          data,
          channelsInOutbox: channels.unconfigured,
          carrierProblems: Object.entries(asked).flatMap(([channel, one]) =>
            one.state === 'fails' ? [{ channel, problem: one.problem }] : [],
          ),
          reachableAt: links !== null && linksLead(links) === 'this_machine' ? urlsInNetwork(links) : null,
          demo: first.demo,
          demoEmail: demoEmail === null ? 'not_set' : 'set',
          consoleToken: first.consoleToken,
          consoleTokenSetting: consoleToken === null ? 'not_set' : 'set',
          keys: first.keys,
        };
        announce(friendlyLines(facts), readyFacts(facts));
        await first.shown();
      }),
  };
}

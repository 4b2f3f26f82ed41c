import type { PoolClient } from 'pg';
import type { Logger } from 'pino';
import packageFile from '../../package.json' with { type: 'json' };
import type { Bus } from '../changes/bus.ts';
import { type ReadFile, readToApply } from '../configuration/file/apply.ts';
import type { NewSecret } from '../configuration/file/write.ts';
import { linksLead, urlsInNetwork } from '../process/network.ts';
import { announce } from '../process/run.ts';
import { LOCKS, underLock } from '../store/lock.ts';
import { type Foundations, type Services, startServices } from './app.ts';
import { type Facts, friendlyLines, readyFacts } from './banner.ts';
import type { Config } from './config.ts';
import { applyConfigFile } from './config-file.ts';
import { rehearseDemo } from './demo.ts';
import { prepareSignIn } from './first-sign-in.ts';
import { keepUnshown, prepareFirstStart } from './first-start.ts';
import { openFoundations } from './foundations.ts';

/** The running services, and the last step of a start. */
export interface Backend {
  services: Services;
  bus: Bus;
  /** Returns where links lead by settings, without trailing slash; null: to where the facade listens. */
  publicUrl(): string | null;
  /**
   * Makes what a first start makes and announces that the process is ready, at `http` if known. It comes last: secrets that are
   * shown once must not be made by a start that then fails, for lack of a port for example.
   */
  present(process: Pick<Facts, 'process' | 'http' | 'exportOfPath'>): Promise<void>;
}

/** How long a carrier may take to answer at a start, in milliseconds, which delays the announcement. */
const ASK_MS = 3_000;

/** Starts the services as the settings say, for `npm start` and `npm run services`. `listensAt`: where the facade of this process listens, once it does. `ownWay`: asks it, if there is one. */
export async function startBackend(
  config: Config,
  log: Logger,
  running: AsyncDisposableStack,
  listensAt: () => string | null,
  ownWay?: Foundations['ownWay'],
): Promise<Backend> {
  const foundations = await openFoundations(config, log, running);
  const { store, seal, pepper, channels, data, bus } = foundations;
  const { planDefault: plan, demoEmail, consoleToken, configFile } = config;
  const read: ReadFile = (text, secrets) => readToApply({ ...foundations, orm: store.orm }, text, secrets);
  // Before any call is answered, the account must be what the file says.
  if (configFile !== null) {
    const keep = (client: PoolClient, keys: readonly NewSecret[]) => keepUnshown(client, seal, { keys: [...keys] });
    await applyConfigFile(store.pool, configFile, { plan, read, keep });
  }
  const signIn = prepareSignIn(foundations);
  const publicUrl = () => foundations.publicUrl.now() ?? listensAt();
  const deployment = { ...foundations.deployment, publicUrl };
  const services = await startServices({ ...foundations, deployment, ...(ownWay !== undefined && { ownWay }) });
  running.defer(services.close);

  const demo = configFile === null ? 'wanted' : 'unwanted';
  return {
    services,
    bus,
    publicUrl: foundations.publicUrl.now,
    // One process at a time: what the first one shows, the next must not show again.
    present: process =>
      underLock(store.pool, LOCKS.firstStart, async () => {
        const first = await prepareFirstStart(store, { pepper, seal, plan, demo, demoEmail, consoleToken, read });
        if (first.demo !== null) {
          await rehearseDemo(services.transport, first.demo);
          await signIn.addOwnerOfDemo(first.demo.accountId, demoEmail);
        }
        const isFirst = first.demo !== null || first.consoleToken !== null;
        const asked = await channels.ask(ASK_MS);
        const links = publicUrl();
        const consoleUrl = links ?? process.http;
        const facts: Facts = {
          ...process,
          version: packageFile.version,
          rpc: services.rpcUrl,
          metrics: services.metricsUrl,
          data,
          channelsWithoutCarrier: channels.unconfigured,
          carrierProblems: Object.entries(asked).flatMap(([channel, { each }]) =>
            each.flatMap(one => (one.state === 'fails' ? [{ channel, problem: one.problem }] : [])),
          ),
          reachableAt: links !== null && linksLead(links) === 'this_machine' ? urlsInNetwork(links) : null,
          demo: first.demo,
          demoEmail: demoEmail === null ? 'not_set' : 'set',
          consoleToken: first.consoleToken,
          consoleTokenSetting: consoleToken === null ? 'not_set' : 'set',
          signInUrl: isFirst && consoleUrl !== null ? await signIn.operatorLink(consoleUrl) : null,
          keys: first.keys,
        };
        announce(friendlyLines(facts), readyFacts(facts));
        await first.shown();
      }),
  };
}

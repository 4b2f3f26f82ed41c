import { pino } from 'pino';
import { startFacade } from '../facade/app.ts';
import { readConfig as readFacadeConfig } from '../facade/config.ts';
import packageFile from '../package.json' with { type: 'json' };
import { startServices } from './app.ts';
import { type Facts, friendlyLines, readyLine } from './banner.ts';
import { readConfig } from './config.ts';
import { rehearseDemo } from './demo.ts';
import { prepareFirstStart } from './first-start.ts';
import { openFoundations } from './foundations.ts';
import { stopSignal } from './signals.ts';
import { type StartFacts, startSentence } from './start-errors.ts';

/*
 * The whole product in one process: embedded Postgres unless DATABASE_URL is set, services, facade. The only file that
 * knows both sides (DESIGN.md 2).
 */
let settings: StartFacts = { ports: {}, databaseUrl: null };
const stopAsked = stopSignal();
try {
  await using running = new AsyncDisposableStack();
  await start(running);
  await stopAsked;
} catch (fault) {
  process.exitCode = 1;
  report(fault);
}

/** Each thing that runs is put on the stack the moment it does; they stop last in, first out. */
async function start(running: AsyncDisposableStack): Promise<void> {
  const config = readConfig(process.env);
  const facadeConfig = readFacadeConfig(process.env);
  const databaseUrl = config.database.kind === 'external' ? config.database.url : null;
  settings = { ports: { HTTP_PORT: facadeConfig.port, RPC_PORT: config.rpc.port }, databaseUrl };
  const log = logger(config.logLevel);

  const foundations = await openFoundations(config, log, running);
  // Port 0 and an absent PUBLIC_URL are known once the facade listens, and it needs the services to start.
  let publicUrl = config.publicUrl;
  const services = await startServices({ ...foundations, publicUrl: () => publicUrl });
  running.defer(services.close);

  const realtime = { bus: foundations.bus };
  const facade = await startFacade({ transport: services.transport, config: facadeConfig, log, realtime });
  running.defer(facade.close);
  publicUrl ??= facade.url;

  // Last: secrets that are shown once must not be made by a start that fails, for want of a port say, and shows nothing.
  const { store, seal, pepper } = foundations;
  const { planDefault: plan, demoEmail } = config;
  const first = await prepareFirstStart(store, { pepper, seal, plan, demoEmail, consoleToken: config.consoleToken });
  if (first.demo !== null) await rehearseDemo(services.transport, first.demo);
  announce({
    version: packageFile.version,
    http: facade.url,
    rpc: services.rpcUrl,
    data: foundations.data,
    channelsInOutbox: foundations.channels.unconfigured,
    demo: first.demo,
    demoEmail: demoEmail === null ? 'not_set' : 'set',
    consoleToken: first.consoleToken,
  });
  await first.shown();
}

/** Machines read the one line on stdout; what people read must not get between. */
function announce(facts: Facts): void {
  const people = process.stdout.isTTY ? process.stdout : process.stderr;
  people.write(friendlyLines(facts));
  process.stdout.write(`${readyLine(facts)}\n`);
}

function report(fault: unknown): void {
  const sentence = startSentence(fault, settings);
  if (sentence !== null) console.error(sentence);
  else logger('error').fatal({ err: fault }, 'Tocsin ended for a reason that nobody foresaw.');
}

/** To stderr, at once: what is logged last before an end must not be lost. */
function logger(level: string) {
  return pino({ level }, pino.destination({ dest: 2, sync: true }));
}

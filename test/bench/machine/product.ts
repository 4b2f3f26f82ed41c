import { randomBytes } from 'node:crypto';
import { ownPort } from '../../faults/cluster/ports.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import { eventually } from '../../support/wait.ts';
import { productCommand, startTarget, type Target } from './start.ts';

/** What every process of a deployment is given, and what a database was filled with. */
export interface Secrets {
  pepper: string;
  dataKey: Buffer;
  /** The operator's. */
  consoleToken: string;
}

/** Makes secrets for one run. */
export function newSecrets(): Secrets {
  const [pepper, consoleToken] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
  return { pepper, dataKey: randomBytes(32), consoleToken };
}

/** Starts the whole product in one process, as `npm start` does, on a database of its own. `more`: further settings. */
export async function startStandalone(
  running: AsyncDisposableStack,
  databaseUrl: string,
  secrets: Secrets,
  more: Record<string, string> = {},
): Promise<Target> {
  const target = await startTarget(productCommand('start'), {
    ...settings(databaseUrl, secrets),
    ...(await http()),
    ...more,
  });
  running.defer(target.stop);
  return target;
}

/** The product apart: where it is called, and its processes. */
export interface Split {
  url: string;
  processes: { services: number; facade: number; nats: number };
}

/** Starts services, a facade and the nats-server between them, as facade/docs/operating.md has it, on a database of their own. */
export async function startSplit(running: AsyncDisposableStack, databaseUrl: string, secrets: Secrets): Promise<Split> {
  const nats = await startNatsServer();
  running.defer(nats.stop);
  const NATS_URL = nats.url;
  const services = await startTarget(productCommand('services'), {
    ...settings(databaseUrl, secrets),
    METRICS_PORT: '0',
    NATS_URL,
  });
  running.defer(services.stop);
  const facade = await startTarget(productCommand('facade'), {
    ...(await http()),
    NATS_URL,
    RPC_URL: services.rpcUrl!,
  });
  running.defer(facade.stop);
  return { url: facade.url, processes: { services: services.pid, facade: facade.pid, nats: nats.pid() } };
}

/** Waits until the product has no call under way any more, those included whose callers have gone. */
export async function untilAnswered(url: string): Promise<void> {
  const inFlight = async () => {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    return Number(/^tocsin_http_calls_in_flight (\d+)$/m.exec(metrics)?.[1] ?? Number.NaN);
  };
  await eventually(async () => (await inFlight()) === 0, { what: 'every call to be answered' });
}

/** A bench asks for more than any honest sender does, at both doors. */
const RATE_LIMITS = 'off';

/** A port of its own, with the figures beside everything else. */
async function http(): Promise<Record<string, string>> {
  const port = String(await ownPort());
  return { HTTP_HOST: '127.0.0.1', HTTP_PORT: port, METRICS_PORT: port, RATE_LIMITS };
}

function settings(databaseUrl: string, { pepper, dataKey, consoleToken }: Secrets): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    KEY_PEPPER: pepper,
    DATA_KEY: dataKey.toString('hex'),
    CONSOLE_TOKEN: consoleToken,
    RPC_PORT: '0',
    RATE_LIMITS,
  };
}

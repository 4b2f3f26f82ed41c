import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { newId } from '../../../services/store/id.ts';
import { newOwner } from '../../support/console.ts';
import { dropDatabase, makeDatabase } from '../../support/database.ts';
import { type Product, startProduct } from '../product.ts';
import { startNatsCluster } from './nats-cluster.ts';
import { ownPort } from './ports.ts';

/** A process of the cluster: to be killed, and started again where it was. */
export interface Part {
  kill(): Promise<void>;
  /** Resolves when it is ready. */
  restart(): Promise<void>;
}

export interface Deployment {
  nats: Part[];
  services: Part[];
  /** The nats-server that these services are connected to now. */
  natsOf(services: number): Promise<Part>;
  /** With the URL of its door, which stays the same over its lives. */
  facades: (Part & { url: string })[];
  rows<Row extends Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  accounts: Account[];
  /** What all processes of the product, dead ones too, said of trouble. */
  said(): string;
}

/** An account with alarms that alert nobody: incidents open, and no message goes out. */
export interface Account {
  id: string;
  key: string;
  alarmIds: string[];
}

const OPERATOR = 'tcn_the-operators-token-in-these-tests';
const SECRETS = { KEY_PEPPER: 'p'.repeat(32), DATA_KEY: '0'.repeat(64), CONSOLE_TOKEN: OPERATOR };

/** Three nats-servers, two services on one empty database and two facades, each a process of its own, with some accounts. */
export async function startDeployment(accounts: number, alarmsEach: number): Promise<Deployment> {
  const postgresUrl = inject('postgresUrl');
  const name = `cluster_${newId()}`;
  const DATABASE_URL = await makeDatabase(postgresUrl, { name, from: 'template0' });
  onTestFinished(() => dropDatabase(postgresUrl, name));
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
  onTestFinished(() => pool.end());

  const nats = await startNatsCluster(3);
  const rpcPorts = [await ownPort(), await ownPort()];
  const httpPorts = [await ownPort(), await ownPort()];
  const rpcUrls = rpcPorts.map(port => `http://127.0.0.1:${port}`);
  const RPC_URL = rpcUrls.join(',');
  const lives: Product[] = [];
  const part = async (script: 'services' | 'facade', nth: number, settings: Record<string, string>) => {
    const NATS_URL = nats.urlFor(`${script}-${nth}`);
    const start = () => {
      const life = startProduct({ NATS_URL, ...settings }, { script });
      lives.push(life);
      return life;
    };
    let life = start();
    await life.ready();
    return {
      kill: () => life.kill(),
      async restart() {
        life = start();
        await life.ready();
      },
    };
  };
  const [services, facades] = await Promise.all([
    Promise.all(rpcPorts.map((port, nth) => part('services', nth, { ...SECRETS, DATABASE_URL, RPC_PORT: `${port}` }))),
    Promise.all(
      httpPorts.map(async (port, nth) => ({
        ...(await part('facade', nth, { RPC_URL, HTTP_HOST: '127.0.0.1', HTTP_PORT: `${port}`, RATE_LIMITS: 'off' })),
        url: `http://127.0.0.1:${port}`,
      })),
    ),
  ]);
  const console = { rpcUrl: rpcUrls[0]!, operator: OPERATOR };
  return {
    nats: nats.servers,
    services,
    natsOf: async services => nats.servers[await nats.serverOf(`services-${services}`)]!,
    facades,
    rows: async (sql, values = []) => (await pool.query(sql, values)).rows,
    accounts: await Promise.all(Array.from({ length: accounts }, () => makeAccount(console, alarmsEach))),
    said: () => lives.map(life => life.printed().stderr).join(''),
  };
}

/** Makes an account at the RPC port of services, with so many alarms in test mode and a key. */
export async function makeAccount(console: { rpcUrl: string; operator: string }, alarms: number): Promise<Account> {
  const { accountId: id, console: own } = await newOwner(console);
  const { location } = await own.locations.createLocation({ location: { name: 'Home' } });
  const made = Array.from({ length: alarms }, (_, nth) =>
    own.alarms.createAlarm({ alarm: { name: `Alarm ${nth}`, locationId: location!.id } }),
  );
  const alarmIds = (await Promise.all(made)).map(({ alarm }) => alarm!.id);
  const { secret: key } = await own.apiKeys.createApiKey({ apiKey: { label: 'Panel' } });
  return { id, key, alarmIds };
}

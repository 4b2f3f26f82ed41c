import { randomBytes } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { type Logger, pino } from 'pino';
import { inject, onTestFinished } from 'vitest';
import { startFacade } from '../../facade/app.ts';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Call, Delivery, Incident, TimelineEntry } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import type { Bus } from '../../services/changes/bus.ts';
import { createLocalBus } from '../../services/changes/local.ts';
import type { CarrierSettings } from '../../services/channels/carriers.ts';
import { createChannels } from '../../services/channels/channels.ts';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import type { Plan } from '../../services/domain/plan.ts';
import type { Retention } from '../../services/engine/retention.ts';
import type { RpcBounds } from '../../services/rpc/port.ts';
import { type Services, startServices } from '../../services/start/app.ts';
import { ensureOperatorToken } from '../../services/start/first-start.ts';
import { Contact, ContactChannel } from '../../services/store/entities/contact.ts';
import { Location } from '../../services/store/entities/location.ts';
import { Policy, type PolicyStep } from '../../services/store/entities/policy.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal, type Seal } from '../../services/store/seal.ts';
import { webhookSecretsUnder } from '../../services/store/secret.ts';
import { openStore, type Store } from '../../services/store/store.ts';
import { carriers } from './carriers.ts';
import {
  advanceClock,
  databaseOn,
  dropDatabase,
  dropRole,
  makeDatabase,
  makeProductRole,
  TEMPLATE,
} from './database.ts';
import { lendStore } from './lent-store.ts';
import { addAccount, addAlarm, addApiKey, addPanicButton, type NewAlarm, type NewPanicButton } from './owned.ts';

export const PEPPER = 'a pepper of the tests, long enough for anybody';

/** An answer of /v1. */
export interface Answer {
  status: number;
  headers: Headers;
  body: Envelope;
}

export interface Envelope {
  error: boolean;
  message: string | null;
  links: Record<string, string>;
  traceId: string;
  data: Record<string, unknown>;
}

/** The whole product in this process on a database of its own, and what it takes to fill it and to move its time. */
export interface World {
  url: string;
  rpcUrl: string;
  databaseUrl: string;
  /** The operator's console token. */
  operator: string;
  store: Store;
  bus: Bus;
  /** What addresses are sealed by. */
  seal: Seal;
  services: Services;
  /** Calls the public door: a real GET over the loopback. */
  get(path: string, key?: string): Promise<Answer>;
  /** Lets the product do all that there is to do now. */
  settle(): Promise<void>;
  /** Moves the one clock on, then settles. */
  advance(seconds: number): Promise<void>;
  /** Lets the product remove all that was kept for long enough. */
  sweep(): Promise<void>;
  /** Rows of a query, for what no door shows. */
  rows<Row extends Record<string, unknown>>(sql: string, values?: unknown[]): Promise<Row[]>;
  /** Makes an account with a location. */
  account(options?: AccountOptions): Promise<Owner>;
}

export interface AccountOptions {
  plan?: Plan;
  /** Of its location. */
  address?: string;
  locationTest?: boolean;
  /** Where its owner is told what they must know. */
  ownerEmail?: string;
}

/** An account as its owner would set it up. */
export interface Owner {
  accountId: string;
  locationId: string;
  /** An API key for the whole account, or for one alarm. */
  key(alarmId?: string): Promise<string>;
  keyWithId(alarmId?: string): Promise<{ id: string; secret: string }>;
  /** The incidents with their timelines, newest first, as the owner sees them over RPC. */
  incidents(): Promise<Told[]>;
  /** What became of a call, by the traceId of its answer. */
  call(answer: Answer): Promise<Call>;
  contact(name: string, addresses: Partial<Record<ChannelKind, string>>): Promise<string>;
  policy(steps: PolicyStep[], repeat?: { times: number; delayS: number }): Promise<string>;
  /** Live unless said otherwise: what a test is about should alert. */
  alarm(alarm?: Partial<NewAlarm>): Promise<string>;
  panicButton(button?: Partial<NewPanicButton>): Promise<string>;
}

/** An incident as its owner is told. */
export interface Told extends Incident {
  timeline: TimelineEntry[];
  deliveries: Delivery[];
}

/** What a world may be started with. */
export interface WorldOptions {
  /** Email goes there; absent: it has no carrier. */
  smtpUrl?: string;
  /** Carriers that are there besides: servers of test/support. */
  carriers?: Partial<CarrierSettings>;
  /** With one, describe says where to listen and messages carry links; `of the facade`: where the world really listens. */
  publicUrl?: string;
  /** In place of one of its own. */
  bus?: Bus;
  /** A database that is there already, by name; it is dropped with the test all the same. In place of one of its own. */
  database?: string;
  /** postgres:// URL of a server of its own, on which `database` is; in place of the one of the run. */
  server?: string;
  contactVerification?: 'required' | 'trusted';
  /** For how many days things are kept; what is absent: as by default. */
  retention?: Partial<Retention>;
  /** Off where absent: most tests ask for more than any honest sender does. */
  rateLimits?: 'on' | 'off';
  /** What others have to show at the RPC port; absent: nothing. */
  serviceToken?: string;
  /** What bounds the connections of the RPC port, where not as by default. */
  rpc?: Partial<RpcBounds>;
  /** `fresh`: on a database that nobody used before, for what depends on how its tables are planned; absent: any will do. */
  tables?: 'fresh' | undefined;
  /** `two`: the product works as a role of its own that owns nothing; absent: as the owner of the tables. */
  roles?: 'one' | 'two';
}

/** Starts a world; it ends with the test. What has no carrier is kept. */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const log = pino({ level: process.env.TEST_LOG ?? 'silent' });
  const { store, databaseUrl, giveBack } = await storeFor(options, log);
  const seal = createSeal(randomBytes(32));
  const webhookSecret = webhookSecretsUnder(randomBytes(32));
  const channels = createChannels({ ...carriers(options.smtpUrl ?? null), webhookSecret, ...options.carriers }, log);
  const bus = options.bus ?? createLocalBus();
  const rpc = {
    host: '127.0.0.1',
    port: 0,
    serviceToken: options.serviceToken ?? null,
    trustedProxies: [],
    ...options.rpc,
  };
  const rateLimits = options.rateLimits ?? 'off';
  let facadeUrl: string | null = null;
  const publicUrl = () => (options.publicUrl === 'of the facade' ? facadeUrl : (options.publicUrl ?? null));
  const contactVerification = options.contactVerification ?? 'required';
  const deployment = { planDefault: 'paid', publicUrl, bus: 'local', contactVerification, webhookSecret } as const;
  const retention = { calls: 90, incidents: 730, audit: 730, ...options.retention };
  const services = await startServices({
    store,
    bus,
    channels,
    seal,
    pepper: PEPPER,
    rpc,
    rateLimits,
    deployment,
    retention,
    log,
  });
  const operator = (await ensureOperatorToken(store.orm.em.fork(), PEPPER, null))!;
  const facade = await startFacade({
    transport: services.transport,
    config: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      trustedProxies: [],
      tls: null,
      rateLimits,
      consoleOpenLine: 'taken',
      logLevel: 'silent',
    },
    log,
    realtime: { bus },
  });
  facadeUrl = facade.url;
  onTestFinished(async () => {
    await facade.close();
    await services.close();
    await channels.close();
    await bus.close();
    await giveBack();
  });

  return {
    url: facade.url,
    rpcUrl: services.rpcUrl,
    databaseUrl,
    operator,
    store,
    bus,
    seal,
    services,
    async get(path, key) {
      const response = await fetch(facade.url + path, key === undefined ? {} : { headers: { 'x-api-key': key } });
      return { status: response.status, headers: response.headers, body: (await response.json()) as Envelope };
    },
    settle: () => services.drain(),
    sweep: () => services.sweep(),
    async advance(seconds) {
      await advanceClock(store.pool, seconds);
      await services.drain();
    },
    async rows<Row extends Record<string, unknown>>(sql: string, values: unknown[] = []) {
      return (await store.pool.query<Row>(sql, values)).rows;
    },
    async account(options = {}) {
      const owner = await makeAccount(store, seal, options);
      return { ...owner, ...ownersView(services.rpcUrl, operator, owner.accountId) };
    },
  };
}

/** A store that is lent where any will do, and one of the test's own where it names the server, the database or a role. */
async function storeFor(
  options: WorldOptions,
  log: Logger,
): Promise<{ store: Store; databaseUrl: string; giveBack(): Promise<void> }> {
  if (options.database === undefined && options.tables !== 'fresh' && options.roles !== 'two') return lendStore(log);
  const postgresUrl = options.server ?? inject('postgresUrl');
  const name = options.database ?? `world_${newId()}`;
  const databaseUrl =
    options.database === undefined
      ? await makeDatabase(postgresUrl, { name, from: TEMPLATE })
      : databaseOn(postgresUrl, name);
  const productUrl = options.roles === 'two' ? await makeProductRole(databaseUrl) : databaseUrl;
  const store = await openStore(productUrl, log, databaseUrl);
  return {
    store,
    databaseUrl,
    async giveBack() {
      await store.close();
      await dropDatabase(postgresUrl, name);
      if (productUrl !== databaseUrl) await dropRole(postgresUrl, new URL(productUrl).username);
    },
  };
}

/** What the owner asks over the RPC port, with the operator's token. */
function ownersView(rpcUrl: string, operator: string, accountId: string): Pick<Owner, 'incidents' | 'call'> {
  const client = createClient(IncidentService, createConnectTransport({ baseUrl: rpcUrl, httpVersion: '1.1' }));
  const as = { headers: { authorization: `Bearer ${operator}`, 'x-tocsin-account': accountId } };
  return {
    async incidents() {
      const { incidents } = await client.listIncidents({}, as);
      return Promise.all(
        incidents.map(async ({ id }) => {
          const { incident, timeline } = await client.getIncident({ incidentId: id }, as);
          const deliveries = timeline.flatMap(({ entry }) => (entry.case === 'delivery' ? [entry.value] : []));
          return { ...incident!, timeline, deliveries };
        }),
      );
    },
    async call(answer) {
      const { call } = await client.findCall({ traceId: answer.body.traceId }, as);
      return call!;
    },
  };
}

async function makeAccount(
  store: Store,
  seal: ReturnType<typeof createSeal>,
  options: AccountOptions,
): Promise<Omit<Owner, 'incidents' | 'call'>> {
  /** One unit of work for each thing made. */
  const make = <T>(what: (em: Store['orm']['em']) => T): Promise<T> =>
    store.orm.em.fork().transactional(async em => what(em as Store['orm']['em']));

  const { accountId, locationId } = await make(em => {
    const accountId = addAccount(em, { name: 'An account', plan: options.plan ?? 'paid' });
    const locationId = newId();
    const { address = '1 Elm Street', locationTest: test = false } = options;
    em.create(Location, { accountId, id: locationId, name: 'Home', address, test });
    return { accountId, locationId };
  });
  if (options.ownerEmail !== undefined) {
    const sealed = seal.seal(options.ownerEmail);
    await store.pool.query('UPDATE account SET owner_email = $2 WHERE id = $1', [accountId, sealed]);
  }
  const here = { accountId, locationId, test: false };
  const keyWithId = (alarmId?: string) =>
    make(em => addApiKey(em, PEPPER, { accountId, label: 'A key', ...(alarmId === undefined ? {} : { alarmId }) }));

  return {
    accountId,
    locationId,
    keyWithId,
    key: async alarmId => (await keyWithId(alarmId)).secret,
    contact: (name, addresses) =>
      make(em => {
        const contactId = newId();
        em.create(Contact, { accountId, id: contactId, name });
        for (const [position, [channel, address]] of Object.entries(addresses).entries()) {
          const sealed = seal.seal(address);
          em.create(ContactChannel, {
            accountId,
            contactId,
            channel: channel as ChannelKind,
            position,
            address: sealed,
            verifiedAt: new Date(),
          });
        }
        return contactId;
      }),
    policy: (steps, repeat = { times: 0, delayS: 300 }) =>
      make(em => {
        const id = newId();
        const { times, delayS } = repeat;
        em.create(Policy, { accountId, id, name: 'A policy', steps, repeat: times, repeatDelayS: delayS });
        return id;
      }),
    alarm: alarm => make(em => addAlarm(em, { name: 'House', ...here, ...alarm })),
    panicButton: button => make(em => addPanicButton(em, { name: 'Button', responseKind: 'fire', ...here, ...button })),
  };
}

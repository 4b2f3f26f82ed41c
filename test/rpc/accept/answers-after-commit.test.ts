import { createClient } from '@connectrpc/connect';
import type { Pool, PoolClient } from 'pg';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { AccountService } from '../../../gen/tocsin/console/v1/accounts_pb.ts';
import { ApiKeyService } from '../../../gen/tocsin/console/v1/api_keys_pb.ts';
import { LocationService } from '../../../gen/tocsin/console/v1/locations_pb.ts';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { createAccountService } from '../../../services/accounts/accounts.ts';
import { createLocalBus } from '../../../services/changes/local.ts';
import { createApiKeyService } from '../../../services/configuration/api-keys.ts';
import type { ConsoleOn } from '../../../services/configuration/console.ts';
import { createLocationService } from '../../../services/configuration/locations.ts';
import { createIncidentService } from '../../../services/incident/service.ts';
import { KEEP_ALL } from '../../../services/limits/kept.ts';
import { implementation } from '../../../services/rpc/boundary.ts';
import { createDirectTransport } from '../../../services/rpc/direct.ts';
import { createSeal } from '../../../services/store/seal.ts';
import type { Store } from '../../../services/store/store.ts';
import { newOwner, refusal } from '../../support/console.ts';
import { PEPPER, startWorld, type World } from '../../support/world.ts';
import { aHouse } from '../incident/incident-rig.ts';

const log = pino({ level: 'silent' });

/** The database goes away once it was looked at so many times, the token apart: what is looked up after a change is not found any more. */
function goneAfter({ store }: World, looks: number): Store {
  let left = looks;
  const gone = () => Promise.reject(new Error('connect ECONNREFUSED'));
  const fork = () => {
    left -= 1;
    return left < 0 ? { findOne: gone, find: gone, count: gone } : store.orm.em.fork();
  };
  return { ...store, orm: { em: { fork } } as unknown as Store['orm'] };
}

/** Transactions go through; whatever is asked beside one does not. */
function onlyTransactions({ store }: World): Pool {
  const query = () => Promise.reject(new Error('connect ECONNREFUSED'));
  return { connect: () => store.pool.connect(), query } as unknown as Pool;
}

/** Stores what a transaction commits, and then loses the connection before it is said. */
function losingCommits({ store }: World): Pool {
  const connect = async () => {
    const client = await store.pool.connect();
    const query = async (...asked: unknown[]) => {
      const answer = await (client.query as (...asked: unknown[]) => Promise<unknown>)(...asked);
      if (asked[0] === 'COMMIT') throw new Error('Connection terminated unexpectedly');
      return answer;
    };
    // All else is the connection's own.
    return Object.assign(Object.create(client), { query }) as PoolClient;
  };
  return { connect, query: store.pool.query.bind(store.pool) } as unknown as Pool;
}

function consoleOn({ store: { orm } }: World, store: Store, pool: Pool): ConsoleOn {
  const seal = createSeal(Buffer.alloc(32));
  const said = { contactVerification: 'required', findingsAbout: async () => [], nudge() {} } as const;
  const asked = { findingsOfAccount: async () => [], askOwners: async () => '' };
  return { store, pool, orm, pepper: PEPPER, seal, bus: createLocalBus(), kept: KEEP_ALL, ...said, ...asked };
}

test('a secret that is shown once is answered though nothing can be read after the commit', async () => {
  const world = await startWorld();
  const { token, console: own } = await newOwner(world);
  await own.apiKeys.createApiKey({ apiKey: { label: 'Camera' } });
  const transport = createDirectTransport([
    implementation(ApiKeyService, createApiKeyService(consoleOn(world, world.store, onlyTransactions(world)))),
    implementation(
      AccountService,
      createAccountService(consoleOn(world, goneAfter(world, 0), onlyTransactions(world)), {
        planDefault: 'paid',
        webhookSecret: () => '',
      }),
    ),
  ]);
  const as = (secret: string) => ({ headers: { authorization: `Bearer ${secret}` } });
  const rotated = await createClient(ApiKeyService, transport).rotateApiKey({ apiKeyId: 'camera' }, as(token));
  expect(rotated.apiKey!.secrets.map(({ last4 }) => last4)).toContain(rotated.secret.slice(-4));
  const account = { name: 'New' };
  const made = await createClient(AccountService, transport).createAccount({ account }, as(world.operator));
  expect(made).toMatchObject({ account: { name: 'New', version: 1 }, token: expect.stringMatching(/^tcn_/) });
});

test('who closed an incident is not told that nothing was accepted, though it cannot be read afterwards', async () => {
  const { world, owner, asOwner, fire } = await aHouse();
  const incidentId = await fire();
  const bus = createLocalBus();
  const transport = createDirectTransport([
    implementation(
      IncidentService,
      createIncidentService({
        store: goneAfter(world, 1),
        seal: world.seal,
        pepper: PEPPER,
        bus,
        nudge: () => void world.services.drain(),
        log,
      }),
    ),
  ]);
  const refused = await refusal(createClient(IncidentService, transport).close({ incidentId }, asOwner));
  expect(refused).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('close was applied (closed') });
  expect((await owner.incidents())[0]).toMatchObject({ status: 'closed', closeReason: 'console' });
  await bus.close();
});

test('a connection that is lost while it commits: nobody is told that nothing was accepted', async () => {
  const world = await startWorld();
  const { token, console: own } = await newOwner(world);
  const transport = createDirectTransport([
    implementation(LocationService, createLocationService(consoleOn(world, world.store, losingCommits(world)))),
  ]);
  const as = { headers: { authorization: `Bearer ${token}` } };
  const refused = await refusal(
    createClient(LocationService, transport).createLocation({ location: { name: 'Home' } }, as),
  );
  expect(refused).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('may be stored or not') });
  expect((await own.locations.listLocations({})).locations.map(({ key }) => key)).toEqual(['home']);
});

test('a person whose connection is lost while their action commits is not told that nothing was accepted', async () => {
  const { world, owner, asOwner, fire } = await aHouse();
  const incidentId = await fire();
  const bus = createLocalBus();
  const store = { ...world.store, pool: losingCommits(world) };
  const transport = createDirectTransport([
    implementation(
      IncidentService,
      createIncidentService({ store, seal: world.seal, pepper: PEPPER, bus, nudge() {}, log }),
    ),
  ]);
  const refused = await refusal(createClient(IncidentService, transport).close({ incidentId }, asOwner));
  expect(refused).toMatchObject({ code: 'Unavailable', message: expect.stringContaining('may be stored or not') });
  await world.settle();
  expect((await owner.incidents())[0]).toMatchObject({ status: 'closed', closeReason: 'console' });
  await bus.close();
});

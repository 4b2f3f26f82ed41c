import { type Client, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { IncidentService } from '../../../gen/tocsin/incident/v1/incident_pb.ts';
import { ConsoleToken } from '../../../services/store/entities/key.ts';
import { newId } from '../../../services/store/id.ts';
import { newSecret, pepperId, secretDigest } from '../../../services/store/secret.ts';
import type { Owner } from '../../support/owner.ts';
import { PEPPER, startWorld, type World, type WorldOptions } from '../../support/world.ts';

/** A world with an owner who has a live alarm that tells Anna by email at once and again after 600 s, and an outsider. */
export interface House {
  world: World;
  owner: Owner;
  outsider: Owner;
  alarmId: string;
  client: Client<typeof IncidentService>;
  /** Calls of the owner's and of the outsider's own console token, both labelled. */
  asOwner: Asking;
  asOutsider: Asking;
  /** A call of the public door on the alarm with a key of the owner. */
  act(action: string): ReturnType<World['get']>;
  /** Triggers, and gives the open incident. */
  fire(): Promise<string>;
}

interface Asking {
  headers: { authorization: string };
}

export async function aHouse(
  alarm: Partial<Parameters<Owner['alarm']>[0]> = {},
  options: WorldOptions = {},
): Promise<House> {
  const world = await startWorld(options);
  const owner = await world.account();
  const outsider = await world.account();
  const contactId = await owner.contact('Anna', { email: 'anna@example.com' });
  const tellAnna = [{ contactId, channels: ['email' as const] }];
  const policyId = await owner.policy([
    { delayS: 0, contacts: tellAnna },
    { delayS: 600, contacts: tellAnna },
  ]);
  const alarmId = await owner.alarm({ modes: { away: { policyId }, night: { policyId, windowS: 30 } }, ...alarm });
  const key = await owner.key();
  const client = createClient(IncidentService, createConnectTransport({ baseUrl: world.rpcUrl, httpVersion: '1.1' }));
  const act = (action: string) => world.get(`/v1/alarm/${alarmId}/${action}`, key);
  return {
    world,
    owner,
    outsider,
    alarmId,
    client,
    asOwner: bearer(await tokenOf(world, owner, 'Anna’s laptop')),
    asOutsider: bearer(await tokenOf(world, outsider, 'Somebody else')),
    act,
    async fire() {
      await act('trigger');
      await world.settle();
      return (await owner.incidents()).find(({ status }) => status === 'open')!.id;
    },
  };
}

/** A console token of one account. */
export async function tokenOf(world: World, { accountId }: Owner, label: string): Promise<string> {
  const secret = newSecret('tcn');
  const em = world.store.orm.em.fork();
  em.create(ConsoleToken, {
    id: newId(),
    accountId,
    digest: secretDigest(PEPPER, secret),
    pepper: pepperId(PEPPER),
    label,
  });
  await em.flush();
  return secret;
}

export function bearer(secret: string): Asking {
  return { headers: { authorization: `Bearer ${secret}` } };
}

/** The refusal of a call; anything else, success included, is thrown. */
export async function fault(call: Promise<unknown>): Promise<ConnectError> {
  const error = await call.then(
    () => new Error('it was not refused'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ConnectError)) throw error;
  return error;
}

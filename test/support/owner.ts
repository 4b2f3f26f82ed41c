import { createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { IncidentService } from '../../gen/tocsin/incident/v1/incident_pb.ts';
import type { Call, Delivery, Incident, TimelineEntry } from '../../gen/tocsin/incident/v1/timeline_pb.ts';
import type { ChannelKind } from '../../services/domain/delivery.ts';
import type { Plan } from '../../services/domain/plan.ts';
import { viaOf } from '../../services/process/vocabulary.ts';
import { Contact, ContactChannel } from '../../services/store/entities/contact.ts';
import { Location } from '../../services/store/entities/location.ts';
import { Member } from '../../services/store/entities/member.ts';
import { Policy, type PolicyStep } from '../../services/store/entities/policy.ts';
import { newId } from '../../services/store/id.ts';
import type { Seal } from '../../services/store/seal.ts';
import type { Pepper } from '../../services/store/secret.ts';
import { confirmPerson } from '../../services/store/statements/member.ts';
import { personDigests } from '../../services/store/statements/sign-in.ts';
import type { Store } from '../../services/store/store.ts';
import { addAccount, addAlarm, addApiKey, addPanicButton, type NewAlarm, type NewPanicButton } from './owned.ts';

export interface AccountOptions {
  plan?: Plan;
  /** Of its location. */
  address?: string;
  locationTest?: boolean;
  /** Where its owner, who has confirmed the address, is told what they must know. */
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
  call(answer: { body: { traceId: string } }): Promise<Call>;
  /** Several addresses of a channel are in their order. */
  contact(name: string, addresses: Partial<Record<ChannelKind, string | readonly string[]>>): Promise<string>;
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

/** What the owner asks over the RPC port, with the operator's token. */
export function ownersView(rpcUrl: string, operator: string, accountId: string): Pick<Owner, 'incidents' | 'call'> {
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

/** Puts an account with a location into the database, and gives what fills it. */
export async function makeAccount(
  { store, seal, pepper }: { store: Store; seal: Seal; pepper: Pepper },
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
    const email = options.ownerEmail;
    await store.pool.query('UPDATE account SET owner_email = $2 WHERE id = $1', [accountId, seal.seal(email)]);
    const emailDigest = personDigests(pepper, email)[0]!;
    const owner = {
      accountId,
      id: newId(),
      email: seal.seal(email),
      emailDigest,
      name: 'Owner',
      role: 'owner' as const,
    };
    await make(em => em.create(Member, owner));
    await confirmPerson(store.pool, emailDigest, accountId);
  }
  const here = { accountId, locationId, test: false };
  const keyWithId = (alarmId?: string) =>
    make(em => addApiKey(em, pepper, { accountId, label: 'A key', ...(alarmId === undefined ? {} : { alarmId }) }));

  return {
    accountId,
    locationId,
    keyWithId,
    key: async alarmId => (await keyWithId(alarmId)).secret,
    contact: (name, addresses) =>
      make(em => {
        const contactId = newId();
        em.create(Contact, { accountId, id: contactId, name });
        const all = Object.entries(addresses).flatMap(([channel, given]) =>
          [given].flat().map((address, slot) => ({ channel, address, slot })),
        );
        for (const [position, { channel, address, slot }] of all.entries()) {
          const sealed = seal.seal(address);
          em.create(ContactChannel, {
            accountId,
            contactId,
            channel: channel as ChannelKind,
            slot,
            via: viaOf(address),
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

import type { Alarm } from '../../../../gen/tocsin/console/v1/alarms_pb.ts';
import type { Contact, ContactChannel } from '../../../../gen/tocsin/console/v1/contacts_pb.ts';
import type { Location } from '../../../../gen/tocsin/console/v1/locations_pb.ts';
import type { Policy } from '../../../../gen/tocsin/console/v1/policies_pb.ts';
import type { Call } from '../../../../gen/tocsin/incident/v1/timeline_pb.ts';
import { useQuery } from '../live/use-query.ts';
import { alarms, incidents, locations, READ } from '../rpc/rpc.ts';
import { contacts } from '../rpc/rpc-people.ts';
import { policies } from '../rpc/rpc-policies.ts';

/** How far an account has come: the first thing of each kind. */
export interface Begun {
  place?: Location | undefined;
  person?: Contact | undefined;
  policy?: Policy | undefined;
  alarm?: Alarm | undefined;
  /** The last call of a device for the alarm. */
  call?: Call | undefined;
}

/** The steps in their order. */
export const STEPS = ['place', 'person', 'verify', 'policy', 'alarm', 'call', 'live', 'answer'] as const;
export type StepName = (typeof STEPS)[number];

/** This screen needs one of each kind; of alarms, a live one comes first. */
const ONE = { pageSize: 1 };
const SOME = { pageSize: 50 };

export function useBegun() {
  return useQuery('begun', async (): Promise<Begun> => {
    const [places, people, orders, sources] = await Promise.all([
      locations.listLocations(ONE, READ),
      contacts.listContacts(ONE, READ),
      policies.listPolicies(ONE, READ),
      alarms.listAlarms(SOME, READ),
    ]);
    const alarm = sources.alarms.find(({ test }) => !test) ?? sources.alarms[0];
    const calls = alarm === undefined ? [] : (await incidents.listCalls({ sourceId: alarm.id, ...SOME }, READ)).calls;
    return {
      place: places.locations[0],
      person: people.contacts[0],
      policy: orders.policies[0],
      alarm,
      call: calls.find(({ keyId }) => keyId !== ''),
    };
  });
}

/**
 * Returns the steps that are done. A webhook needs no code, and nobody answers by one; a contact with several addresses is reached, and
 * answers, by any.
 */
export function doneOf({ place, person, policy, alarm, call }: Begun): ReadonlySet<StepName> {
  const isVerified = person?.channels.some(
    ({ channel, verifiedAt }) => channel === 'webhook' || verifiedAt !== undefined,
  );
  const done: Record<StepName, boolean> = {
    place: place !== undefined,
    person: person !== undefined,
    verify: isVerified === true,
    policy: policy !== undefined,
    alarm: alarm !== undefined,
    call: call !== undefined,
    answer:
      person?.channels.some(one => one.provenAt !== undefined) === true ||
      (person !== undefined && wayToAsk(person) === undefined),
    live: alarm !== undefined && alarm.test !== true && place?.test !== true,
  };
  return new Set(STEPS.filter(name => done[name]));
}

/** Returns the first way by which somebody can be asked for an answer; undefined if there is none. */
export function wayToAsk({ channels }: Contact): ContactChannel | undefined {
  const ways = channels.filter(({ channel }) => channel !== 'webhook');
  return ways.find(({ reach }) => reach === 'goes') ?? ways[0];
}

import { createClient, type Transport } from '@connectrpc/connect';
import type { EntityManager } from '@mikro-orm/postgresql';
import { AlarmService } from '../gen/tocsin/alarm/v1/alarm_pb.ts';
import type { ChannelKind } from './domain/delivery.ts';
import type { Plan } from './domain/plan.ts';
import { Account } from './store/account.ts';
import { Contact, ContactChannel } from './store/contact.ts';
import { newId } from './store/id.ts';
import { Location } from './store/location.ts';
import { addAccount } from './store/new-account.ts';
import { addApiKey } from './store/new-key.ts';
import { addAlarm, addPanicButton } from './store/new-source.ts';
import { Policy, type PolicyStep } from './store/policy.ts';
import type { Seal } from './store/seal.ts';

/** What a newcomer needs to make the first calls. */
export interface Demo {
  accountId: string;
  /** Opens /v1 for the whole demo account; shown this once. */
  apiKey: string;
  /** The one live alarm: its email goes to DEMO_EMAIL. */
  liveAlarmId: string;
  /** In test: everything is recorded, nobody is alerted. */
  testAlarmId: string;
  testPanicId: string;
}

/** Addresses under .invalid can never be delivered: the email channel keeps them in the outbox (RFC 2606). */
const PLACEHOLDER = 'demo@tocsin.invalid';

/**
 * Fills an empty database with something to try (everything in test but one live alarm); a database with any account
 * is left alone, and the answer is null. Belongs inside a transaction. `demoEmail` is the live alarm's contact.
 */
export async function seedDemo(
  em: EntityManager,
  on: { pepper: string; seal: Seal; plan: Plan; demoEmail: string | null },
): Promise<Demo | null> {
  // Two processes that start on one empty database at once must not both fill it.
  await em.execute('LOCK TABLE account IN EXCLUSIVE MODE');
  if ((await em.count(Account)) > 0) return null;
  const accountId = addAccount(em, { name: 'Demo', plan: on.plan });

  const people = addPeople(em, accountId, on.seal, on.demoEmail ?? PLACEHOLDER);
  const family = addPolicy(em, accountId, 'Family, then the neighbour', [
    { delayS: 0, contacts: [{ contactId: people.anna, channels: ['text', 'email'] }] },
    { delayS: 300, contacts: [{ contactId: people.anna, channels: ['call'] }] },
    { delayS: 300, contacts: [{ contactId: people.noah, channels: ['call', 'text'] }] },
  ]);
  const everybody = addPolicy(em, accountId, 'Everybody at once', [
    {
      delayS: 0,
      contacts: [
        { contactId: people.anna, channels: ['call', 'text', 'email'] },
        { contactId: people.noah, channels: ['call', 'text'] },
      ],
    },
  ]);
  const you = addPolicy(em, accountId, 'You, by email', [
    { delayS: 0, contacts: [{ contactId: people.you, channels: ['email'] }] },
  ]);

  const home = addLocation(em, accountId, 'Home', '12 Example Street\n1010 Example City');
  const modes = { windowS: 0, policyId: everybody };
  const own = { accountId, locationId: home, onlyWhenArmed: true, clearOnDisarm: true };
  const testAlarmId = addAlarm(em, {
    ...own,
    name: 'House',
    modes: { home: modes, away: { windowS: 30, policyId: family }, night: modes, vacation: modes },
  });
  const liveAlarmId = addAlarm(em, {
    ...own,
    name: 'Try me (live)',
    test: false,
    modes: {
      home: { policyId: you },
      away: { policyId: you },
      night: { policyId: you },
      vacation: { policyId: you },
    },
  });
  const shop = addAlarm(em, {
    ...own,
    name: 'Shop',
    modes: { away: { windowS: 30, policyId: family }, night: { windowS: 0, policyId: everybody } },
  });
  const panic = { accountId, locationId: home, policyId: everybody };
  const testPanicId = addPanicButton(em, { ...panic, name: 'Bedside button', responseKind: 'medical' });
  addPanicButton(em, { ...panic, name: 'Counter button', responseKind: 'intruder' });

  const key = addApiKey(em, on.pepper, { accountId, label: 'Demo, whole account' });
  addApiKey(em, on.pepper, { accountId, label: 'Demo, shop alarm only', alarmId: shop });
  return { accountId, apiKey: key.secret, liveAlarmId, testAlarmId, testPanicId };
}

/** Two incidents in test through the ordinary door, so that there is a history to look at. */
export async function rehearseDemo(transport: Transport, demo: Demo): Promise<void> {
  const client = createClient(AlarmService, transport);
  const key = { headers: { 'x-api-key': demo.apiKey } };
  const alarm = { alarmId: demo.testAlarmId };
  await client.arm({ ...alarm, modeId: 'night' }, key);
  await client.trigger(alarm, key);
  await client.disarm(alarm, key);
  await client.triggerPanic({ panicId: demo.testPanicId }, key);
  await client.clearPanic({ panicId: demo.testPanicId }, key);
}

function addPeople(em: EntityManager, accountId: string, seal: Seal, demoEmail: string) {
  const person = (name: string, addresses: Partial<Record<ChannelKind, string>>): string => {
    const id = newId();
    em.create(Contact, { accountId, id, name });
    for (const [position, [channel, address]] of Object.entries(addresses).entries()) {
      const sealed = seal.seal(address);
      em.create(ContactChannel, {
        accountId,
        contactId: id,
        channel: channel as ChannelKind,
        position,
        address: sealed,
      });
    }
    return id;
  };
  return {
    you: person('You', { email: demoEmail }),
    anna: person('Anna Example', { text: '+12025550111', call: '+12025550111', email: 'anna@tocsin.invalid' }),
    noah: person('Noah Neighbour', { call: '+12025550122', text: '+12025550122' }),
  };
}

function addPolicy(em: EntityManager, accountId: string, name: string, steps: PolicyStep[]): string {
  const id = newId();
  em.create(Policy, { accountId, id, name, steps });
  return id;
}

function addLocation(em: EntityManager, accountId: string, name: string, address: string): string {
  const id = newId();
  em.create(Location, { accountId, id, name, address });
  return id;
}

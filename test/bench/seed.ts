import { pino } from 'pino';
import { Contact, ContactChannel } from '../../services/store/contact.ts';
import { newId } from '../../services/store/id.ts';
import { Location } from '../../services/store/location.ts';
import { addAccount } from '../../services/store/new-account.ts';
import { addApiKey } from '../../services/store/new-key.ts';
import { addAlarm } from '../../services/store/new-source.ts';
import { Policy } from '../../services/store/policy.ts';
import { createSeal } from '../../services/store/seal.ts';
import { openStore } from '../../services/store/store.ts';

/** What a load needs to know of a database that was filled for it. */
export interface Seeded {
  apiKey: string;
  alarmIds: string[];
}

/**
 * Brings an empty database to the product's schema and fills it: one account with so many live alarms, without window and
 * gate, all bound to one policy that emails one contact; a key for the whole account.
 */
export async function seedProduct(
  databaseUrl: string,
  pepper: string,
  dataKey: Buffer,
  alarms: number,
): Promise<Seeded> {
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  try {
    return await store.orm.em.fork().transactional(async em => {
      const accountId = addAccount(em, { name: 'Bench', plan: 'paid' });
      const [locationId, contactId, policyId] = [newId(), newId(), newId()];
      em.create(Location, { accountId, id: locationId, name: 'Home', address: '1 Elm Street' });
      em.create(Contact, { accountId, id: contactId, name: 'Somebody' });
      const address = createSeal(dataKey).seal('somebody@tocsin.invalid');
      em.create(ContactChannel, {
        accountId,
        contactId,
        channel: 'email',
        position: 0,
        address,
        verifiedAt: new Date(),
      });
      const steps = [{ delayS: 0, contacts: [{ contactId, channels: ['email' as const] }] }];
      em.create(Policy, { accountId, id: policyId, name: 'Somebody, by email', steps });
      const bound = { windowS: 0, policyId };
      const modes = { home: bound, away: bound, night: bound, vacation: bound };
      const alarm = { accountId, locationId, name: 'House', test: false, modes };
      const alarmIds = Array.from({ length: alarms }, () => addAlarm(em, alarm));
      return { apiKey: addApiKey(em, pepper, { accountId, label: 'Bench' }).secret, alarmIds };
    });
  } finally {
    await store.close();
  }
}

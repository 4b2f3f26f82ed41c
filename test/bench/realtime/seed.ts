import { pino } from 'pino';
import { Location } from '../../../services/store/entities/location.ts';
import { newId } from '../../../services/store/id.ts';
import { openStore } from '../../../services/store/store.ts';
import { addAccount, addAlarm, addApiKey } from '../../support/owned.ts';

/** What a bench needs to know of an account. */
export interface Account {
  accountId: string;
  alarmId: string;
  apiKey: string;
  /** How often it was changed. */
  calls: number;
}

/** Brings an empty database to the product's schema and makes so many accounts, each with one alarm and one key. */
export async function seedAccounts(databaseUrl: string, pepper: string, count: number): Promise<Account[]> {
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  try {
    return await store.orm.em.fork().transactional(async em =>
      Array.from({ length: count }, () => {
        const accountId = addAccount(em, { name: 'Bench', plan: 'paid' });
        const locationId = newId();
        em.create(Location, { accountId, id: locationId, name: 'Home', address: '1 Elm Street' });
        const bound = { windowS: 0 };
        const modes = { home: bound, away: bound, night: bound, vacation: bound };
        const alarmId = addAlarm(em, { accountId, locationId, name: 'House', test: false, modes });
        const { secret: apiKey } = addApiKey(em, pepper, { accountId, label: 'Bench' });
        return { accountId, alarmId, apiKey, calls: 0 };
      }),
    );
  } finally {
    await store.close();
  }
}

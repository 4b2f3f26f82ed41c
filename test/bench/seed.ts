import type { Pool } from 'pg';
import { pino } from 'pino';
import { Contact, ContactChannel } from '../../services/store/entities/contact.ts';
import { Location } from '../../services/store/entities/location.ts';
import { Policy } from '../../services/store/entities/policy.ts';
import { newId } from '../../services/store/id.ts';
import { createSeal } from '../../services/store/seal.ts';
import { openStore, type Store } from '../../services/store/store.ts';
import { addAccount, addAlarm, addApiKey } from '../support/owned.ts';
import type { Secrets } from './machine/product.ts';

/** An alarm and a key that may call it. */
export interface CalledAlarm {
  id: string;
  apiKey: string;
}

/** The live alarms that loads are put on, all of one account. */
export interface Seeded {
  plain: CalledAlarm[];
  /** Only when armed. Nobody armed them yet. */
  gated: CalledAlarm[];
}

/**
 * Brings an empty database to the product's schema and fills it: one account with so many live alarms of each kind, without
 * window, all bound to one policy that emails one contact; a key for the whole account.
 */
export async function seedProduct(
  databaseUrl: string,
  { pepper, dataKey }: Secrets,
  count: { plain: number; gated: number },
): Promise<Seeded> {
  return inOneTransaction(databaseUrl, em => {
    const accountId = addAccount(em, { name: 'Bench', plan: 'paid' });
    const [locationId, contactId, policyId] = [newId(), newId(), newId()];
    em.create(Location, { accountId, id: locationId, name: 'Home', address: '1 Elm Street' });
    em.create(Contact, { accountId, id: contactId, name: 'Somebody' });
    const address = createSeal(dataKey).seal('somebody@tocsin.invalid');
    const verifiedAt = new Date();
    em.create(ContactChannel, { accountId, contactId, channel: 'email', position: 0, address, verifiedAt });
    const steps = [{ delayS: 0, contacts: [{ contactId, channels: ['email' as const] }] }];
    em.create(Policy, { accountId, id: policyId, name: 'Somebody, by email', steps });
    const bound = { windowS: 0, policyId };
    const modes = { home: bound, away: bound, night: bound, vacation: bound };
    const alarm = { accountId, locationId, name: 'House', test: false, modes };
    const { secret: apiKey } = addApiKey(em, pepper, { accountId, label: 'Bench' });
    const alarms = (wanted: number, onlyWhenArmed: boolean) =>
      Array.from({ length: wanted }, () => ({ apiKey, id: addAlarm(em, { ...alarm, onlyWhenArmed }) }));
    return { plain: alarms(count.plain, false), gated: alarms(count.gated, true) };
  });
}

/** How many alarms an account of `seedManyAccounts` has. */
const PER_ACCOUNT = 100;

/**
 * Brings an empty database to the product's schema and fills it with so many alarms in test, 100 in an account, each account
 * with one key. In test nobody is told, however long their incidents stay open.
 */
export async function seedManyAccounts(databaseUrl: string, pool: Pool, { pepper }: Secrets, alarms: number) {
  const accounts = await inOneTransaction(databaseUrl, em =>
    Array.from({ length: Math.ceil(alarms / PER_ACCOUNT) }, () => {
      const accountId = addAccount(em, { name: 'Bench', plan: 'paid' });
      return { accountId, apiKey: addApiKey(em, pepper, { accountId, label: 'Bench' }).secret };
    }),
  );
  const made: CalledAlarm[] = [];
  for (const [n, { accountId, apiKey }] of accounts.entries()) {
    const ids = await fillWithAlarms(pool, accountId, Math.min(PER_ACCOUNT, alarms - n * PER_ACCOUNT));
    for (const id of ids) made.push({ id, apiKey });
  }
  await pool.query('VACUUM (ANALYZE)');
  return made;
}

/** Fills an account without locations with so many alarms in test, by a few statements. Returns their ids. */
export async function fillWithAlarms(pool: Pool, accountId: string, count: number): Promise<string[]> {
  const made = `(SELECT md5($1 || n) AS id, n FROM generate_series(1, ${count}) n) made`;
  await pool.query("INSERT INTO location (account_id, id, key, name) VALUES ($1, md5($1), 'home', 'Home')", [
    accountId,
  ]);
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO source (account_id, id, kind, key, location_id, name)
     SELECT $1, id, 'alarm', 'alarm-' || n, md5($1), 'Alarm ' || n FROM ${made} ORDER BY n RETURNING id`,
    [accountId],
  );
  await pool.query(`INSERT INTO source_state (account_id, source_id) SELECT $1, id FROM ${made}`, [accountId]);
  await pool.query(
    `INSERT INTO mode (account_id, source_id, id, name)
     SELECT $1, made.id, mode, mode FROM ${made} CROSS JOIN unnest(ARRAY['home', 'away', 'night']) mode`,
    [accountId],
  );
  return rows.map(({ id }) => id);
}

async function inOneTransaction<Made>(databaseUrl: string, make: (em: Store['orm']['em']) => Made): Promise<Made> {
  const store = await openStore(databaseUrl, pino({ level: 'silent' }));
  try {
    return await store.orm.em.fork().transactional(async em => make(em as Store['orm']['em']));
  } finally {
    await store.close();
  }
}

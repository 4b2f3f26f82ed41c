import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { Account } from './entities/account.ts';
import { Audit } from './entities/audit.ts';
import { Contact, ContactChannel } from './entities/contact.ts';
import { DeletedAccount } from './entities/deleted-account.ts';
import { Duty } from './entities/duty.ts';
import { Delivery, Incident, IncidentEntry } from './entities/incident.ts';
import { ApiKey, ApiKeySecret, ConsoleToken } from './entities/key.ts';
import { Location } from './entities/location.ts';
import { ConsoleSession, Member } from './entities/member.ts';
import { Notice, NoticeDelivery } from './entities/notice.ts';
import { Policy } from './entities/policy.ts';
import { Mode, Source, SourceState } from './entities/source.ts';
import { Unshown } from './entities/unshown.ts';
import { targetOf } from './hosts.ts';
import { First } from './schema/first.ts';
import { session } from './session.ts';

/** More connections only cost: eight writers fill two cores. */
const POOL_MAX = 8;

/** The statement timeout of the engine and of readers, in milliseconds. */
export const STATEMENT_MS = 5_000;

/**
 * In the order in which they are run. A new one stands last: what databases have run is never changed. Each changes one
 * table that others work on meanwhile (`allOrNothing`).
 */
const MIGRATIONS = [First];

/**
 * Of which version a schema is: one that this version brings up to date, a newer one, or one from before the first
 * release, which never ran the first migration.
 */
export type Origin = 'known' | 'newer' | 'before_first';

/** Compares the migrations that a database has run with those that this version knows, in their order. */
export function compareMigrations(executed: readonly string[]) {
  const known = MIGRATIONS.map(Each => new Each(null as never, null as never).name);
  const unknown = executed.filter(name => !known.includes(name));
  const origin: Origin = unknown.length === 0 ? 'known' : executed.includes(known[0]!) ? 'newer' : 'before_first';
  return { pending: known.filter(name => !executed.includes(name)), unknown, origin };
}

/**
 * Creates the mapper over all entities. Connects on first use. `url` is a postgres:// URL; `options` are the settings
 * of its connections (session.ts). Its messages go to the log.
 */
export function createOrm(url: string, log: Logger, options = session(STATEMENT_MS)): Promise<MikroORM> {
  const { connectionString, ...socket } = targetOf(url);
  return MikroORM.init(
    defineConfig({
      clientUrl: connectionString,
      entities: [
        Account,
        DeletedAccount,
        Location,
        Source,
        Mode,
        SourceState,
        Contact,
        ContactChannel,
        Policy,
        Duty,
        ApiKey,
        ApiKeySecret,
        ConsoleToken,
        Member,
        ConsoleSession,
        Incident,
        IncidentEntry,
        Delivery,
        Audit,
        Notice,
        NoticeDelivery,
        Unshown,
      ],
      extensions: [Migrator],
      logger: message => log.info({ part: 'schema' }, message),
      colors: false,
      migrations: {
        migrationsList: [...MIGRATIONS],
        snapshot: false,
        tableName: 'migration',
        // Each in a transaction of its own: one that held a table while it waits for another would wait for statements
        // that hold that one and wait for it, again and again.
        allOrNothing: false,
      },
      onQuery: refuseZeroCharacter,
      pool: { min: 1, max: POOL_MAX },
      driverOptions: { options, connectionTimeoutMillis: 2_000, keepAlive: true, ...socket },
      // Constraints live in the schema; the entities only map rows.
      discovery: { warnWhenNoEntities: true, checkDuplicateTableNames: true },
      ensureDatabase: false,
    }),
  );
}

/**
 * The mapper puts values into the text of its statements, where U+0000 ends the text. Throws the error that Postgres
 * reports for it elsewhere.
 */
function refuseZeroCharacter(sql: string, values: readonly unknown[]): string {
  if (values.flat().some(value => typeof value === 'string' && value.includes('\0'))) {
    throw Object.assign(new Error('A text holds U+0000.'), { code: '22021' });
  }
  return sql;
}

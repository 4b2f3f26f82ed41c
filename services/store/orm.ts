import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { Account } from './account.ts';
import { Action, CallLog } from './call.ts';
import { Contact, ContactChannel } from './contact.ts';
import { Delivery, Incident, IncidentEntry } from './incident.ts';
import { ApiKey, ApiKeySecret, ConsoleToken } from './key.ts';
import { Location } from './location.ts';
import { First } from './migrations/20261121-first.ts';
import { Policy } from './policy.ts';
import { Mode, Source, SourceState } from './source.ts';
import { Unshown } from './unshown.ts';

/** More connections than this only cost: two cores are full with eight writers (DESIGN.md 5). */
const POOL_MAX = 10;

/**
 * Every statement here finds its rows by an index, few at a time. Without these the planner would learn from a small
 * database to read whole tables, keep that plan, and be slow on the day on which ten thousand alarms are added.
 */
const FIXED_PLANS = [
  '-c plan_cache_mode=force_generic_plan',
  '-c enable_seqscan=off',
  '-c enable_hashjoin=off',
  '-c enable_mergejoin=off',
  '-c jit=off',
];

/**
 * What every connection promises the others: no statement and no open transaction holds a row for long, and a client
 * that vanished without a word is noticed.
 */
const SESSION = [
  '-c statement_timeout=5s',
  '-c idle_in_transaction_session_timeout=10s',
  '-c tcp_keepalives_idle=10',
  '-c tcp_keepalives_interval=5',
  '-c tcp_keepalives_count=3',
  '-c timezone=UTC',
  ...FIXED_PLANS,
].join(' ');

/** The mapper over all entities. Connects on first use. `url` is a postgres:// URL. What it has to say goes to the log. */
export function createOrm(url: string, log: Logger): Promise<MikroORM> {
  return MikroORM.init(
    defineConfig({
      clientUrl: url,
      entities: [
        Account,
        Location,
        Source,
        Mode,
        SourceState,
        Contact,
        ContactChannel,
        Policy,
        ApiKey,
        ApiKeySecret,
        ConsoleToken,
        Action,
        CallLog,
        Incident,
        IncidentEntry,
        Delivery,
        Unshown,
      ],
      extensions: [Migrator],
      logger: message => log.info(message),
      colors: false,
      migrations: { migrationsList: [First], snapshot: false, tableName: 'migration' },
      pool: { min: 1, max: POOL_MAX },
      driverOptions: { options: SESSION, connectionTimeoutMillis: 2_000, keepAlive: true },
      // Constraints live in the migrations; the entities map rows and nothing else.
      discovery: { warnWhenNoEntities: true, checkDuplicateTableNames: true },
      ensureDatabase: false,
    }),
  );
}

import { Migrator } from '@mikro-orm/migrations';
import { defineConfig, MikroORM } from '@mikro-orm/postgresql';
import type { Logger } from 'pino';
import { Account } from './entities/account.ts';
import { Audit } from './entities/audit.ts';
import { Contact, ContactChannel } from './entities/contact.ts';
import { DeletedAccount } from './entities/deleted-account.ts';
import { Delivery, Incident, IncidentEntry } from './entities/incident.ts';
import { ApiKey, ApiKeySecret, ConsoleToken } from './entities/key.ts';
import { Location } from './entities/location.ts';
import { ConsoleSession, Member } from './entities/member.ts';
import { Notice, NoticeDelivery } from './entities/notice.ts';
import { Policy } from './entities/policy.ts';
import { Mode, Source, SourceState } from './entities/source.ts';
import { Unshown } from './entities/unshown.ts';
import { targetOf } from './hosts.ts';
import { Console } from './migrations/20261121-console.ts';
import { First } from './migrations/20261121-first.ts';
import { Recent } from './migrations/20261121-recent.ts';
import { KeptAudit } from './migrations/20261122-audit.ts';
import { CallParents } from './migrations/20261122-call-parents.ts';
import { DeletedAccounts } from './migrations/20261122-deleted-accounts.ts';
import { FairSending } from './migrations/20261122-fair-sending.ts';
import { Flapping } from './migrations/20261122-flapping.ts';
import { Journal } from './migrations/20261122-journal.ts';
import { OwnerLanguage } from './migrations/20261122-owner-language.ts';
import { PanicOther } from './migrations/20261122-panic-other.ts';
import { Proofs } from './migrations/20261122-proofs.ts';
import { Reached } from './migrations/20261122-reached.ts';
import { Retention } from './migrations/20261122-retention.ts';
import { Roles } from './migrations/20261122-roles.ts';
import { Spending } from './migrations/20261122-spending.ts';
import { Tokens } from './migrations/20261122-tokens.ts';
import { Told } from './migrations/20261122-told.ts';
import { Unreached } from './migrations/20261122-unreached.ts';
import { Versions } from './migrations/20261122-versions.ts';
import { Backups } from './migrations/20261123-backups.ts';
import { Members } from './migrations/20261123-members.ts';
import { SignInAskers } from './migrations/20261123-sign-in-askers.ts';
import { Words } from './migrations/20261123-words.ts';
import { Clock } from './migrations/20261125-clock.ts';
import { Instead } from './migrations/20261125-instead.ts';
import { KeptMessages } from './migrations/20261125-kept-messages.ts';
import { LimitedCalls } from './migrations/20261125-limited-calls.ts';
import { Listeners } from './migrations/20261125-listeners.ts';
import { Retries } from './migrations/20261125-retries.ts';
import { WentBack } from './migrations/20261125-went-back.ts';
import { People } from './migrations/20261126-people.ts';
import { Rotation } from './migrations/20261126-rotation.ts';
import { Watch } from './migrations/20261126-watch.ts';
import { session } from './session.ts';

/** More connections only cost: eight writers fill two cores. */
const POOL_MAX = 8;

/** The statement timeout of the engine and of readers, in milliseconds. */
export const STATEMENT_MS = 5_000;

/** In the order in which they are run. */
const MIGRATIONS = [
  First,
  Console,
  Recent,
  Reached,
  Journal,
  FairSending,
  Retention,
  Versions,
  Flapping,
  Proofs,
  Spending,
  Tokens,
  KeptAudit,
  Roles,
  Unreached,
  PanicOther,
  CallParents,
  OwnerLanguage,
  Told,
  DeletedAccounts,
  Words,
  Members,
  Backups,
  SignInAskers,
  Clock,
  Instead,
  Retries,
  Listeners,
  KeptMessages,
  LimitedCalls,
  WentBack,
  Watch,
  Rotation,
  People,
];

/** Returns the names of all migrations that this version knows, in their order. */
export function knownMigrations(): string[] {
  return MIGRATIONS.map(Each => new Each(null as never, null as never).name);
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
      },
      onQuery: refuseZeroCharacter,
      pool: { min: 1, max: POOL_MAX },
      driverOptions: { options, connectionTimeoutMillis: 2_000, keepAlive: true, ...socket },
      // Constraints live in the migrations; the entities only map rows.
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

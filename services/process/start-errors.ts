import { hostUrls, shownDatabase } from './database-url.ts';
import { ConfigError } from './settings.ts';

/** A known reason why the product cannot start. Its message is one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

/** The settings that a sentence about a failed start refers to. */
export interface StartFacts {
  /** Ports by the name of their setting: `{ HTTP_PORT: 8080, RPC_PORT: 8081 }`. */
  ports: Readonly<Record<string, number>>;
  /** DATABASE_URL; null for the embedded database. */
  databaseUrl: string | null;
  /** MIGRATE_DATABASE_URL. Absent, null or equal to `databaseUrl`: not set separately. */
  migrateUrl?: string | null;
}

/**
 * Returns the sentence for a known start fault: what was wrong, with which setting, and what to do. Returns null for an
 * unexpected fault, which is logged as it is. Looks through causes and joined errors. Never contains a secret.
 */
export function startSentence(fault: unknown, facts: StartFacts): string | null {
  const errors = [...withCauses(fault)];
  const migration = errors.find(({ name }) => name === 'MigrationFault');
  const database = databaseOf(facts, migration === undefined ? 'working' : 'migrating');
  for (const error of errors) {
    const sentence = sentenceOf(error, facts, database);
    if (sentence !== null) return sentence;
  }
  return migration?.message ?? null;
}

/** Says why a file or folder cannot be used; null for a fault of another kind. */
export function diskReason(fault: unknown): string | null {
  return DISK_FAULTS[faultCode(fault) ?? ''] ?? null;
}

/** Returns the code of a system or database fault, such as ENOENT or 28P01; null if it has none. */
export function faultCode(fault: unknown): string | null {
  return fault instanceof Error && 'code' in fault && typeof fault.code === 'string' ? fault.code : null;
}

function sentenceOf(error: Error, facts: StartFacts, database: NamedDatabase | null): string | null {
  return (
    ownSentence(error) ??
    portFault(error, facts) ??
    hostFault(error, database) ??
    databaseFault(error, database) ??
    diskFault(error)
  );
}

/** Returns the message of a fault that is a sentence already. */
function ownSentence(error: Error): string | null {
  return error instanceof ConfigError || error instanceof StartError ? error.message : null;
}

const PORT_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program on this machine uses that port: stop it or choose another port (0 takes any free one)',
  EACCES: 'this user may not listen on that port: choose one above 1023',
  EADDRNOTAVAIL: 'its host setting names an address that this machine does not have',
};

function portFault(error: Error, facts: StartFacts): string | null {
  const reason = PORT_FAULTS[faultCode(error) ?? ''];
  const port = 'port' in error ? Number(error.port) : Number.NaN;
  if (reason === undefined || !('syscall' in error) || error.syscall !== 'listen') return null;
  const names = Object.keys(facts.ports).filter(name => facts.ports[name] === port);
  if (names.length > 1) return `${names.join(' and ')} are both ${port}: give each a port of its own.`;
  return `${names[0] ?? 'A port setting'} is ${port}, but ${reason}.`;
}

/** A host name that is not the database's is the one to listen on. */
function hostFault(error: Error, database: NamedDatabase | null): string | null {
  if (!('hostname' in error) || !['ENOTFOUND', 'EAI_AGAIN'].includes(faultCode(error) ?? '')) return null;
  if (database !== null && hostUrls(database.url).some(url => new URL(url).hostname === error.hostname)) return null;
  return `A setting names the host "${error.hostname}", which cannot be resolved: check the settings that end in HOST or URL.`;
}

const DATABASE_FAULTS: Readonly<Record<string, string>> = {
  '08P01': 'refuses what a session sets, as PgBouncer does: name PostgreSQL itself',
  '25006': 'takes no writes, as a standby does: name the host that does, or all of them as host:5432,host:5432',
  '28P01': 'refuses the user or the password: check both',
  '28000': 'does not let this user in from here: check the user and pg_hba.conf',
  '3D000': 'does not exist on that server: create it or name another one',
  '42501':
    'does not let this user make or change tables: run "npm run migrate" with MIGRATE_DATABASE_URL set to the owner of the tables, or make this user the owner',
  '55P03':
    'is in use by other sessions: stop the version before and whatever else is connected to it, such as a backup',
  '53300': 'has no connection left: close some or raise max_connections',
  '57P03': 'is starting up or shutting down: try again in a moment',
  ECONNREFUSED: 'cannot be reached (ECONNREFUSED): check that PostgreSQL runs there and listens on that address',
  ECONNRESET: 'cannot be reached (ECONNRESET): check that PostgreSQL runs there',
  ETIMEDOUT: 'cannot be reached (ETIMEDOUT): check the address and the firewalls between',
  EHOSTUNREACH: 'cannot be reached (EHOSTUNREACH): check the address and the network',
  ENETUNREACH: 'cannot be reached (ENETUNREACH): check the address and the network',
  ENOTFOUND: 'cannot be reached (ENOTFOUND): nobody knows that host name',
  EAI_AGAIN: 'cannot be reached (EAI_AGAIN): the name service does not answer',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'shows a certificate that this machine does not trust',
  SELF_SIGNED_CERT_IN_CHAIN: 'shows a certificate that this machine does not trust',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'shows a certificate that this machine does not trust',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'shows a certificate that was made for another host',
};

/** A database, and the setting that names it. */
interface NamedDatabase {
  setting: 'DATABASE_URL' | 'MIGRATE_DATABASE_URL';
  url: string;
}

function databaseOf({ databaseUrl, migrateUrl }: StartFacts, doing: 'working' | 'migrating'): NamedDatabase | null {
  if (databaseUrl === null) return null;
  const isOwn = doing === 'migrating' && migrateUrl && migrateUrl !== databaseUrl;
  return isOwn ? { setting: 'MIGRATE_DATABASE_URL', url: migrateUrl } : { setting: 'DATABASE_URL', url: databaseUrl };
}

function databaseFault(error: Error, database: NamedDatabase | null): string | null {
  if (database === null) return null;
  const reason = DATABASE_FAULTS[faultCode(error) ?? ''] ?? withoutCode(error);
  if (reason === null) return null;
  return `The database of ${database.setting} (${shownDatabase(database.url)}) ${reason}.`;
}

const NO_SOCKET =
  'cannot be reached (ENOENT): there is no Unix socket of PostgreSQL in that folder: check the folder and the port';

/** The driver reports these as text only, or by a code that a disk has too. */
function withoutCode(error: Error): string | null {
  if (error.name === 'NoWritableHost') return error.message;
  if (/timeout expired|connection timeout/i.test(error.message)) return DATABASE_FAULTS.ETIMEDOUT ?? null;
  if (faultCode(error) === 'ENOENT' && 'syscall' in error && error.syscall === 'connect') return NO_SOCKET;
  if (/does not support SSL/.test(error.message)) return 'speaks no TLS, though its URL asks for it';
  return null;
}

const DISK_FAULTS: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file, or lies in one',
  ENOTDIR: 'it is a file, or lies in one',
  ENOSPC: 'the disk is full',
  EDQUOT: "this user's share of the disk is used up",
  ENOENT: 'the folder above it does not exist and cannot be made',
  EROFS: 'the disk is read-only',
  EACCES: 'this user may not use it',
  EPERM: 'this user may not use it',
  EFBIG: 'it may not grow that large for this user or on this disk',
  EIO: 'the disk fails',
};

function diskFault(error: Error): string | null {
  const reason = diskReason(error);
  if (reason === null || !('path' in error)) return null;
  return `"${error.path}" cannot be used: ${reason}.`;
}

/** Returns the fault, its causes and the parts of joined errors, outermost first. */
function* withCauses(fault: unknown): Generator<Error> {
  if (!(fault instanceof Error)) return;
  // Why the start failed matters more than what then went wrong while stopping.
  if (fault instanceof SuppressedError) yield* withCauses(fault.suppressed);
  yield fault;
  if (fault instanceof AggregateError) for (const part of fault.errors) yield* withCauses(part);
  yield* withCauses(fault.cause);
}

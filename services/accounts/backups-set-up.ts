import { isAbsolute, resolve } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import type { SetBackupsRequest } from '../../gen/tocsin/console/v1/deployment_pb.ts';
import { type Bus, subjects } from '../changes/bus.ts';
import type { CarriersSetUp } from '../channels/described.ts';
import { type FieldFault, invalidField, invalidFields, mismatchOf } from '../configuration/errors.ts';
import type { Actor } from '../domain/actor.ts';
import { BACKUP_BOUNDS } from '../domain/backup.ts';
import { shown } from '../process/text.ts';
import { say } from '../rpc/reader.ts';
import type { Seal } from '../store/seal.ts';
import { BACKUPS_PART, type LastSetting, readLastSetting, storeSettings } from '../store/statements/settings.ts';
import type { Store } from '../store/store.ts';
import { changedByOther } from './carrier-refusals.ts';

/** What setting up backups needs. */
export interface BackupsOn {
  store: Pick<Store, 'pool'>;
  seal: Seal;
  bus: Bus;
  settings: {
    /** The settings that stand in the environment, by name: where there are any, those count alone. */
    environment: readonly string[];
    /** Says why no backups can go into a folder; null: they can. */
    tryFolder(folder: string): Promise<string | null>;
  };
  /** Whether what is stored counts (CONSOLE_CARRIERS). */
  taken: CarriersSetUp['taken'];
  /** Resolves when this process goes by what is stored now. */
  follow(): Promise<void>;
  log: { info(about: object, message: string): void };
}

/** What is stored, as it would stand in the environment. */
interface Stored {
  BACKUP_DIR: string;
  BACKUP_EVERY: string;
  BACKUP_KEEP: string;
  BACKUP_PASSPHRASE: string;
}

/** How long the path of a folder may be, in characters. */
const PATH_MOST = 500;

const { everyS: EVERY_S, keep: KEEP, passphrase: PASSPHRASE } = BACKUP_BOUNDS;

/**
 * Stores where backups go, how often they are made, how many are kept and their passphrase, or takes that away, for the operator
 * (DECISIONS.md "Backups set up in the console"). The folder is tried first; what cannot be used is not stored.
 */
export async function setBackups(on: BackupsOn, request: SetBackupsRequest, actor: Actor): Promise<void> {
  const { pool } = on.store;
  const { environment } = on.settings;
  if (on.taken === 'refused') throw notHere(say().refusals.backupsRefused);
  if (environment.length > 0) throw notHere(say().refusals.backupsInEnvironment(environment));
  const last = await readLastSetting(pool, BACKUPS_PART);
  if (last === null && request.version !== 0) throw invalidField('version', '0', request.version);
  if (last !== null && last.version !== request.version) throw changedByOther(last);
  const values = request.folder.trim() === '' ? null : wanted(request, storedIn(on.seal, last));
  // There is nothing to take away.
  if (values === null && (last?.sealed ?? null) === null) return;
  if (values !== null) await tryFolder(on, values.BACKUP_DIR);
  const outcome = await storeSettings(pool, {
    part: BACKUPS_PART,
    after: request.version,
    names: Object.keys(values ?? {}),
    sealed: values === null ? null : on.seal.seal(JSON.stringify(values)),
    by: actor,
  });
  if (outcome === 'changed_meanwhile') throw changedByOther((await readLastSetting(pool, BACKUPS_PART))!);
  on.log.info(
    { by: actor.name },
    values === null ? 'backups were ended in the console' : 'backups were set up in the console',
  );
  on.bus.publish(subjects.settings);
  await on.follow();
}

function notHere(message: string): ConnectError {
  return new ConnectError(message, Code.FailedPrecondition);
}

/** Null: nothing is, or it cannot be opened with this DATA_KEY. */
function storedIn(seal: Seal, last: LastSetting | null): Stored | null {
  if (last === null || last.sealed === null) return null;
  try {
    return JSON.parse(seal.open(last.sealed)) as Stored;
  } catch {
    return null;
  }
}

/** Returns what is to be stored: what is not named stays. Throws INVALID_ARGUMENT, which never says a passphrase. */
function wanted({ folder, everyS, keep, passphrase }: SetBackupsRequest, before: Stored | null): Stored {
  const { accepts } = say();
  const path = folder.trim();
  const faults: FieldFault[] = [];
  const refuse = (field: string, accepted: string, got: unknown) =>
    faults.push({ field, problem: mismatchOf(accepted, got) });
  if (!isAbsolute(path) || path.length > PATH_MOST || /\p{Cc}/u.test(path)) {
    refuse('folder', accepts.absolutePath(PATH_MOST), path);
  }
  if (everyS !== 0 && (!isIn(EVERY_S, everyS) || everyS % 60 !== 0)) {
    refuse('everyS', accepts.wholeMinutes(EVERY_S.least, EVERY_S.most), everyS);
  }
  if (keep !== 0 && !isIn(KEEP, keep)) refuse('keep', accepts.range(KEEP.least, KEEP.most), keep);
  const accepted = accepts.passphrase(PASSPHRASE.least, PASSPHRASE.most);
  const secret = passphrase === '' ? before?.BACKUP_PASSPHRASE : passphrase;
  if (secret === undefined) refuse('passphrase', accepted, undefined);
  else if (!isIn(PASSPHRASE, secret.length) || /\p{Cc}/u.test(secret) || secret.trim() !== secret) {
    faults.push({ field: 'passphrase', problem: accepts.mismatch(accepted, accepts.charactersGot(secret.length)) });
  }
  if (faults.length > 0) throw invalidFields(faults);
  return {
    BACKUP_DIR: resolve(path),
    BACKUP_EVERY: everyS === 0 ? (before?.BACKUP_EVERY ?? minutes(EVERY_S.usual)) : minutes(everyS),
    BACKUP_KEEP: keep === 0 ? (before?.BACKUP_KEEP ?? String(KEEP.usual)) : String(keep),
    BACKUP_PASSPHRASE: secret!,
  };
}

function isIn({ least, most }: { least: number; most: number }, size: number): boolean {
  return size >= least && size <= most;
}

function minutes(seconds: number): string {
  return `${seconds / 60}m`;
}

async function tryFolder({ settings }: BackupsOn, folder: string): Promise<void> {
  const reason = await settings.tryFolder(folder);
  if (reason === null) return;
  const { accepts } = say();
  const problem = accepts.mismatch(accepts.writableFolder, shown(folder), accepts.folderReason(reason));
  throw invalidFields([{ field: 'folder', problem }]);
}

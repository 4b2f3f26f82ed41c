import { chown, type FileHandle, mkdir, mkdtemp, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StartError } from '../process/start-errors.ts';
import { clearDrafts, DRAFT } from './cluster.ts';
import { openDataDir, RESTORE_LOCK, RESTORE_MARK, readIfThere, writePrivate } from './data-dir.ts';
import { SHELTER } from './embedded.ts';
import { lockFolder } from './lock.ts';
import { findPlace, type Place } from './place.ts';
import { CLUSTER_RECORD, saveRecord } from './record.ts';
import { type KeptSecrets, putSecretsBack } from './secrets.ts';
import { stopServer } from './server.ts';

/*
 * A physical backup becomes a DATA_DIR again. From the first step to the last a file in the folder says so, on which no
 * product starts and which a next restore takes as leave to begin anew.
 */

/** Throws StartError if a restore into a DATA_DIR has not ended. */
export async function refuseUnfinished(dataDir: string): Promise<void> {
  if ((await readIfThere(join(dataDir, RESTORE_MARK))) === null) return;
  throw new StartError(
    'A restore into this DATA_DIR is under way or was cut short: wait for it, run "tocsin restore" with the same backup again, or empty the folder.',
  );
}

/** What is unpacked, in order: folders before what is in them, and each file before its bytes. */
export type Unpacked = { kind: 'folder' | 'file'; path: string } | { kind: 'bytes'; content: Buffer };

/** What comes with the files of a cluster. */
export interface ClusterKept {
  major: number;
  /** Such as `linux-x64`. */
  platform: string;
  password: string;
  productPassword: string;
  secrets: KeptSecrets;
}

/** The kind of machine whose programs read these files. */
export const PLATFORM = `${process.platform}-${process.arch}`;

/**
 * Makes the cluster of an empty DATA_DIR from the files of another one, with the record and the secrets that belong to it; a
 * server may then be started on it. Until `finished` is called nothing else starts there; `undo` takes the cluster away.
 * Throws StartError, and changes nothing, for a folder that is not empty or files that the programs here cannot read.
 */
export async function unpackCluster(
  toDataDir: string,
  kept: ClusterKept,
  parts: AsyncIterable<Unpacked>,
): Promise<{ finished(): Promise<void>; undo(): Promise<void> }> {
  const dataDir = await openDataDir(toDataDir);
  const mark = join(dataDir, RESTORE_MARK);
  const record = join(dataDir, CLUSTER_RECORD);
  const unlock = lockFolder(dataDir, RESTORE_LOCK);
  const finished = async () => {
    await rm(mark, { force: true });
    unlock();
  };
  let undo = async () => unlock();
  try {
    const state = (await readIfThere(mark)) !== null ? 'unfinished' : 'fresh';
    if (state === 'fresh' && (await readIfThere(record)) !== null) {
      throw new StartError('DATA_DIR is not empty, and a restore overwrites nothing: name an empty folder.');
    }
    await putSecretsBack(dataDir, kept.secrets);
    const place = await findPlace(dataDir, SHELTER);
    refuseOthers(place, kept);
    await writePrivate(mark, 'A restore was begun here and has not ended.\n', 'replace');
    undo = async () => {
      for (const path of [place.cluster, record]) await rm(path, { recursive: true, force: true });
      await finished();
    };
    // A restore that was killed may have left its server running.
    await stopServer(place);
    await rm(place.cluster, { recursive: true, force: true });
    await unpack(place, parts);
    const { password, productPassword } = kept;
    await saveRecord(dataDir, { port: 0, password, productPassword });
    return { finished, undo };
  } catch (fault) {
    await undo();
    throw fault;
  }
}

function refuseOthers({ binaries }: Place, { major, platform }: ClusterKept): void {
  const instead = 'restore a backup that was made without --physical.';
  if (major !== binaries.major) {
    throw new StartError(
      `The backup holds files of PostgreSQL ${major}, but this Tocsin comes with PostgreSQL ${binaries.major}: ${instead}`,
    );
  }
  if (platform === PLATFORM) return;
  throw new StartError(`The backup holds files of ${platform}, and this machine is ${PLATFORM}: ${instead}`);
}

/** In a draft folder first, as a new cluster is made. The server syncs all of it before it recovers from it. */
async function unpack({ folder, cluster, user }: Place, parts: AsyncIterable<Unpacked>): Promise<void> {
  await clearDrafts(folder);
  const draft = await mkdtemp(join(folder, DRAFT));
  const data = join(draft, 'postgres');
  const own = async (path: string) => {
    if (user !== null) await chown(path, user.uid, user.gid);
  };
  await mkdir(data, { mode: 0o700 });
  for (const path of [draft, data]) await own(path);
  let current: FileHandle | null = null;
  try {
    for await (const part of parts) {
      if (part.kind === 'bytes') {
        await current?.writeFile(part.content);
        continue;
      }
      await current?.close();
      current = null;
      const path = join(data, part.path);
      if (part.kind === 'folder') await mkdir(path, { mode: 0o700 });
      else current = await open(path, 'wx', 0o600);
      await own(path);
    }
  } finally {
    await current?.close();
  }
  await rename(data, cluster);
  await clearDrafts(folder);
}

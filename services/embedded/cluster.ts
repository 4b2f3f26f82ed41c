import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { faultCode, StartError } from '../process/start-errors.ts';
import { readIfThere } from './data-dir.ts';
import type { Place } from './place.ts';
import { run } from './system.ts';

/** The role that owns everything in the cluster and migrates: its superuser. */
export const ROLE = 'tocsin';

/** The role the product runs as (DECISIONS.md "Database roles"). */
export const PRODUCT_ROLE = 'tocsin_product';

/**
 * Creates the cluster if there is none: UTF-8, ordered by code point, ROLE with `password`. Throws StartError if the
 * folder contains a cluster of another major version, or something else.
 */
export async function ensureCluster(place: Place, password: string): Promise<void> {
  const version = (await readIfThere(join(place.cluster, 'PG_VERSION')))?.trim();
  if (version === String(place.binaries.major)) return;
  if (version !== undefined) {
    throw new StartError(
      `"${place.cluster}" holds data of PostgreSQL ${version}, but this Tocsin comes with PostgreSQL ${place.binaries.major}: back them up with the Tocsin that wrote them and restore that backup with this one, or start with an empty DATA_DIR.`,
    );
  }
  await refuseOther(place.cluster);
  await makeCluster(place, password);
}

/** In a draft folder first: a start that is killed midway leaves no half cluster behind. */
async function makeCluster(place: Place, password: string): Promise<void> {
  await clearDrafts(place.folder);
  const draft = await mkdtemp(join(place.folder, DRAFT));
  const data = join(draft, 'postgres');
  const passwordFile = join(draft, 'password');
  await mkdir(data, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (place.user !== null) {
    for (const path of [draft, data, passwordFile]) await chown(path, place.user.uid, place.user.gid);
  }
  const options = ['-D', data, '-U', ROLE, '--pwfile', passwordFile, '--auth', 'scram-sha-256', ...LOCALE];
  try {
    await run(join(place.binaries.folder, 'bin', 'initdb'), options, place.user, draft);
  } catch (fault) {
    const said = lastLine(fault);
    throw new StartError(
      NAMELESS_USER.test(said)
        ? `Embedded PostgreSQL has to find the name of the user it runs as when it makes its data, and user ${place.user?.uid ?? process.getuid?.()} has none on this machine: run Tocsin as a user that /etc/passwd lists, or add a line for this one there (a container may mount a file), or set DATABASE_URL.`
        : `Embedded PostgreSQL could not make its data in "${place.folder}": ${said}.`,
    );
  }
  await rename(data, place.cluster);
  await clearDrafts(place.folder);
}

const NAMELESS_USER = /could not look up (effective|local) user/;

/**
 * Closes the data folder to other users, if this process may: PostgreSQL refuses to start on one that a volume's owner
 * (Kubernetes' fsGroup) or somebody with `chmod -R g+w` has opened. What is inside it does not mind.
 */
export async function closeToOthers({ cluster }: Place): Promise<void> {
  const { mode } = await stat(cluster);
  // Its owner, and if it was made so, its group for reading: all that PostgreSQL allows.
  if ((mode & 0o027) === 0) return;
  await chmod(cluster, 0o700).catch(fault => {
    if (faultCode(fault) !== 'EPERM') throw fault;
  });
}

/** The same on every machine, whatever locales it has. */
const LOCALE = ['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'];

/** How the folder begins in which a cluster is made. */
export const DRAFT = 'initdb-';

/** Removes what is left of clusters that were not made to their end. */
export async function clearDrafts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(DRAFT)) continue;
    // The initdb of a killed start may still be writing there; what cannot be removed now is removed next time.
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  }
}

async function refuseOther(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (fault) {
    if (faultCode(fault) === 'ENOENT') return;
    throw fault;
  }
  throw new StartError(
    `"${folder}" holds files but no PostgreSQL data (PG_VERSION is missing): put them back, or set another DATA_DIR.`,
  );
}

function lastLine(fault: unknown): string {
  const text = fault instanceof Error && 'stderr' in fault ? String(fault.stderr) : '';
  const lines = text.split('\n').filter(line => /error|fatal|panic|could not/i.test(line));
  return lines.at(-1)?.trim() ?? (fault instanceof Error ? fault.message : 'no reason given');
}

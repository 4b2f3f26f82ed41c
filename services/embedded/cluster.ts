import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
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
    throw new StartError(`Embedded PostgreSQL could not make its data in "${place.folder}": ${lastLine(fault)}.`);
  }
  await rename(data, place.cluster);
  await clearDrafts(place.folder);
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

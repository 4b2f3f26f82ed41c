import { cp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createAccept } from '../../services/engine/accept/accept.ts';
import { createRefusalLog } from '../../services/engine/accept/refusals.ts';
import { startClock } from '../../services/engine/clock.ts';
import { startEngine } from '../../services/engine/engine.ts';
import { createLinks } from '../../services/responder/links.ts';
import { createKeyDigests } from '../../services/store/key-digests.ts';
import { session } from '../../services/store/session.ts';
import { openStore } from '../../services/store/store.ts';

/** What a process of the product is made of. */
export const THIS_VERSION = {
  createAccept,
  createRefusalLog,
  startClock,
  startEngine,
  createLinks,
  createKeyDigests,
  session,
  openStore,
};

export type Version = typeof THIS_VERSION;

/** Where each of them stands, below `services`. */
const STANDS: Readonly<Record<keyof Version, string>> = {
  createAccept: 'engine/accept/accept.ts',
  createRefusalLog: 'engine/accept/refusals.ts',
  startClock: 'engine/clock.ts',
  startEngine: 'engine/engine.ts',
  createLinks: 'responder/links.ts',
  createKeyDigests: 'store/key-digests.ts',
  session: 'store/session.ts',
  openStore: 'store/store.ts',
};

/** Loads the version whose tree stands in a folder, beside the one that runs. */
export async function versionIn(folder: string): Promise<Version> {
  // Names of metrics are registered once for each copy of it.
  const metrics = join(folder, 'node_modules/prom-client');
  const shared = await realpath(metrics);
  await rm(metrics);
  await cp(shared, metrics, { recursive: true });
  const loaded = Object.entries(STANDS).map(async ([name, file]) => {
    const module = await import(pathToFileURL(join(folder, 'services', file)).href);
    return [name, module[name]] as const;
  });
  return Object.fromEntries(await Promise.all(loaded)) as unknown as Version;
}

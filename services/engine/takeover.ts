import type { Logger } from 'pino';
import type { Connection } from '../store/statement.ts';
import { noteTakeover, stampTakeover } from '../store/statements/went-back.ts';

/**
 * Notes which server has the database, and puts the time right there with `keepTime` before anything is written with it: a
 * server that took over has the time of the last look that reached it, and until somebody looks, it stands still. Throws what
 * `keepTime` throws.
 */
export async function meetServer(db: Connection, log: Logger, keepTime: () => Promise<void>): Promise<void> {
  const taken = await noticed(db, log);
  await keepTime();
  if (taken === null) return;
  const { knownUntil } = taken;
  log.warn({ knownUntil: knownUntil && new Date(knownUntil).toISOString() }, 'another server took the database over');
  await stampTakeover(db);
}

async function noticed(db: Connection, log: Logger): Promise<{ knownUntil: number | null } | null> {
  try {
    return await noteTakeover(db);
  } catch (error) {
    // Some hosted servers do not say which they are; only that sentence depends on it.
    log.debug({ err: error }, 'which server has the database could not be read');
    return null;
  }
}

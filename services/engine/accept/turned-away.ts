import type { Pool } from 'pg';
import type { TurnedAway } from '../../domain/source.ts';
import { createLru } from '../../process/lru.ts';
import { newId } from '../../store/id.ts';
import { readNow } from '../../store/statements/responder.ts';
import { noWrites, writeAll } from '../../store/statements/write.ts';

/** How many accounts are remembered as told, and for how long, in milliseconds; the database knows whether it was today. */
const TOLD = { most: 10_000, forMs: 60_000 } as const;

/**
 * Notifies the owners of an account that calls were turned away, once a day (UTC) for each reason (DECISIONS.md "Limited
 * and shed calls"). Throws if the database cannot be reached.
 */
export function createTurnedAwayNotices(pool: Pool): (accountId: string, why: TurnedAway) => Promise<void> {
  const told = createLru<string, number>(TOLD.most);
  return async (accountId, why) => {
    const kind = `calls_${why}` as const;
    const name = `${kind} ${accountId}`;
    const since = told.get(name);
    if (since !== undefined && performance.now() - since < TOLD.forMs) return;
    const now = await readNow(pool);
    const once = now.toISOString().slice(0, 10);
    const notice = { accountId, id: newId(), kind, once, at: now.getTime(), incidentId: null, about: {} };
    await writeAll(pool, { ...noWrites(), notices: [notice] });
    told.set(name, performance.now());
  };
}

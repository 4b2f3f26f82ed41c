import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Disposition } from '../domain/incident.ts';
import type { RateLimit } from '../limits/times.ts';
import { takeMove } from './own-action.ts';
import { setDisposition } from './statements/disposition.ts';

/**
 * Says what an incident was along with closing it (DECISIONS.md "What it was"): once it has closed, as often as `limit` allows if it was
 * closed before. Never throws: it is closed by then, and whoever closed it must not be told otherwise.
 */
export async function disposeOfClosed(
  on: { pool: Pool; log: Logger },
  of: { accountId: string; incidentId: string },
  said: { outcome: string; disposition: Disposition; by: string; limit: RateLimit },
): Promise<void> {
  try {
    if (said.outcome !== 'closed') takeMove(said.limit, of.incidentId);
    await setDisposition(on.pool, of, said.disposition, said.by);
  } catch (error) {
    on.log.warn({ err: error, incident: of.incidentId }, 'what an incident was could not be kept: it is closed');
  }
}

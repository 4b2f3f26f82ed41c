import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { ChannelKind } from '../../domain/delivery.ts';
import { findUnjudged, judgeReached } from '../../store/statements/unreached.ts';
import { type LookAgain, type Loop, startLoop } from '../loop.ts';

/** Between two passes over all open incidents, and between two looks at some of them, in milliseconds. */
const SWEEP_MS = 30_000;
const PAGE_MS = 500;

const BEGIN = { at: '-infinity', id: '' };

/**
 * Judges again whom open incidents reached (DECISIONS.md "Nobody reached"). Usually the worker that records a failed
 * message judges right away; if it dies in between, nobody was notified and no other message triggers a judgement.
 * Starts with the process and passes over all open incidents again and again. Any number of processes may do so: each
 * incident is judged once.
 */
export function startUnreached(engine: {
  pool: Pool;
  log: Logger;
  /** Called when a step was brought forward, for each channel it goes over. */
  onScheduled(channel: ChannelKind): void;
  onNotice(): void;
}): Pick<Loop, 'close'> {
  const { pool, log } = engine;
  let after = BEGIN;

  async function look(): Promise<LookAgain> {
    const { last, incidents } = await findUnjudged(pool, after);
    for (const { accountId, id } of incidents) {
      const { became, due } = await judgeReached(pool, accountId, id);
      for (const channel of due) engine.onScheduled(channel);
      if (became !== 'nobody_reached') continue;
      log.error({ incident: id }, 'nobody was reached so far; it was not told yet');
      engine.onNotice();
    }
    after = last ?? BEGIN;
    return { inMs: last === null ? SWEEP_MS : PAGE_MS };
  }

  return startLoop('unreached', look, log, SWEEP_MS);
}

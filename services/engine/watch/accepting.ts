import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ACCEPTING_FOR_MS } from '../../domain/supervision.ts';
import { newId } from '../../store/id.ts';
import { endAccepting, markAccepting } from '../../store/statements/accepting.ts';
import { startLoop } from '../loop.ts';

/** Between two marks, in milliseconds. */
const EVERY_MS = 5_000;

/** How long a mark may take before it counts as a break, in milliseconds: for as long no call was accepted either. */
const BREAK_MS = ACCEPTING_FOR_MS;

/** Says for all processes since when this one accepts calls without a break. */
export interface Accepting {
  /** Returns since when, and the deployment's time. Throws errors of the database. */
  mark(): Promise<{ since: number; now: number }>;
  /** Calls could not be accepted. */
  broke(): void;
  close(): Promise<void>;
}

/**
 * Leaves a mark every 5 s that calls can be accepted (DECISIONS.md "Supervised senders": our own downtime never counts).
 * A start, a mark that failed or came late, and calls that could not be stored begin it anew. `uptimeMs`: counts time as
 * no clock that is set does.
 */
export function startAccepting(on: { pool: Pool; log: Logger; uptimeMs?(): number }): Accepting {
  const { pool, log, uptimeMs = () => performance.now() } = on;
  const process = newId();
  let state: 'unbroken' | 'broken' = 'broken';
  let markedAt = uptimeMs();

  async function mark(): Promise<{ since: number; now: number }> {
    if (uptimeMs() - markedAt > BREAK_MS) state = 'broken';
    const how = state === 'broken' ? 'anew' : 'on';
    state = 'unbroken';
    try {
      const marked = await markAccepting(pool, process, how);
      markedAt = uptimeMs();
      return marked;
    } catch (error) {
      state = 'broken';
      throw error;
    }
  }

  const loop = startLoop(
    'accepting',
    async () => {
      await mark();
      return { inMs: EVERY_MS };
    },
    log,
    EVERY_MS,
  );
  return {
    mark,
    broke() {
      state = 'broken';
    },
    async close() {
      await loop.close();
      // What it leaves behind counts for a few seconds more only.
      await endAccepting(pool, process).catch(() => {});
    },
  };
}

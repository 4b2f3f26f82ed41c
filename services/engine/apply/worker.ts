import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import type { ChannelKind } from '../../domain/delivery.ts';
import type { Kept } from '../../limits/kept.ts';
import { recordSpan } from '../../process/traces.ts';
import { inTransaction } from '../../store/statement.ts';
import { oneAtATime } from '../../store/statements/apply.ts';
import type { LookAgain } from '../loop.ts';
import { applyWait, callsApplied, windowLateness } from '../metrics.ts';
import { spanOfApplied } from '../spans.ts';
import { faultOf } from './failing.ts';
import type { Limits } from './limits.ts';
import type { ApplyTurn } from './works.ts';
import type { Written } from './write-decided.ts';

/** How long to wait while another process holds the lock, in milliseconds. */
const BUSY_MS = 10;

/** The result of one transaction. */
export interface Done {
  written: Written | null;
  again: LookAgain;
}

/** What the two workers that apply actions need. */
export interface ApplyOn {
  pool: Pool;
  log: Logger;
  /** The channels that have a carrier here. */
  carriers: readonly ChannelKind[];
  /** How much one transaction takes; absent: LIMITS. */
  limits?: Limits;
  /** What accounts may make the database keep. */
  kept: Kept;
  /** Told of each batch. */
  onApplied(written: Written): void;
}

/** One of the two workers that apply actions. */
export interface ApplyWorker {
  /** Applies one transaction's worth and returns when to look again. */
  look(): Promise<LookAgain>;
}

/**
 * Creates a worker that runs applying transactions, one at a time over all processes (`lock`): load, decide
 * (services/domain), write, commit, and only then announce what changed (`onApplied`). A crash in between is rolled
 * back and redone from the same rows. What cannot be written together is tried once more, source by source. Throws
 * database faults.
 */
export function createWorker(
  engine: ApplyOn,
  lock: number,
  apply: (client: PoolClient, how: ApplyTurn['how']) => Promise<Done>,
): ApplyWorker {
  const once = (how: ApplyTurn['how']) =>
    inTransaction(
      engine.pool,
      async (client, begun: 'begun' | 'busy') => (begun === 'busy' ? begun : apply(client, how)),
      oneAtATime(lock),
    );

  async function applySafely(): Promise<Done | 'busy'> {
    try {
      return await once('together');
    } catch (error) {
      if (faultOf(error) === 'database') throw error;
      engine.log.warn({ err: error }, 'what waits could not be written together; each source goes by itself');
      return once('apart');
    }
  }

  return {
    async look() {
      const began = performance.now();
      const done = await applySafely();
      if (done === 'busy') {
        // Not reported as an empty look: callers of drain() must go on waiting.
        await new Promise(resolve => setTimeout(resolve, BUSY_MS));
        return 'now';
      }
      if (done.written !== null) {
        count(done.written, performance.now() - began);
        engine.onApplied(done.written);
      }
      return done.again;
    },
  };
}

/** Counts what was committed. `tookMs`: how long the transaction took, which began with the time of `written`. */
function count({ applied, windowsLateMs }: Written, tookMs: number): void {
  for (const [outcome, { length }] of Map.groupBy(applied, ({ outcome }) => outcome)) {
    callsApplied.inc({ outcome }, length);
  }
  for (const action of applied) {
    const afterMs = Math.max(0, action.waitedMs + tookMs);
    applyWait.observe(afterMs / 1000);
    recordSpan?.(spanOfApplied(action, afterMs));
  }
  for (const lateMs of windowsLateMs) windowLateness.observe(Math.max(0, lateMs + tookMs) / 1000);
}

import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { CallVerb } from '../../domain/action.ts';
import { isMode } from '../../domain/mode.ts';
import type { PathRefusal, Verdict } from '../../domain/source.ts';
import { isId } from '../../store/id.ts';
import { PLACES } from '../../store/statements/journal.ts';
import { keepRefusals, type RefusedCall } from '../../store/statements/log.ts';
import { collect } from './collect.ts';

/** How many refused calls may wait to be written; further ones are counted and dropped. */
const MAX_WAITING = 5_000;

/** How long refusals are collected before they are written together, in milliseconds. */
const COLLECT_MS = 200;

/** The key of a refused call. */
export interface RefusedKey {
  accountId: string;
  keySeq: number;
}

/** A refused call as received. Its words are untrusted. */
export interface AskedInVain {
  traceId: string;
  parentTraceId: string | null;
  verb: CallVerb;
  sourceId: string;
  modeWord?: string | undefined;
}

/** Stores refused calls of known keys, off the request path (DECISIONS.md "Outcome of each call"). */
export interface RefusalLog {
  add(call: AskedInVain, by: RefusedKey, outcome: Exclude<Verdict, 'accepted'> | PathRefusal): void;
  /** Writes everything that waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes refusals in groups and keeps a bounded number per account. A failed write is only logged: no call waits for
 * it. `now` counts milliseconds. A call gets the time of its answer, however late it is written.
 */
export function createRefusalLog(pool: Pool, log: Logger, now: () => number = () => performance.now()): RefusalLog {
  let waiting: Waiting[] = [];
  let dropped = 0;

  async function write(): Promise<void> {
    const calls = waiting;
    if (calls.length === 0) return;
    waiting = [];
    try {
      for (let at = 0; at < calls.length; at += PLACES) {
        await keepRefusals(pool, calls.slice(at, at + PLACES).map(dated));
      }
      if (dropped > 0) log.warn({ dropped }, 'refused calls were not kept: too many at once');
      dropped = 0;
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'refused calls could not be kept');
    }
  }

  const dated = ({ answeredAt, ...call }: Waiting): RefusedCall => ({ ...call, agoMs: Math.round(now() - answeredAt) });

  const collected = collect(write, COLLECT_MS);
  return {
    add(call, by, outcome) {
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push({ ...refused(call, by, outcome), answeredAt: now() });
      collected.soon();
    },
    flush: collected.flush,
    close: collected.flush,
  };
}

/** A refused call waiting to be written. */
type Waiting = Refused & { answeredAt: number };

type Refused = Omit<RefusedCall, 'agoMs'>;

/** Describes the call in our own words: an invalid identifier or mode is not stored as received. */
function refused(
  { modeWord: word, ...call }: AskedInVain,
  { accountId, keySeq }: RefusedKey,
  outcome: RefusedCall['outcome'],
): Refused {
  return {
    accountId,
    keySeq,
    traceId: call.traceId,
    parentTraceId: call.parentTraceId,
    verb: call.verb,
    sourceId: isId(call.sourceId) ? call.sourceId : '',
    mode: word !== undefined && isMode(word) ? word : null,
    outcome,
  };
}

import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isMode } from '../domain/mode.ts';
import type { JudgedCall } from '../store/accept-statement.ts';
import { keepRefusals, type RefusedCall } from '../store/call-statements.ts';
import { isId } from '../store/id.ts';
import type { Call } from './call.ts';
import { collect } from './collect.ts';

/** How many refused calls wait to be written at most; further ones are counted and dropped. */
const MAX_WAITING = 5_000;

/** How long refusals are collected before they are written together, in milliseconds. */
const COLLECT_MS = 200;

/** Keeps refused calls of known keys, off the request path (DECISIONS.md "Outcome of each call"). */
export interface RefusalLog {
  add(call: Call, judged: JudgedCall): void;
  /** Writes what waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The log writes in groups and keeps a bounded number per account. A failed write is logged: no call waits for it. */
export function createRefusalLog(pool: Pool, log: Logger): RefusalLog {
  let waiting: RefusedCall[] = [];
  let dropped = 0;

  async function write(): Promise<void> {
    const calls = waiting;
    if (calls.length === 0) return;
    waiting = [];
    try {
      await keepRefusals(pool, calls);
      if (dropped > 0) log.warn({ dropped }, 'refused calls were not kept: too many at once');
      dropped = 0;
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'refused calls could not be kept');
    }
  }

  const collected = collect(write, COLLECT_MS);
  return {
    add(call, judged) {
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push(refused(call, judged));
      collected.soon();
    },
    flush: collected.flush,
    close: collected.flush,
  };
}

/** What was asked, in words that are ours: an identifier that is none and a mode that is none are not kept as they came. */
function refused(call: Call, judged: JudgedCall): RefusedCall {
  const word = call.modeWord;
  return {
    account_id: judged.account_id!,
    key_id: judged.key_id!,
    trace_id: call.traceId,
    verb: call.verb,
    source_id: isId(call.sourceId) ? call.sourceId : '',
    mode: word !== undefined && isMode(word) ? word : null,
    outcome: judged.verdict,
  };
}

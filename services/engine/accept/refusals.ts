import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { isMode } from '../../domain/mode.ts';
import type { Verdict } from '../../domain/source.ts';
import { isId } from '../../store/id.ts';
import { PLACES } from '../../store/statements/journal.ts';
import type { JudgedBy } from '../../store/statements/judged-by.ts';
import { keepRefusals, type RefusedCall } from '../../store/statements/log.ts';
import type { Call } from './call.ts';
import { collect } from './collect.ts';

/** How many refused calls wait to be written at most; further ones are counted and dropped. */
const MAX_WAITING = 5_000;

/** How long refusals are collected before they are written together, in milliseconds. */
const COLLECT_MS = 200;

/** Keeps refused calls of known keys, off the request path (DECISIONS.md "Outcome of each call"). */
export interface RefusalLog {
  add(call: Call, by: JudgedBy, verdict: Exclude<Verdict, 'accepted'>): void;
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
      for (let at = 0; at < calls.length; at += PLACES) await keepRefusals(pool, calls.slice(at, at + PLACES));
      if (dropped > 0) log.warn({ dropped }, 'refused calls were not kept: too many at once');
      dropped = 0;
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'refused calls could not be kept');
    }
  }

  const collected = collect(write, COLLECT_MS);
  return {
    add(call, by, verdict) {
      if (waiting.length >= MAX_WAITING) dropped++;
      else waiting.push(refused(call, by, verdict));
      collected.soon();
    },
    flush: collected.flush,
    close: collected.flush,
  };
}

/** What was asked, in words that are ours: an identifier that is none and a mode that is none are not kept as they came. */
function refused(
  { modeWord: word, ...call }: Call,
  { accountId, keySeq }: JudgedBy,
  outcome: RefusedCall['outcome'],
): RefusedCall {
  return {
    accountId: accountId!,
    keySeq: keySeq!,
    traceId: call.traceId,
    verb: call.verb,
    sourceId: isId(call.sourceId) ? call.sourceId : '',
    mode: word !== undefined && isMode(word) ? word : null,
    outcome,
  };
}

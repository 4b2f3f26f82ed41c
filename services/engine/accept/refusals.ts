import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { type Bus, tellOfCalls } from '../../changes/bus.ts';
import type { CallVerb } from '../../domain/action.ts';
import { isMode } from '../../domain/mode.ts';
import { type PathRefusal, TURNED_AWAY, type TurnedAway, type Verdict } from '../../domain/source.ts';
import { KEEP_ALL, type Kept } from '../../limits/kept.ts';
import { createTally } from '../../limits/tally.ts';
import { isId } from '../../store/id.ts';
import { PLACES } from '../../store/statements/journal.ts';
import { keepRefusals, type RefusedCall } from '../../store/statements/log.ts';
import { collect } from './collect.ts';

/** How many refused calls may wait to be written; further ones are counted and dropped. */
const MAX_WAITING = 5_000;

/** How long refusals are collected before they are written together, in milliseconds. */
const COLLECT_MS = 200;

/** For how long calls that were turned away are counted before one row says how many, in milliseconds. */
const COUNTED_MS = 60_000;

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
  /**
   * Keeps a call that was turned away, or so many of them: the first few of each source by themselves, the others by
   * their number (DECISIONS.md "Limited and shed calls").
   */
  turnAway(call: AskedInVain, by: RefusedKey, why: TurnedAway, times?: number): void;
  /** Writes everything that waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Writes refusals in groups and keeps a bounded number per account. A failed write is only logged: no call waits for
 * it. `now` counts milliseconds. A call gets the time of its answer, however late it is written. `onTurnedAway` is told
 * of accounts whose calls were turned away, once those are kept, and `bus` of all that can be read now. `kept`: what accounts may make the database keep; absent: anything.
 */
export function createRefusalLog(
  pool: Pool,
  log: Logger,
  {
    now = () => performance.now(),
    kept = KEEP_ALL,
    onTurnedAway = async () => {},
    bus,
  }: {
    now?(): number;
    kept?: Kept;
    onTurnedAway?(accountId: string, why: TurnedAway): Promise<void>;
    bus?: Bus;
  } = {},
): RefusalLog {
  const tally = createTally<Refused>();
  let counting: NodeJS.Timeout | undefined;
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
      if (bus !== undefined) tellOfCalls(bus, calls);
      await tellOf(calls);
      if (dropped > 0) log.warn({ dropped }, 'refused calls were not kept: there is no room for so many');
      dropped = 0;
    } catch (error) {
      log.warn({ err: error, calls: calls.length }, 'refused calls could not be kept');
    }
  }

  async function tellOf(calls: readonly Waiting[]): Promise<void> {
    for (const why of TURNED_AWAY) {
      const accounts = new Set(calls.filter(({ outcome }) => outcome === why).map(({ accountId }) => accountId));
      for (const accountId of accounts) await onTurnedAway(accountId, why);
    }
  }

  function keep(call: Refused): void {
    if (waiting.length >= MAX_WAITING || kept.take(call.accountId, 'refusals') !== 'taken') dropped++;
    else waiting.push({ ...call, answeredAt: now() });
    collected.soon();
  }

  function keepCounted(): void {
    clearTimeout(counting);
    counting = undefined;
    for (const { one, times } of tally.take()) keep({ ...one, times });
  }

  const dated = ({ answeredAt, ...call }: Waiting): RefusedCall => ({ ...call, agoMs: Math.round(now() - answeredAt) });

  const collected = collect(write, COLLECT_MS, 'first_at_once');
  return {
    add: (call, by, outcome) => keep(describeRefusal(call, by, outcome)),
    turnAway(call, by, why, times = 1) {
      const one = describeRefusal(call, by, why);
      const name = `${why} ${one.sourceId}`;
      if (times === 1 && tally.note(by.accountId, name, one) === 'alone') return keep(one);
      if (times > 1) tally.note(by.accountId, name, one, times);
      counting ??= setTimeout(keepCounted, COUNTED_MS).unref();
    },
    flush() {
      keepCounted();
      return collected.flush();
    },
    close() {
      keepCounted();
      return collected.flush();
    },
  };
}

/** A refused call waiting to be written. */
type Waiting = Refused & { answeredAt: number };

type Refused = Omit<RefusedCall, 'agoMs'>;

/** Describes the call in our own words: an invalid identifier or mode is not stored as received. */
function describeRefusal(
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
    times: 1,
  };
}

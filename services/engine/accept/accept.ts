import type { Pool } from 'pg';
import { isMode } from '../../domain/mode.ts';
import type { Environment, Verdict } from '../../domain/source.ts';
import { KEEP_ALL, type Kept } from '../../limits/kept.ts';
import type { LimitedCall, RateLimits } from '../../limits/rate-limits.ts';
import type { KeptUse } from '../../limits/table.ts';
import { createLru } from '../../process/lru.ts';
import { networkOf } from '../../process/network.ts';
import { isId } from '../../store/id.ts';
import type { KeyDigests } from '../../store/key-digests.ts';
import { type AskedUnit, acceptGroup } from '../../store/statements/journal.ts';
import { createGroupCommit, TooLate } from '../group-commit.ts';
import type { Call } from './call.ts';
import { type AskedCall, createGroup, type Judgement } from './judge.ts';
import type { KeyUses } from './key-uses.ts';
import type { RefusalLog } from './refusals.ts';
import { type JudgedBy, readJudgedBy } from './statements/judged-by.ts';

/** How long a call may wait for its turn before it is refused as overload, in milliseconds. */
const WAIT_MS = 1_000;

/** How many pairs of key and source are remembered, receipts included: about 150 megabytes if all are in use. */
const REMEMBERED = 50_000;

/** How often a call is judged again because the facts changed under it. */
const TRIES = 30;

/** The receipt of an accepted call: it is stored and committed. */
export interface Receipt {
  verdict: 'accepted';
  environment: Environment;
  /** The same object as long as calls of the source are judged by the same facts. */
  location: { id: string; name: string };
}

/**
 * The answer to a call. `too_many`: its account has made too many calls, and may make the next one after so many seconds; `disk_low`: the
 * disk is kept for live triggers.
 */
export type Acceptance =
  | Receipt
  | { verdict: Exclude<Verdict, 'accepted'> | 'disk_low' }
  | { verdict: 'too_many'; retryAfterS: number };

/** A group that was committed. `at`: the deployment's time, milliseconds since 1970. */
export interface StoredGroup {
  number: number;
  at: number;
  units: readonly AskedUnit[];
}

export type Accept = (call: Call) => Promise<Acceptance>;

/** What calls with one key to one source are judged by, and whether it was read for this very call. */
interface Known {
  by: JudgedBy;
  from: 'memory' | 'database';
  /** Whether an incident is open or a trigger pending there; only asked where the gate needs it. */
  engaged: boolean;
}

/**
 * Accepts calls. They are judged from memory by the rules (services/domain) and stored by one statement per group,
 * which checks that the facts they were judged by still hold. If not, the facts are read again and the call is judged
 * again. No call is refused from memory alone. So once a change is confirmed to its owner, the very next call sees it,
 * in every process.
 *
 * `engagedOf` returns the sources that have an open incident or a pending trigger once all calls accepted so far are
 * applied. `onStored` is called after each commit that stored something, before any of its callers is answered, `onFailed` after each that failed. Throws if
 * the database cannot be reached, does not answer in time, or cannot confirm that a standby it waits for has the call
 * too. The call was not accepted then, although in the last case, and when a connection is lost midway, it may have
 * been stored.
 */
export function createAccept(engine: {
  pool: Pool;
  digests: KeyDigests;
  refusals: RefusalLog;
  keyUses: Pick<KeyUses, 'note'>;
  /** Limits per account. */
  limits: RateLimits;
  /** What accounts may make the database keep; absent: anything. */
  kept?: Kept;
  engagedOf(sourceSeqs: readonly number[]): Promise<ReadonlySet<number>>;
  /** Waits until the deployment's time can be believed; undefined where nobody need wait (engine/clock.ts). */
  believed(): Promise<void> | undefined;
  onStored(group: StoredGroup): void;
  onFailed?(cause: unknown): void;
}): Accept {
  const { kept = KEEP_ALL } = engine;
  const remembered = createLru<string, JudgedBy>(REMEMBERED);
  const group = createGroup(REMEMBERED);

  const read = createGroupCommit<{ call: Call; digest: Buffer }, Known>(
    async asked => {
      const named = asked.map(({ call, digest }) => ({
        digest,
        kind: call.kind,
        // Input that is not an id never reaches the database; it names no source.
        sourceId: isId(call.sourceId) ? call.sourceId : '',
      }));
      const found = await readJudgedBy(engine.pool, named);
      for (const { source } of found) if (source !== null) group.sees(source);
      const gated = found.filter((by, index) => asksGate(by, asked[index]!.call));
      const engaged = gated.length === 0 ? NOBODY : await engine.engagedOf(gated.map(({ source }) => source!.seq));
      return found.map(by => ({ by, from: 'database', engaged: by.source !== null && engaged.has(by.source.seq) }));
    },
    WAIT_MS,
    { turnOf: ({ call }) => networkOf(call.from().address) },
  );

  const store = createGroupCommit<AskedCall, Judgement>(
    async asked => {
      const failed = (error: unknown) => {
        engine.onFailed?.(error);
        throw error;
      };
      const believed = engine.believed();
      if (believed !== undefined) await believed.catch(failed);
      const { judgements, units } = group.judge(asked);
      if (units.length === 0) return judgements;
      const accepted = await acceptGroup(engine.pool, units, group.knownRun()).catch(error => {
        group.forgets(units);
        return failed(error);
      });
      const { number, at, stale } = accepted;
      if (number !== null) engine.onStored({ number, at, units: units.filter((_, place) => !stale.has(place)) });
      return group.stored(judgements, units, accepted);
    },
    WAIT_MS,
    { atOnce: 1, turnOf: ({ by }) => by.accountId ?? '' },
  );

  async function look(name: string, call: Call, digest: Buffer): Promise<Known> {
    const found = await read({ call, digest });
    if (found.by.source === null) remembered.delete(name);
    else remembered.set(name, found.by);
    return found;
  }

  function roomFor(call: Call, by: JudgedBy): Room {
    for (const use of keptUses(call, by)) {
      const room = kept.take(by.accountId!, use);
      if (room !== 'taken') return room === 'disk_low' ? room : kept.growsBackS(by.accountId!, use);
    }
    return 'taken';
  }

  /** A call that is refused shows as well that its sender lives (DECISIONS.md "Supervised senders"). */
  function noteUse(call: Call, { fault, accountId, keyId }: JudgedBy): void {
    if (fault === null) engine.keyUses.note({ accountId: accountId!, keyId: keyId! }, call.from);
  }

  return async call => {
    const digest = engine.digests.digestOf(call.secret);
    if (digest === null) return { verdict: 'key_unknown' };
    const name = `${call.secret}/${call.kind}/${call.sourceId}`;
    let room: Room | 'not_asked' = 'not_asked';
    for (let tries = 0; tries < TRIES; tries++) {
      const known = tries === 0 ? remembered.get(name) : undefined;
      const { by, from, engaged } = known === undefined ? await look(name, call, digest) : fromMemory(known);
      if (by.fault === 'key_unknown') {
        if (tries === 0 && (await engine.digests.adopt(call.secret)) === 'adopted') continue;
        engine.digests.markUnknown(digest);
        return { verdict: 'key_unknown' };
      }
      const limited = limitedBy(call, by);
      if (tries === 0 && engine.limits.take(limited) === 'too_many') {
        noteUse(call, by);
        engine.refusals.turnAway(call, { accountId: by.accountId!, keySeq: by.keySeq! }, 'limited');
        return { verdict: 'too_many', retryAfterS: 1 };
      }
      if (room !== 'taken') room = roomFor(call, by);
      if (room !== 'taken') {
        // What memory has in test may be live by now.
        if (from === 'memory') continue;
        noteUse(call, by);
        const why = room === 'disk_low' ? 'shed' : 'limited';
        engine.refusals.turnAway(call, { accountId: by.accountId!, keySeq: by.keySeq! }, why);
        return room === 'disk_low' ? { verdict: room } : { verdict: 'too_many', retryAfterS: room };
      }
      const { verdict } = await store({ call, named: namedBy(call), by, from, engaged });
      if (verdict === 'differs') continue;
      engine.limits.learn(limited, verdict === 'accepted' ? 'accepted' : 'good');
      noteUse(call, by);
      if (verdict !== 'accepted') {
        engine.refusals.add(call, { accountId: by.accountId!, keySeq: by.keySeq! }, verdict);
        return { verdict };
      }
      const { environment, location } = by.source!;
      return { verdict, environment, location };
    }
    throw new TooLate('What the call is judged by changes all the time.');
  };
}

/** Whether there is room for what a call stores, or after how many seconds its account may store it. */
type Room = 'taken' | 'disk_low' | number;

const NOBODY: ReadonlySet<number> = new Set();

function fromMemory(by: JudgedBy): Known {
  return { by, from: 'memory', engaged: false };
}

/**
 * Tells whether the gate needs to know of an open incident: for a trigger of a disarmed alarm that only fires when
 * armed.
 */
function asksGate({ source }: JudgedBy, { verb, kind }: Call): boolean {
  return source !== null && verb === 'trigger' && kind === 'alarm' && source.onlyWhenArmed && source.armedMode === null;
}

const NO_USES: readonly KeptUse[] = [];
const TEST: readonly KeptUse[] = ['test'];
const ARM: readonly KeptUse[] = ['other_calls'];
const CLOSING: readonly KeptUse[] = ['other_calls', 'closing'];

/** Returns what a call counts as that makes the database keep something; nothing for live triggers, which are always stored. */
function keptUses({ verb }: Call, { fault, source }: JudgedBy): readonly KeptUse[] {
  if (fault !== null || source === null) return NO_USES;
  if (source.environment === 'test') return TEST;
  if (verb === 'trigger') return NO_USES;
  return verb === 'arm' ? ARM : CLOSING;
}

/** Calls count against the account of a good key. An id outside the key's reach names none of the account's sources. */
function limitedBy({ kind, sourceId, verb }: Call, { accountId, fault, source }: JudgedBy): LimitedCall {
  return {
    of: fault === null ? accountId : null,
    callClass: verb === 'trigger' ? 'trigger' : 'action',
    source: source === null ? null : { kind, id: sourceId },
  };
}

function namedBy({ modeWord: word }: Call): AskedCall['named'] {
  return word === undefined ? null : isMode(word) ? word : 'unknown';
}

import type { PoolClient } from 'pg';
import { LOCKS } from '../../store/lock.ts';
import { awaitAccepts, type Folds, type Found, lookForWork } from '../../store/statements/apply.ts';
import { actionsOf, type WaitingAction } from '../../store/statements/journal.ts';
import { moveCursor, writeFolds } from '../../store/statements/log.ts';
import { parkCalls } from '../../store/statements/queue.ts';
import type { LookAgain } from '../loop.ts';
import { loadPolicies, type Work, withFolds } from './decided.ts';
import { createKnownSources } from './known-sources.ts';
import { LIMITS } from './limits.ts';
import { type ApplyOn, type ApplyWorker, createWorker, type Done } from './worker.ts';
import { type ApplyTurn, applyWorks, createMessageBudget } from './works.ts';
import type { Written } from './write-decided.ts';
import { dueFolds, nextFoldMs } from './writes.ts';

/** After a transaction of so many calls the loop rests: each call costs less where the next one takes more of them. */
const MANY = 16;

/**
 * How long to rest at most, in milliseconds. Only near the peak, where so many calls are accepted together, is that worth
 * waiting for as long (services/docs/ENGINE.md "How fast").
 */
const REST_MS = { near_peak: 40, below: 12 } as const;
const TOGETHER = 16;

/**
 * How long to wait, in milliseconds, if a timer is due but out of reach because its source is in the queue or rests.
 */
const OTHERS_MS = 20;

/** What one transaction works on. */
interface Batch {
  found: Found;
  groups: number[];
  works: Work[];
  /** Calls of sources that have others in the queue or being worked on there: they line up behind those. */
  behind: WaitingAction[];
  /** Whether more waits than was read. */
  left: 'some' | 'none';
}

/** Applies what was just accepted, and timers. */
export interface JournalWorker extends ApplyWorker {
  /** Writes folds at once, until none waits. */
  hurry(): void;
}

/**
 * Applies the journal in order, and due timers. What would hold others up goes to the queue (queue.ts) with the same
 * commit: calls over their account's share, calls that open a heavy incident, calls that fail, and all further calls of
 * a source with something in the queue. `onHeavy` receives sources with a timer that is due there.
 */
export function createJournalWorker(engine: ApplyOn & { onHeavy(sourceSeqs: readonly number[]): void }): JournalWorker {
  const { limits = LIMITS } = engine;
  const known = createKnownSources();
  let folds: 'in_time' | 'now' = 'in_time';
  /** Until when timers that could not be applied are left alone, milliseconds since 1970, by source number. */
  const resting = new Map<number, number>();
  /** How many groups to read: in a backlog they are large, and those that are read for nothing hold everybody up. */
  let reach = limits.groups;

  async function readBatch(client: PoolClient): Promise<Batch> {
    const look = await lookForWork(client, reach, limits.timers);
    const due = look.due.filter(seq => (resting.get(seq) ?? 0) <= look.now);
    const found = due.length === 0 ? look : await lookPastAccepts(client, look);
    const groups: number[] = [];
    const calls: WaitingAction[] = [];
    let lastAt = look.now;
    for (const group of found.groups) {
      if (calls.length >= limits.calls) break;
      groups.push(group.id);
      calls.push(...actionsOf(group));
      lastAt = group.at;
    }
    const left = groups.length < found.groups.length || groups.length === reach ? 'some' : 'none';
    reach = groups.length < found.groups.length ? groups.length : Math.min(reach * 2, limits.groups);
    // Whatever is accepted from now on is not earlier than the last group read.
    const upTo = left === 'none' && due.length > 0 ? look.now : lastAt;
    const bySource = Map.groupBy(calls, ({ sourceSeq }) => sourceSeq);
    const seqs = [...new Set([...bySource.keys(), ...due])];
    const sources = await known.lock(client, found, seqs);
    const works = sources
      .filter(({ queue }) => queue === 'none')
      .map(row => ({ row: withFolds(row, found.folds), ready: bySource.get(row.seq) ?? [], upTo }));
    const here = new Set(works.map(({ row }) => row.seq));
    return { found, groups, works, behind: calls.filter(({ sourceSeq }) => !here.has(sourceSeq)), left };
  }

  /** Before a timer fires, everything accepted until then must be known. */
  async function lookPastAccepts(client: PoolClient, { now, due }: Found): Promise<Found> {
    // Which timers are due is known by now: to look for them a second time would cost as much as all else.
    const [, found] = await Promise.all([awaitAccepts(client), lookForWork(client, reach, 0)]);
    return { ...found, now, due };
  }

  async function apply(client: PoolClient, how: ApplyTurn['how']): Promise<Done> {
    const { found, groups, works, behind, left } = await readBatch(client);
    const counts = { ...found.folds };
    if (works.length === 0 && groups.length === 0 && isEmpty(dueFolds(counts, folds))) {
      folds = 'in_time';
      const leastMs = found.due.length > 0 ? OTHERS_MS : 0;
      const inMs = Math.max(leastMs, found.nextTimerMs ?? Number.POSITIVE_INFINITY);
      return { written: null, again: { inMs: Math.min(inMs, nextFoldMs(counts)) } };
    }
    await parkCalls(client, behind);
    const policyOf = await loadPolicies(client, works);
    const settle = async (decided: readonly { left: readonly WaitingAction[] }[]) =>
      parkCalls(
        client,
        decided.flatMap(one => one.left),
      );
    const { log, carriers, kept } = engine;
    const on = { client, log, policyOf, carriers, kept, folds: counts, settle };
    const budget = createMessageBudget(limits.messages, limits.messagesOfAccount, kept);
    const applied = await applyWorks(on, works, { budget, heaviest: limits.messagesOfAccount, how });
    for (const { row } of works) resting.delete(row.seq);
    for (const [seq, until] of applied.resting) resting.set(seq, until);
    const written = dueFolds(counts, folds);
    if (!isEmpty(written)) await writeFolds(client, written);
    for (const key of Object.keys(written)) delete counts[key];
    const cursor = await moveCursor(client, found, groups, counts);
    known.wrote({ ...found, id: cursor }, works, applied.counted);
    if (applied.heavy.length > 0) engine.onHeavy(applied.heavy);
    const queued = behind.length > 0 || applied.left === 'some' ? 'some' : 'none';
    const calls = works.reduce((sum, { ready }) => sum + ready.length, behind.length);
    return { written: { ...applied, left: queued }, again: lookAgain(calls, groups.length, left, applied) };
  }

  /** Looks again soon: what was just written may have started a timer, and the next look learns when it is due. */
  function lookAgain(calls: number, groups: number, left: Batch['left'], { changed, messages }: Written): LookAgain {
    if (calls >= MANY && left === 'none') {
      return { restMs: REST_MS[calls >= groups * TOGETHER ? 'near_peak' : 'below'] };
    }
    if (calls > 0 || left === 'some') return 'now';
    // A timer that is due by its row but not by the rules must not keep the loop busy.
    return { inMs: changed.length + messages > 0 ? 0 : OTHERS_MS };
  }

  return {
    ...createWorker(engine, LOCKS.apply, apply),
    hurry() {
      folds = 'now';
    },
  };
}

function isEmpty(folds: Folds): boolean {
  return Object.keys(folds).length === 0;
}

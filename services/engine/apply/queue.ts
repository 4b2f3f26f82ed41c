import type { PoolClient } from 'pg';
import { LOCKS } from '../../store/lock.ts';
import { awaitAccepts, lockSources, readCursor, readSources, touchSources } from '../../store/statements/apply.ts';
import { writeFolds } from '../../store/statements/log.ts';
import { type QueuedAction, readQueued, readTurns, TURN_ACTIONS, takeQueued } from '../../store/statements/queue.ts';
import { loadAsked } from './asked.ts';
import { loadPolicies, type Work, withFolds } from './decided.ts';
import { LIMITS } from './limits.ts';
import { QUEUED_MOST, readyOf } from './ready.ts';
import { type ApplyOn, type ApplyWorker, createWorker, type Done } from './worker.ts';
import { type ApplyTurn, applyWorks, createMessageBudget } from './works.ts';

/** How many accounts get a turn in one transaction. */
const TURN_ACCOUNTS = 3;

/** How long to wait for the journal, in milliseconds. */
const BEHIND_MS = 5;

/** Applies what would hold others up, and what people do. */
export interface QueueWorker extends ApplyWorker {
  /** Timers of these sources are due and open heavy incidents. */
  takeHeavy(sourceSeqs: readonly number[]): void;
}

/**
 * Applies what is queued, account by account, while the journal goes on beside it (journal.ts): queued work of one
 * account waits for a few other accounts at most, and holds up nobody else.
 */
export function createQueueWorker(engine: ApplyOn): QueueWorker {
  /** The account after which the next turns start. */
  let lastTurn = '';
  const heavy = new Set<number>();

  async function readWorks(client: PoolClient): Promise<{ works: Work[]; turns: 'some' | 'none' }> {
    const turns = await readTurns(client, lastTurn, TURN_ACCOUNTS, TURN_ACTIONS);
    const accounts = new Set(turns.map(({ accountId }) => accountId));
    lastTurn = accounts.size < TURN_ACCOUNTS ? '' : turns.at(-1)!.accountId;
    const timers = [...heavy].slice(0, 1);
    for (const seq of timers) heavy.delete(seq);
    const wanted = [...new Set([...turns.map(({ sourceSeq }) => sourceSeq), ...timers])];
    const found = turns.length > 0 ? 'some' : 'none';
    if (wanted.length === 0) return { works: [], turns: found };
    // Pipelined: sent together, executed in order. The journal moves folds from the cursor to the sources meanwhile, so
    // the cursor is read first.
    const [held, now, cursor, actions, sources] = await Promise.all([
      lockSources(client, wanted),
      awaitAccepts(client),
      readCursor(client),
      readQueued(client, wanted, QUEUED_MOST),
      readSources(client, wanted),
    ]);
    const rows = sources.filter(({ seq }) => held.has(seq));
    const queued = Map.groupBy(actions, ({ sourceSeq }) => sourceSeq);
    const works = rows.map(row => {
      const { actions, peopleFirst, nextAt } = readyOf(queued.get(row.seq) ?? [], row.now);
      const upTo = Math.min(now, nextAt ?? now, cursor.oldestAt ?? now);
      return { row: withFolds(row, cursor.folds), ready: actions, peopleFirst, upTo };
    });
    // Those without anything ready are here for a timer, or for nothing.
    return { works: works.filter(({ row, ready }) => ready.length > 0 || timers.includes(row.seq)), turns: found };
  }

  async function apply(client: PoolClient, how: ApplyTurn['how']): Promise<Done> {
    const { works, turns } = await readWorks(client);
    if (works.length === 0) {
      // A source that has its turn but cannot be worked on has earlier calls in the journal.
      return { written: null, again: { inMs: turns === 'some' ? BEHIND_MS : Number.POSITIVE_INFINITY } };
    }
    const policyOf = await loadPolicies(client, works);
    const askedOf = await loadAsked(client, works);
    const settle = (decided: readonly { applied: readonly unknown[] }[]) =>
      takeQueued(
        client,
        decided.flatMap(({ applied }) => applied as readonly QueuedAction[]),
      );
    const { log, carriers, kept } = engine;
    const on = { client, log, policyOf, askedOf, carriers, kept, folds: {}, settle };
    const { messagesOfAccount } = engine.limits ?? LIMITS;
    const budget = createMessageBudget(Number.POSITIVE_INFINITY, messagesOfAccount, kept);
    const applied = await applyWorks(on, works, { budget, heaviest: Number.POSITIVE_INFINITY, how });
    if (Object.keys(on.folds).length > 0) await writeFolds(client, on.folds);
    await touchSources(
      client,
      works.map(({ row }) => row.seq),
    );
    return { written: applied, again: 'now' };
  }

  return {
    ...createWorker(engine, LOCKS.applyQueue, apply),
    takeHeavy(sourceSeqs) {
      for (const seq of sourceSeqs) heavy.add(seq);
    },
  };
}

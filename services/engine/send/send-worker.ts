import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type AfterAttempt, type Attempt, type AttemptOutcome, afterAttempt } from '../../domain/delivery.ts';
import { type Queue, type Turn, takeTurns, WAYS, type Way } from '../../domain/turns.ts';
import type { DueMessages, LookFrom } from '../../store/statements/turn.ts';
import type { Clock, Look } from '../clock.ts';
import { type LookAgain, POLL_MS, startLoop } from '../loop.ts';

/**
 * How long a worker rests between two leases while more is due, in milliseconds: a large lease costs little more than a
 * small one.
 */
const MAX_REST_MS = 10;

/**
 * The least distance between two thorough looks (store/statements/turn.ts), in milliseconds, and as a multiple of how
 * long the last one took: with many accounts they cost more than the others.
 */
const THOROUGH_EVERY_MS = POLL_MS;
const THOROUGH_APART = 10;

/** How long a stopping process waits for what it is sending, in milliseconds. */
const GRACE_MS = 10_000;

/**
 * By a time that may be older than this, in milliseconds, nothing is sent: where all processes stood still, a lease taken before
 * the next look at the clock would be over after it, and the message would go out twice. By a younger one it is sent, so that a
 * slow look holds up no alert: a lease is 15 s longer than an attempt.
 */
const STALE_MOST_MS = 10_000;

/** What a worker needs to know of the deployment's clock. */
export type KnownTime = Pick<Clock, 'believed' | 'lastLook'>;

const isTooOld = (look: Look) => look.staleMs() > STALE_MOST_MS;

/** Where nobody keeps the clock, the deployment's time is the database's. */
export const NO_CLOCK: KnownTime = { believed: () => undefined, lastLook: () => ({ staleMs: () => 0 }) };

/** A message that a worker has leased. */
export interface Leased {
  accountId: string;
  id: string;
  way: Way;
}

/** What a worker sends, and how. */
export interface SendWork<Message extends Leased> {
  /** For the log. */
  name: string;
  clock: KnownTime;
  /** How many messages are sent at once now. */
  places(): number;
  findDue(from: LookFrom): Promise<DueMessages>;
  lease(turns: readonly Turn[], found: DueMessages): Promise<Message[]>;
  /** Which attempt this is. */
  nthOf(message: Message): Attempt;
  attempt(message: Message): Promise<AttemptOutcome>;
  record(message: Message, after: AfterAttempt): Promise<void>;
}

/** Sends what is due. */
export interface SendWorker {
  /**
   * Looks now: something may be due. `dueAt`: when what was just scheduled is due, in milliseconds since 1970. It lies
   * far back if the engine was held up; a quick look that starts later would find a second step before the first.
   */
  nudge(dueAt?: number): void;
  /** Resolves when nothing is due and nothing is being sent, with whether anything was. */
  drain(): Promise<'worked' | 'idle'>;
  /** Leases nothing more and waits for what is being sent, for GRACE_MS at most. */
  close(): Promise<void>;
}

/**
 * Starts a worker: it leases what is due, sends it outside any transaction, records the result, and retries. Accounts
 * take turns (domain/turns.ts): however much one has due and however long its messages hang, the others get places. If
 * a worker dies, its leases run out (domain/delivery.ts `leaseS`) and another worker sends again: a rare duplicate with
 * the same id is better than a message that never goes out.
 */
export function startSendWorker<Message extends Leased>(work: SendWork<Message>, log: Logger): SendWorker {
  const underWay = new Set<Promise<void>>();
  const book = createTurnBook();
  let ended = 0;
  let leftBehind: 'nothing' | 'sends' = 'nothing';
  let waiting: 'some' | 'none' = 'none';
  let from: LookFrom = 'the_beginning';
  let scheduledFrom = Number.POSITIVE_INFINITY;
  let thoroughFrom = Number.NEGATIVE_INFINITY;
  let nextLook: 'thorough' | 'as_it_comes' = 'thorough';

  async function look(): Promise<LookAgain> {
    waiting = 'some';
    if (underWay.size >= work.places()) return { inMs: Number.POSITIVE_INFINITY };
    await work.clock.believed();
    if (isTooOld(work.clock.lastLook())) return { inMs: POLL_MS };
    const found = await findDue();
    const [foundAt, endedBefore] = [performance.now(), ended];
    const mine = takeTurns(work.places() - underWay.size, found.queues, book);
    // A look that comes during the lease says nothing about the time that the lease was taken by.
    const lookBefore = work.clock.lastLook();
    const leased = mine.length === 0 ? [] : await work.lease(mine, found);
    // They are due again when their leases have run out.
    if (isTooOld(lookBefore)) return { inMs: 0 };
    for (const message of leased) start(message);
    book.keepOnly(found.queues);
    if (leased.length === found.queues.reduce((sum, { all }) => sum + all, 0)) {
      waiting = 'none';
      return { inMs: found.inMs === null ? Number.POSITIVE_INFINITY : found.inMs - (performance.now() - foundAt) };
    }
    if (leased.length > 0 || ended > endedBefore) return { restMs: MAX_REST_MS };
    // Accounts still waiting have their share under way, and the next message that ends looks again; or another worker
    // has locked what is due.
    return { inMs: mine.length === 0 ? Number.POSITIVE_INFINITY : 0 };
  }

  async function findDue(): Promise<DueMessages> {
    const began = performance.now();
    const isThorough = nextLook === 'thorough' || began >= thoroughFrom;
    nextLook = 'as_it_comes';
    if (from !== 'the_beginning') from = { ...from, since: Math.min(from.since, scheduledFrom) };
    scheduledFrom = Number.POSITIVE_INFINITY;
    const found = await work.findDue(isThorough ? 'the_beginning' : from);
    const ended = performance.now();
    if (isThorough) thoroughFrom = ended + Math.max(THOROUGH_EVERY_MS, (ended - began) * THOROUGH_APART);
    from = { since: found.since, waiting: found.queues.map(({ accountId }) => accountId) };
    return found;
  }

  function start(message: Message): void {
    book.begin(message);
    const sending = deliver(message).then(next => {
      book.end(message);
      underWay.delete(sending);
      ended++;
      // Otherwise the last look found a place for everything that was due.
      if (waiting === 'some' || next === 'again') loop.nudge();
    });
    underWay.add(sending);
  }

  /** Returns whether this worker has to try the message again. */
  async function deliver(message: Message): Promise<'again' | 'done'> {
    try {
      const outcome = await attemptSafely(message);
      // Ignore results of sends that our own shutdown aborted.
      if (leftBehind === 'sends') return 'done';
      const after = afterAttempt(outcome, work.nthOf(message));
      await work.record(message, after);
      return after.status === 'scheduled' ? 'again' : 'done';
    } catch (error) {
      // The lease runs out and the message is sent again.
      log.error({ err: error, loop: work.name, message: message.id }, 'what came of a message could not be recorded');
      return 'again';
    }
  }

  /**
   * What cannot even be prepared (such as an address sealed with another key) is tried as often as anything else, then
   * fails.
   */
  async function attemptSafely(message: Message): Promise<AttemptOutcome> {
    try {
      return await work.attempt(message);
    } catch (error) {
      log.error({ err: error, loop: work.name, message: message.id }, 'a message could not be prepared');
      return { kind: 'temporary_fault', reason: error instanceof Error ? error.message : 'could not be prepared' };
    }
  }

  const loop = startLoop(work.name, look, log);

  return {
    nudge(dueAt = Number.POSITIVE_INFINITY) {
      scheduledFrom = Math.min(scheduledFrom, dueAt);
      loop.nudge();
    },
    async drain() {
      // Messages already under way at the call count too: if one fails, another channel has work.
      const before = ended;
      nextLook = 'thorough';
      await loop.drain();
      await Promise.all(underWay);
      return ended > before ? 'worked' : 'idle';
    },
    async close() {
      await loop.close();
      if ((await endInGrace(work.name, underWay, log)) === 'left') leftBehind = 'sends';
    },
  };
}

/**
 * Waits for what is being sent, but not for a carrier that hangs: the rest is sent again once its lease has run out.
 * `name` is for the log.
 */
async function endInGrace(name: string, sends: Iterable<Promise<void>>, log: Logger): Promise<'ended' | 'left'> {
  const waited = new AbortController();
  const grace = setTimeout(GRACE_MS, 'left' as const, { signal: waited.signal }).catch(() => 'ended' as const);
  const outcome = await Promise.race([Promise.all(sends).then(() => 'ended' as const), grace]);
  waited.abort();
  if (outcome === 'left') {
    log.warn(
      { loop: name },
      'stopped before all that was being sent was recorded: the rest goes out again when its lease ends',
    );
  }
  return outcome;
}

/** Keeps how many places each way of an account holds and when it had its last turn. */
function createTurnBook() {
  const held = new Map<string, number>();
  let last = new Map<string, number>();
  let turn = 0;
  const lineOf = (accountId: string, way: Way) => `${way} ${accountId}`;

  return {
    held: (accountId: string, way: Way) => held.get(lineOf(accountId, way)) ?? 0,
    lastTurn: (accountId: string, way: Way) => last.get(lineOf(accountId, way)) ?? 0,
    begin({ accountId, way }: Leased): void {
      const line = lineOf(accountId, way);
      held.set(line, (held.get(line) ?? 0) + 1);
      last.set(line, ++turn);
    },
    end({ accountId, way }: Leased): void {
      const line = lineOf(accountId, way);
      const left = held.get(line)! - 1;
      if (left > 0) held.set(line, left);
      else held.delete(line);
    },
    /** Forgets the last turns of accounts that have nothing due. */
    keepOnly(due: readonly Queue[]): void {
      const lines = due.flatMap(({ accountId }) => WAYS.map(way => lineOf(accountId, way)));
      last = new Map(lines.flatMap(line => (last.has(line) ? [[line, last.get(line)!]] : [])));
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { Gauge } from 'prom-client';
import { LATE_AFTER_MS } from '../../domain/audit-step.ts';
import { CHANNELS } from '../../domain/delivery.ts';
import { type Seen, WATCH_FAULTS, type WatchTry, watchFaults } from '../../domain/watch.ts';
import { auditOutlook } from '../../store/statements/monitor.ts';
import { oldestUnappliedS } from '../../store/statements/unapplied.ts';
import { type LookAgain, startLoop } from '../loop.ts';
import * as metrics from '../metrics.ts';
import { beat } from './beat.ts';
import { liveDry } from './dry-life.ts';
import { claimWatch, keepWatch, readWatch, type StoredWatch } from './statements/watch.ts';

/** Between two looks, and after one that found a fault, in milliseconds: the second one says whether it lasts. */
const EVERY_MS = 20_000;
const SUSPECT_MS = 5_000;

/** A look of another process that is younger is not repeated, in milliseconds. */
const FRESH_MS = 15_000;

/** How long a look may take, and after how long without one the watchman counts as late, in milliseconds. */
const LOOK_MS = 15_000;
const LATE_MS = 90_000;

/** In which of so many looks carriers are asked, which costs each a login, and how long they may take, in milliseconds. */
const CARRIERS_EVERY = 3;
const ASK_MS = 3_000;

/** So many looks in a row have to find a fault before it is called one outside. */
const LASTS = 2;

/** Tells somebody outside that all is well, or is not. Resolves to why they could not be told; null if they were. */
export type Heartbeat = (said: 'well' | 'fail') => Promise<string | null>;

export interface WatchmanOn {
  pool: Pool;
  accepting: Pool;
  working: Pool;
  /** A group was stored. */
  onStored(): void;
  /** Asks the carriers; see channels.ts. */
  ask(limitMs: number): Promise<Record<string, { state: 'answers' | 'fails' | 'not_asked' }>>;
  clock: { state(): Seen['clock']; lastStep(): { at: number } | null };
  /** The disk of the database, in bytes; null: not known. */
  space(): { free: number; floor: number } | null;
  bus(): Seen['bus'];
  ownWay(): Promise<Seen['ownWay']>;
  senders(): Seen['senders'];
  /** Null: HEARTBEAT_URL is not set. */
  heartbeat: Heartbeat | null;
  log: Logger;
}

/** What the last look of any process saw. */
export interface Watched extends StoredWatch {
  /** `late`: none ended for 90 s; `not_yet`: none has since the start. */
  state: 'well' | 'fails' | 'late' | 'not_yet';
  /** What became of the last call of HEARTBEAT_URL by this process. `held`: something is at fault, so it is not called. */
  heartbeat: 'not_set' | 'not_yet' | 'taken' | 'held' | 'lost';
  /** Why it was lost, in words; else empty. */
  heartbeatProblem: string;
}

export interface Watchman {
  last(): Watched;
  /** Resolves when a look that started after this call is done. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/** When a process last knew of a look, by its own count of time; for the gauge below, which asks nobody. */
let knownAt: number | null = null;

new Gauge({
  name: 'tocsin_watch_age_seconds',
  help: 'How long ago the watchman of any process ended its last look, as far as this process knows; NaN: before the first.',
  collect() {
    this.set(knownAt === null ? Number.NaN : (performance.now() - knownAt) / 1000);
  },
});

/**
 * Watches that a call would alert somebody (DECISIONS.md "Watchman"): every 20 s, one process at a time, it sends an
 * empty group the way of every call, lives an alarm's life that is rolled back, and looks at what is late. Only while all
 * of that is well is HEARTBEAT_URL called. The first look comes 20 s after the start.
 */
export function startWatchman(deps: WatchmanOn): Watchman {
  const { pool, log } = deps;
  let stored: StoredWatch = { seenAt: null, faults: [], beatMs: null, dryLifeMs: null };
  let storedAt = performance.now();
  let heartbeat: Pick<Watched, 'heartbeat' | 'heartbeatProblem'> = {
    heartbeat: deps.heartbeat === null ? 'not_set' : 'not_yet',
    heartbeatProblem: '',
  };
  let mine: number | null = null;
  let inARow = 0;
  let told = '';
  let looks = 0;
  let carriers: Seen['carriers'] = [];
  let began: 'not_yet' | 'yes' = 'not_yet';
  const ending = new AbortController();

  async function look(): Promise<LookAgain> {
    // A start has enough to do, and what it has not begun yet would be called a fault.
    if (began === 'not_yet') {
      began = 'yes';
      return { inMs: EVERY_MS };
    }
    const place = await takePlace();
    if (place === 'of_another') return { inMs: EVERY_MS };
    const seen = await soon(see(place.now), LOOK_MS, NOTHING_SEEN);
    // What was given up for the end of this process is no fault.
    if (ending.signal.aborted) return { inMs: EVERY_MS };
    const faults = watchFaults(seen);
    know({ seenAt: place.now, faults, beatMs: msOf(seen.beat), dryLifeMs: msOf(seen.dryLife) }, 0);
    inARow = faults.length === 0 ? 0 : inARow + 1;
    if (place.id !== null) await keepWatch(pool, place.id, stored).catch(() => {});
    await tellOutside();
    return { inMs: faults.length > 0 && inARow < LASTS ? SUSPECT_MS : EVERY_MS };
  }

  /** Of many processes one looks. Where the database does not say whose turn it is, every one tells what it sees. */
  async function takePlace(): Promise<{ id: number | null; now: number } | 'of_another'> {
    try {
      const { now, id, ageMs, seen } = await readWatch(pool);
      const isOthers = id !== mine && ageMs !== null && ageMs >= 0 && ageMs < FRESH_MS;
      const next = (id ?? 0) + 1;
      if (isOthers || (await claimWatch(pool, next)) === 'overtaken') {
        know(seen, seen.seenAt === null ? 0 : Math.max(0, now - seen.seenAt));
        return 'of_another';
      }
      mine = next;
      return { id: next, now };
    } catch (error) {
      log.debug({ err: error }, 'the watchman cannot reach the database');
      return { id: null, now: Date.now() };
    }
  }

  async function see(now: number): Promise<Seen> {
    const step = deps.clock.lastStep();
    const [beaten, dryLife, unappliedS, overdueS, asked, ownWay] = await Promise.all([
      tried('beat', () => beat(deps)),
      tried('dry_life', () => liveDry(deps.working, log)),
      oldestUnappliedS(pool).catch(() => null),
      auditOutlook(pool, LATE_AFTER_MS / 1000, CHANNELS).then(
        ({ oldestDueS }) => oldestDueS,
        () => null,
      ),
      askCarriers(),
      deps.ownWay().catch(() => 'fails' as const),
    ]);
    return {
      beat: beaten,
      dryLife,
      unappliedS,
      overdueS,
      carriers: asked,
      disk: diskOf(deps.space()),
      clock: deps.clock.state(),
      clockSteppedS: step === null ? null : Math.max(0, now - step.at) / 1000,
      bus: deps.bus(),
      ownWay,
      senders: deps.senders(),
    };
  }

  async function tried(of: 'beat' | 'dry_life', attempt: () => Promise<number>): Promise<WatchTry> {
    try {
      const ms = await attempt();
      metrics.watchTime.observe({ of }, ms / 1000);
      return { became: 'done', ms };
    } catch (error) {
      log.warn({ err: error, of }, 'what the watchman tried did not succeed');
      return { became: 'failed' };
    }
  }

  async function askCarriers(): Promise<Seen['carriers']> {
    if (looks++ % CARRIERS_EVERY > 0 && inARow === 0) return carriers;
    const states = Object.values(await deps.ask(ASK_MS)).map(({ state }) => state);
    carriers = states.filter(state => state !== 'not_asked');
    return carriers;
  }

  function know(seen: StoredWatch, agoMs: number): void {
    stored = seen;
    storedAt = performance.now() - agoMs;
    if (seen.seenAt !== null) knownAt = storedAt;
    for (const fault of WATCH_FAULTS) metrics.watchFaults.set({ fault }, seen.faults.includes(fault) ? 1 : 0);
    const now = seen.faults.join(', ');
    if (now === told) return;
    told = now;
    if (now === '') log.info('the watchman finds all well again');
    else log.error({ faults: seen.faults }, 'the watchman finds that a call might alert nobody');
  }

  async function tellOutside(): Promise<void> {
    if (deps.heartbeat === null) return;
    const said = inARow === 0 ? 'well' : 'fail';
    // What passes by itself would wake somebody for nothing; until the next look nothing is said.
    if (said === 'fail' && inARow < LASTS) return;
    const problem = await deps.heartbeat(said);
    metrics.heartbeats.inc({ said, became: problem === null ? 'taken' : 'lost' });
    if (problem !== null && heartbeat.heartbeatProblem !== problem) {
      log.warn({ problem }, 'HEARTBEAT_URL was called in vain');
    }
    const became = said === 'fail' ? 'held' : 'taken';
    heartbeat = { heartbeat: problem === null ? became : 'lost', heartbeatProblem: problem ?? '' };
  }

  function stateNow(): Watched['state'] {
    if (performance.now() - storedAt > LATE_MS) return 'late';
    if (stored.seenAt === null) return 'not_yet';
    return stored.faults.length === 0 ? 'well' : 'fails';
  }

  async function soon<T>(answer: Promise<T>, withinMs: number, instead: T): Promise<T> {
    const given = new AbortController();
    const late = sleep(withinMs, instead, { signal: AbortSignal.any([given.signal, ending.signal]) });
    return Promise.race([answer, late.catch(() => instead)]).finally(() => given.abort());
  }

  const loop = startLoop('watchman', look, log, EVERY_MS);
  return {
    last: () => ({ ...stored, ...heartbeat, state: stateNow() }),
    look: loop.drain,
    close() {
      ending.abort();
      return loop.close();
    },
  };
}

/** What a look that never ended saw. */
const NOTHING_SEEN: Seen = {
  beat: { became: 'failed' },
  dryLife: { became: 'failed' },
  unappliedS: null,
  overdueS: null,
  carriers: [],
  disk: 'not_known',
  clock: 'kept',
  clockSteppedS: null,
  bus: 'not_used',
  ownWay: 'not_here',
  senders: 'heard',
};

function diskOf(space: { free: number; floor: number } | null): Seen['disk'] {
  if (space === null) return 'not_known';
  return space.free > space.floor ? 'roomy' : 'low';
}

function msOf(tried: WatchTry): number | null {
  return tried.became === 'done' ? tried.ms : null;
}

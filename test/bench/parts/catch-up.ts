import type { Pool } from 'pg';
import { LOCKS } from '../../../services/store/lock.ts';
import { lastGroup, untilApplied, untilAppliedTo } from '../actions.ts';
import type { Bench } from '../bench.ts';
import { startTocsin } from '../contenders/tocsin.ts';
import { type PacedAnswers, runPaced } from '../load/paced-run.ts';
import { newSecrets } from '../machine/product.ts';
import type { Times } from './half.ts';
import { openLedger } from './ledger.ts';

/** What happens once a dead engine works again, and a day of calls waits. */
export interface CatchUp {
  /** Calls that waited. */
  waiting: number;
  /** How many of them were applied in a second. */
  perSecond: number;
  /** From the request to the 202 of even calls: with nothing to catch up, and meanwhile. */
  before: Times;
  meanwhile: Times;
}

const ALARMS = 200;

/** The even calls a second beside it, and for how long each time they come, in seconds. */
const BESIDE = 100;
const PIECE_S = 5;

/** How long the peak is put on in one go while calls gather, in seconds. */
const GATHER_S = 10;

/** Lets so many calls wait, and measures how they are applied. */
export async function measureCatchUp(bench: Bench, waiting: number): Promise<CatchUp> {
  const { target, pool, requests, contenders } = await startTocsin(bench, newSecrets(), ALARMS);
  const [load] = contenders;
  bench.progress('calls before a backlog');
  await load!.load(PIECE_S);
  await untilApplied(pool);
  const ledger = await openLedger(bench, { title: 'Backlog', url: target.url, pool });
  const answers = { accepted: 0, refused: 0, broken: 0 };
  let loads = 0;
  const count = <Loaded extends typeof answers>(loaded: Loaded): Loaded => {
    for (const field of ['accepted', 'refused', 'broken'] as const) answers[field] += loaded[field];
    return loaded;
  };
  const beside = async () => {
    const pace = { url: target.url, requests, connections: bench.connections, perSecond: BESIDE, seconds: PIECE_S };
    return count(await runPaced(pace));
  };
  const before = await beside();

  const letGo = await stopApplying(pool);
  while (answers.accepted < waiting) {
    bench.progress('letting calls wait', `${answers.accepted} of ${waiting}`);
    count(await load!.load(GATHER_S));
    loads++;
  }
  const gathered = answers.accepted - before.accepted;
  bench.progress(`applying ${gathered} calls`);
  const last = await lastGroup(pool);
  await letGo();
  const began = performance.now();
  let state: 'catching up' | 'done' = 'catching up';
  const caughtUp = untilAppliedTo(pool, last).then(() => {
    state = 'done';
    return (performance.now() - began) / 1_000;
  });
  const pieces: PacedAnswers[] = [];
  while (state === 'catching up') pieces.push(await beside());
  const seconds = await caughtUp;
  await ledger.settle();
  await ledger.close(answers, bench.connections * loads);
  return {
    waiting: gathered,
    perSecond: gathered / seconds,
    before: { p50: before.p50, p99: before.p99 },
    meanwhile: {
      p50: Math.max(...pieces.map(({ p50 }) => p50)),
      p99: Math.max(...pieces.map(({ p99 }) => p99)),
    },
  };
}

/** As if the engine were dead: accepting goes on. Returns what lets it work again. */
async function stopApplying(pool: Pool): Promise<() => Promise<void>> {
  const session = await pool.connect();
  const locks = [LOCKS.apply, LOCKS.applyQueue];
  for (const lock of locks) await session.query('SELECT pg_advisory_lock($1)', [lock]);
  return async () => {
    for (const lock of locks) await session.query('SELECT pg_advisory_unlock($1)', [lock]);
    session.release();
  };
}

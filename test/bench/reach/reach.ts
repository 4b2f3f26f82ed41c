import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { eventually } from '../../support/wait.ts';
import { percentile } from '../numbers.ts';
import type { BenchCarrier } from './carrier.ts';
import type { BenchAlarm, ReachSeed } from './seed.ts';

/** How long it takes to reach people. Times in milliseconds. */
export interface Reach {
  /** From the 202 to the carrier, of triggers that come one by one on different sources. */
  perSecond: number;
  toCarrier: Spread;
  /** How late windows ended and how late second steps were picked up. */
  windowsLate: Spread;
  stepsLate: Spread;
  /** How many messages were due at once, how long they took, and new incidents meanwhile: from the 202 to the carrier. */
  backlog: { messages: number; tookS: number; newIncidents: Spread };
}

export interface Spread {
  count: number;
  p50: number;
  p95: number;
  p99: number;
  most: number;
}

export interface ReachOn {
  pool: Pool;
  url: string;
  seed: ReachSeed;
  carrier: BenchCarrier;
  perSecond: number;
}

/** Measures with nothing else going on. Throws when a message that was due never came. */
export async function measureReach(on: ReachOn, progress: (what: string) => void): Promise<Reach> {
  progress('warming up the way to the carrier');
  await triggerAll(on, on.seed.plain.splice(0, on.perSecond));
  progress(`${on.perSecond} triggers a second on different alarms`);
  const toCarrier = await triggerAll(on, on.seed.plain.splice(0, on.perSecond * 8));
  progress('windows and second steps');
  await triggerAll(on, on.seed.windowed, 50);
  await triggerAll(on, on.seed.stepped, 50);
  await sleep(4_000);
  const windowsLate = await lateness(
    on.pool,
    `SELECT extract(epoch FROM applied_at - opened_at)::float8 * 1000 AS ms FROM incident WHERE window_ended_at IS NOT NULL`,
  );
  const stepsLate = await lateness(
    on.pool,
    `SELECT extract(epoch FROM first_attempt_at - planned_at)::float8 * 1000 AS ms FROM delivery
     WHERE step = 1 AND first_attempt_at IS NOT NULL`,
  );
  return { perSecond: on.perSecond, toCarrier, windowsLate, stepsLate, backlog: await measureBacklog(on, progress) };
}

/** Everything that is an hour away comes due in one moment; then incidents open, one every 250 ms. */
async function measureBacklog(on: ReachOn, progress: (what: string) => void): Promise<Reach['backlog']> {
  progress('making a backlog');
  for (const { id } of on.seed.crowded) await trigger(on, id);
  const waiting = "FROM delivery WHERE status IN ('scheduled', 'sending')";
  await eventually(async () => (await count(on.pool, `SELECT count(*)::int AS n ${waiting}`)) >= 10_000 && 'planned', {
    what: 'the backlog to be planned',
    within: 30_000,
  });
  const messages = await count(on.pool, `SELECT count(*)::int AS n ${waiting}`);
  const began = performance.now();
  await on.pool.query(
    "UPDATE delivery SET due_at = tocsin_now(), planned_at = tocsin_now() WHERE status = 'scheduled'",
  );
  progress(`${messages} messages are due at once, and new incidents open`);
  const newIncidents = await triggerAll(on, on.seed.plain.splice(0, 40), 4);
  await eventually(async () => (await count(on.pool, `SELECT count(*)::int AS n ${waiting}`)) === 0 && 'sent', {
    what: 'the backlog to be sent',
    within: 120_000,
  });
  return { messages, tookS: (performance.now() - began) / 1_000, newIncidents };
}

/** Triggers alarms at an even pace, waiting for nobody, and gives from the 202 to the carrier. */
async function triggerAll(on: ReachOn, alarms: readonly BenchAlarm[], perSecond = on.perSecond): Promise<Spread> {
  const began = performance.now();
  const answered = await Promise.all(
    alarms.map(async ({ id, n }, index) => {
      await sleep(Math.max(0, began + (index * 1_000) / perSecond - performance.now()));
      await trigger(on, id);
      return { n, at: performance.now() };
    }),
  );
  const came = await Promise.all(
    answered.map(({ n, at }) =>
      eventually(() => on.carrier.cameAt(n) ?? false, { what: `the text about alarm ${n}`, within: 60_000 }).then(
        // It may have come before its 202 was read here.
        cameAt => Math.max(0, cameAt - at),
      ),
    ),
  );
  return spread(came);
}

async function trigger({ url, seed }: ReachOn, alarmId: string): Promise<void> {
  const response = await fetch(`${url}/v1/alarm/${alarmId}/trigger/away`, { headers: { 'x-api-key': seed.apiKey } });
  await response.arrayBuffer();
  if (response.status !== 202) throw new Error(`A trigger was answered ${response.status}.`);
}

async function lateness(pool: Pool, sql: string): Promise<Spread> {
  const { rows } = await pool.query<{ ms: number }>(sql);
  return spread(rows.map(({ ms }) => ms));
}

async function count(pool: Pool, sql: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(sql);
  return rows[0]!.n;
}

function spread(times: number[]): Spread {
  if (times.length === 0) throw new Error('Nothing was measured.');
  const at = (share: number) => percentile(times, share);
  return { count: times.length, p50: at(0.5), p95: at(0.95), p99: at(0.99), most: Math.max(...times) };
}

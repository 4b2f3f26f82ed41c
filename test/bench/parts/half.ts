import { measureApplied, untilApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import type { Standalone } from '../contenders/tocsin.ts';
import { runPaced } from '../load/paced-run.ts';
import type { Secrets } from '../machine/product.ts';
import { percentile } from '../numbers.ts';
import { oneSocketEach } from '../realtime/one-socket-each.ts';
import { seedAccounts } from '../realtime/seed.ts';
import { openLedger } from './ledger.ts';

/** Two percentiles, in milliseconds. */
export interface Times {
  p50: number;
  p99: number;
}

/** How long callers and others wait while the product has half of what it can take to do. */
export interface Half {
  perSecond: number;
  seconds: number;
  /** From the request to the 202. */
  answered: Times;
  /** From accepted to applied, by the log of calls. */
  applied: Times;
  /** From the 202 to the signal at the socket of another account, of so many changes. */
  signalled: Times & { signals: number };
  /** Calls of the load that were never asked, since all its connections were busy. */
  unsent: number;
  /** How late the load itself was. */
  generatorLateP99: number;
}

/** Beside the load, so many accounts with a socket each, of which one changes every so often. */
const LISTENERS = 50;
const CHANGE_EVERY_MS = 20;

const WARM_UP_S = 3;

/** Measures the waits at an even pace. */
export async function measureHalf(
  bench: Bench,
  { target, pool, databaseUrl, requests }: Standalone,
  { pepper }: Secrets,
  { perSecond, seconds }: { perSecond: number; seconds: number },
): Promise<Half> {
  bench.progress(`half of the peak: ${perSecond} calls a second`);
  const accounts = await seedAccounts(databaseUrl, pepper, LISTENERS);
  const pace = { url: target.url, requests, connections: bench.connections, perSecond };
  const listen = (forS: number) =>
    oneSocketEach(target.url, accounts, { calls: (forS * 1_000) / CHANGE_EVERY_MS, everyMs: CHANGE_EVERY_MS });
  await Promise.all([runPaced({ ...pace, seconds: WARM_UP_S }), listen(WARM_UP_S)]);
  await untilApplied(pool);

  const ledger = await openLedger(bench, { title: 'Half of the peak', url: target.url, pool });
  const [paced, signals] = await Promise.all([runPaced({ ...pace, seconds }), listen(seconds)]);
  await ledger.settle();
  const accepted = paced.accepted + signals.length;
  await ledger.close({ ...paced, accepted }, 0);
  const { p50, p99 } = await measureApplied(pool, ledger.mark);
  return {
    perSecond,
    seconds,
    answered: { p50: paced.p50, p99: paced.p99 },
    applied: { p50, p99 },
    signalled: { p50: percentile(signals, 0.5), p99: percentile(signals, 0.99), signals: signals.length },
    unsent: paced.unsent,
    generatorLateP99: paced.lateP99,
  };
}

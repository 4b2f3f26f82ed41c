import { setTimeout as sleep } from 'node:timers/promises';
import { measureApplied, untilApplied } from '../actions.ts';
import type { Bench } from '../bench.ts';
import { startTocsin } from '../contenders/tocsin.ts';
import { runPaced } from '../load/paced-run.ts';
import { newSecrets } from '../machine/product.ts';
import { memoryOf, sharedMemoryOf } from '../machine/usage.ts';
import { median } from '../numbers.ts';
import { peakOf } from '../report/peaks.ts';
import type { Times } from './half.ts';
import { openLedger } from './ledger.ts';
import { measurePeaks } from './peaks.ts';

/** Half of what the product can take, for long. */
export interface Endurance {
  perSecond: number;
  minutes: number;
  answered: Times;
  applied: Times;
  unsent: number;
  /** Resident bytes, every few seconds: of the product in one process, and of Postgres. */
  samples: { product: number; postgres: number | null }[];
  /** The middle of the product's samples in the second fifth of the time and in the last, in bytes. */
  warm: number;
  last: number;
}

const ALARMS = 200;
const SAMPLES = 120;

/** Measures whether memory grows once everything is warm. */
export async function measureEndurance(bench: Bench, minutes: number): Promise<Endurance> {
  const { target, pool, requests, contenders } = await startTocsin(bench, newSecrets(), ALARMS);
  const peaks = await measurePeaks({ ...bench, rounds: 3 }, contenders.slice(0, 1));
  const perSecond = Math.round(peakOf(peaks.spread)!.perSecond / 2);
  await untilApplied(pool);

  const seconds = minutes * 60;
  bench.progress(`${minutes} minutes at half of the peak, ${perSecond} calls a second`);
  const ledger = await openLedger(bench, { title: 'Half of the peak for long', url: target.url, pool });
  const load = runPaced({ url: target.url, requests, connections: bench.connections, perSecond, seconds });
  const samples: Endurance['samples'] = [];
  const sampling = (async () => {
    for (let n = 0; n < SAMPLES; n += 1) {
      await sleep((seconds * 1_000) / SAMPLES);
      samples.push({ product: await memoryOf(target.pid), postgres: await sharedMemoryOf(bench.postgres.pid) });
    }
  })();
  const [paced] = await Promise.all([load, sampling]);
  await ledger.settle();
  await ledger.close(paced, 0);
  const { p50, p99 } = await measureApplied(pool, ledger.mark);
  const fifth = (nth: number) => {
    const some = samples.slice((SAMPLES / 5) * nth, (SAMPLES / 5) * (nth + 1));
    return median(some.map(({ product }) => product));
  };
  return {
    perSecond,
    minutes,
    answered: { p50: paced.p50, p99: paced.p99 },
    applied: { p50, p99 },
    unsent: paced.unsent,
    samples,
    warm: fifth(1),
    last: fifth(4),
  };
}

import type { Bench } from '../bench.ts';
import type { Contender } from '../contenders/contender.ts';
import { measureRound, type Round } from './round.ts';

/** The rounds of each contender, in the order of the table. */
export type Peaks<Name extends string> = Partial<Record<Name, { title: string; rounds: Round[] }>>;

/** Long enough for what is hot to be compiled, in seconds. */
const WARM_UP_S = 2;

/** Measures what each contender takes at most, in turns, so that noise hits all alike. */
export async function measurePeaks<Name extends string>(
  bench: Bench,
  contenders: readonly Contender<Name>[],
): Promise<Peaks<Name>> {
  const peaks: Peaks<Name> = {};
  for (const contender of contenders) {
    bench.progress(`warming up: ${contender.title}`);
    await measureRound(bench, contender, WARM_UP_S);
    peaks[contender.name] = { title: contender.title, rounds: [] };
  }
  for (let round = 1; round <= bench.rounds; round += 1) {
    for (const contender of contenders) {
      bench.progress(`round ${round} of ${bench.rounds}: ${contender.title}`);
      peaks[contender.name]!.rounds.push(await measureRound(bench, contender, bench.seconds));
    }
  }
  return peaks;
}

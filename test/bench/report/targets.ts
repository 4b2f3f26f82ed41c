import { rounded } from '../numbers.ts';

/** How far the rounds of a figure lie apart. */
export interface Spread {
  least: number;
  most: number;
}

/** A figure that is to be at least, or at most, so much. `of`: the least and the most of its rounds, where it has some. */
export type Target = { name: string; got: number | null; of?: Spread | null } & (
  | { atLeast: number }
  | { atMost: number }
);

type Verdict = 'met' | 'missed' | 'not measured';

/** Judges a target; a part that was left out or could not be had is no miss. */
function verdictOf(target: Target): Verdict {
  if (target.got === null || Number.isNaN(target.got)) return 'not measured';
  const isMet = 'atLeast' in target ? target.got >= target.atLeast : target.got <= target.atMost;
  return isMet ? 'met' : 'missed';
}

/** The lines for people, one for each target. */
export function targetLines(targets: readonly Target[]): string[] {
  return targets.map(target => {
    const wanted = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
    const got = target.got === null ? '-' : target.got.toFixed(2);
    const of = target.of == null ? '' : `   ${target.of.least.toFixed(2)} to ${target.of.most.toFixed(2)}`;
    return `${verdictOf(target).padEnd(14)}${target.name.padEnd(60)}${got.padStart(10)}   ${wanted.padEnd(14)}${of}`.trimEnd();
  });
}

/** The same for machines. */
export function targetsJson(targets: readonly Target[]) {
  return targets.map(target => ({
    ...target,
    got: rounded(target.got, 3),
    ...(target.of && { of: { least: rounded(target.of.least, 3), most: rounded(target.of.most, 3) } }),
    verdict: verdictOf(target),
  }));
}

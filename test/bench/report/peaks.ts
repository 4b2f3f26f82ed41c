import { median, rounded } from '../numbers.ts';
import type { Peaks } from '../parts/peaks.ts';
import type { Round } from '../parts/round.ts';
import { table } from './table.ts';
import type { Spread } from './targets.ts';

/** The medians of a contender's rounds. Times in milliseconds unless said otherwise, null where there is no such thing. */
export interface Peak {
  perSecond: number;
  slowest: number;
  fastest: number;
  p50: number | null;
  p99: number | null;
  /** Microseconds of processor time per call: of its own processes, of Postgres, and of each by name. */
  cpuUs: { own: number | null; postgres: number | null; each: Record<string, number | null> };
  walBytes: number | null;
  /** The most of any round, in bytes, by process. */
  memory: Record<string, number | null>;
  appliedAfter: number | null;
  accepted: number;
}

/** Sums up the rounds of a contender; null where it was not measured. */
export function peakOf(measured: { rounds: readonly Round[] } | undefined): Peak | null {
  if (measured === undefined) return null;
  const { rounds } = measured;
  const first = rounds[0]!;
  const speeds = rounds.map(({ perSecond }) => perSecond);
  const middle = (figure: (round: Round) => number | null | undefined) => known(rounds.map(figure), median);
  const each = Object.keys(first.cpu.each).map(name => [name, middle(({ cpu }) => cpu.each[name])]);
  const memory = Object.keys(first.memory).map(name => [
    name,
    known(
      rounds.map(round => round.memory[name]),
      figures => Math.max(...figures),
    ),
  ]);
  return {
    perSecond: median(speeds),
    slowest: Math.min(...speeds),
    fastest: Math.max(...speeds),
    p50: middle(({ p50 }) => p50),
    p99: middle(({ p99 }) => p99),
    cpuUs: {
      own: middle(({ cpu }) => cpu.own),
      postgres: middle(({ cpu }) => cpu.postgres),
      each: Object.fromEntries(each),
    },
    walBytes: middle(({ walBytes }) => walBytes),
    memory: Object.fromEntries(memory),
    appliedAfter: middle(({ appliedAfter }) => appliedAfter),
    accepted: rounds.reduce((sum, { accepted }) => sum + accepted, 0),
  };
}

/**
 * Compares two contenders round by round, because noise hits those of one round alike: the middle of the ratios of their calls per
 * second, the least and the most. Null where one was not measured.
 */
export function ratioOf(
  one: { rounds: readonly Round[] } | undefined,
  other: { rounds: readonly Round[] } | undefined,
): (Spread & { middle: number }) | null {
  if (one === undefined || other === undefined) return null;
  const speeds = ({ rounds }: { rounds: readonly Round[] }) => rounds.map(({ perSecond }) => perSecond);
  return ratioOfEach(speeds(one), speeds(other));
}

/** The same of figures, one for each round. */
export function ratioOfEach(one: readonly number[], other: readonly number[]): Spread & { middle: number } {
  const ratios = one.map((figure, round) => figure / other[round]!);
  return { middle: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) };
}

/** The table for people. */
export function peaksTable(peaks: Peaks<string>): string[] {
  const head = ['', 'calls/s', 'of rounds', 'p50 ms', 'p99 ms', 'own µs', 'PG µs', 'WAL B', 'applied ms', 'memory MB'];
  const rows = Object.values(peaks).map(measured => {
    const peak = peakOf(measured)!;
    return [
      measured!.title,
      rounded(peak.perSecond),
      `${rounded(peak.slowest)}-${rounded(peak.fastest)}`,
      rounded(peak.p50, 1),
      rounded(peak.p99, 1),
      rounded(peak.cpuUs.own, 1),
      rounded(peak.cpuUs.postgres, 1),
      rounded(peak.walBytes),
      rounded(peak.appliedAfter),
      Object.entries(peak.memory)
        .map(([process, bytes]) => `${process} ${bytes === null ? '-' : rounded(bytes / 1e6)}`)
        .join(', '),
    ];
  });
  return table(head, rows);
}

/** The same for machines. */
export function peaksJson(peaks: Peaks<string>) {
  const shown = Object.entries(peaks).map(([name, measured]) => {
    const peak = peakOf(measured)!;
    return [
      name,
      {
        perSecond: rounded(peak.perSecond),
        slowest: rounded(peak.slowest),
        fastest: rounded(peak.fastest),
        p50Ms: rounded(peak.p50, 2),
        p99Ms: rounded(peak.p99, 2),
        cpuUs: {
          own: rounded(peak.cpuUs.own, 1),
          postgres: rounded(peak.cpuUs.postgres, 1),
          each: valuesRounded(peak.cpuUs.each, 1),
        },
        walBytes: rounded(peak.walBytes),
        memoryBytes: peak.memory,
        appliedAfterMs: rounded(peak.appliedAfter),
        accepted: peak.accepted,
      },
    ];
  });
  return Object.fromEntries(shown);
}

/** Null where a round could not tell. */
function known(
  figures: readonly (number | null | undefined)[],
  sumUp: (figures: readonly number[]) => number,
): number | null {
  const told = figures.filter(figure => figure !== null && figure !== undefined);
  return told.length === figures.length ? sumUp(told) : null;
}

function valuesRounded(figures: Record<string, number | null>, decimals: number) {
  return Object.fromEntries(Object.entries(figures).map(([name, figure]) => [name, rounded(figure, decimals)]));
}

import type { Report } from '../command.ts';
import { median, rounded } from '../numbers.ts';
import type { CatchUp } from '../parts/catch-up.ts';
import type { Endurance } from '../parts/endurance.ts';
import type { Peaks } from '../parts/peaks.ts';
import type { Minute, Snapshot } from '../parts/snapshot.ts';
import { type Peak, peakOf, peaksJson, peaksTable } from './peaks.ts';
import { table } from './table.ts';
import type { Target } from './targets.ts';

/** The databases that growth is measured on. */
export type FilledName = 'few' | 'many_alarms' | 'long_log';

/** What `npm run bench:long` measured; null: that part was left out. */
export interface LongMeasured {
  /** Resident bytes of the product in one process, without Postgres. */
  idleMemory: number | null;
  growth: Peaks<FilledName>;
  snapshot: Snapshot | null;
  catchUp: CatchUp | null;
  endurance: Endurance | null;
}

/** Puts it into words. */
export function longReport({ idleMemory, growth, snapshot, catchUp, endurance }: LongMeasured): Report {
  return {
    lines: [
      ...(idleMemory === null ? [] : ['', `Idle memory in one process: ${rounded(idleMemory / 1e6)} MB.`]),
      ...(Object.keys(growth).length === 0 ? [] : ['', ...peaksTable(growth)]),
      ...(snapshot === null ? [] : ['', ...snapshotTable(snapshot)]),
      ...(catchUp === null ? [] : ['', ...catchUpLines(catchUp)]),
      ...(endurance === null ? [] : ['', ...enduranceLines(endurance)]),
    ].slice(1),
    json: {
      idleMemoryBytes: idleMemory,
      growth: peaksJson(growth),
      snapshot,
      catchUp,
      endurance: endurance && enduranceJson(endurance),
    },
    targets: [
      ...growthTargets(growth, 'many_alarms', 'many alarms / few'),
      ...growthTargets(growth, 'long_log', 'a long log / an empty one'),
      {
        name: '202 to applied p99, snapshot held open / none, second half of the minutes',
        got: snapshot === null ? null : lateP99(snapshot.with) / lateP99(snapshot.without),
        atMost: 1.5,
      },
      { name: 'Calls of a backlog applied in a second', got: catchUp?.perSecond ?? null, atLeast: 10_000 },
      {
        name: '202 p99, while a backlog is applied / before it',
        got: catchUp === null ? null : catchUp.meanwhile.p99 / catchUp.before.p99,
        atMost: 2,
      },
      {
        name: 'Growth of memory at half of the peak, once warm, %',
        got: endurance === null ? null : (endurance.last / endurance.warm - 1) * 100,
        atMost: 5,
      },
      { name: 'Idle memory in one process, MB', got: idleMemory === null ? null : idleMemory / 1e6, atMost: 170 },
    ],
  };
}

/** What a call costs, in time and in processor time, against what it cost where there was little. */
function growthTargets(growth: Peaks<FilledName>, name: FilledName, what: string): Target[] {
  const [few, full] = [peakOf(growth.few), peakOf(growth[name])];
  const ratio = (cost: (peak: Peak) => number | null) => {
    const [before, after] = [few && cost(few), full && cost(full)];
    return before === null || after === null ? null : after / before;
  };
  const processors = ({ cpuUs: { own, postgres } }: Peak) =>
    own !== null && postgres !== null ? own + postgres : null;
  return [
    { name: `Time per call at the peak, ${what}`, got: ratio(({ perSecond }) => 1 / perSecond), atMost: 1.15 },
    { name: `Processor time per call, ${what}`, got: ratio(processors), atMost: 1.15 },
  ];
}

/** A snapshot does its harm with time: only the second half of the minutes shows it. */
function lateP99(minutes: readonly Minute[]): number {
  return median(minutes.slice(Math.floor(minutes.length / 2)).map(({ applied }) => applied.p99));
}

function snapshotTable(snapshot: Snapshot): string[] {
  const row = (minute: Minute | undefined) =>
    minute === undefined
      ? [null, null, null, null]
      : [
          rounded(minute.answered.p99, 1),
          rounded(minute.applied.p50, 1),
          rounded(minute.applied.p99, 1),
          minute.unsent,
        ];
  const head = ['202 p99 ms', 'applied p50', 'applied p99', 'unsent'];
  return [
    `${snapshot.perSecond} calls/s with a snapshot held open (left) and without (right):`,
    ...table(
      ['Minute', ...head, ...head],
      snapshot.with.map((held, n) => [n + 1, ...row(held), ...row(snapshot.without[n])]),
    ),
  ];
}

function catchUpLines({ waiting, perSecond, before, meanwhile }: CatchUp): string[] {
  return [
    `${waiting} calls that waited: ${rounded(perSecond)} applied in a second. The 202 beside them p50 ${rounded(meanwhile.p50, 1)} ms, ` +
      `p99 ${rounded(meanwhile.p99, 1)} ms; before p50 ${rounded(before.p50, 1)} ms, p99 ${rounded(before.p99, 1)} ms.`,
  ];
}

function enduranceJson({ samples, ...rest }: Endurance) {
  const megabytes = (of: keyof Endurance['samples'][number]) =>
    samples.map(sample => rounded(sample[of] === null ? null : sample[of] / 1e6, 1));
  return { ...rest, samplesMb: { product: megabytes('product'), postgres: megabytes('postgres') } };
}

function enduranceLines({ perSecond, minutes, answered, applied, unsent, warm, last }: Endurance): string[] {
  return [
    `${minutes} minutes at half of the peak, ${perSecond} calls/s: 202 p50 ${rounded(answered.p50, 1)} ms, p99 ${rounded(answered.p99, 1)} ms; ` +
      `202 to applied p50 ${rounded(applied.p50, 1)} ms, p99 ${rounded(applied.p99, 1)} ms; ${unsent} calls never asked.`,
    `Memory in one process: ${rounded(warm / 1e6)} MB once warm, ${rounded(last / 1e6)} MB at the end.`,
  ];
}

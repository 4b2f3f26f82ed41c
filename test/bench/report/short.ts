import { availableParallelism, totalmem } from 'node:os';
import type { Report } from '../command.ts';
import type { ContenderName } from '../contenders/contender.ts';
import { median, rounded } from '../numbers.ts';
import type { FileApplied } from '../parts/file.ts';
import type { Half, Times } from '../parts/half.ts';
import type { Lists } from '../parts/lists.ts';
import type { Noise } from '../parts/noise.ts';
import type { Peaks } from '../parts/peaks.ts';
import type { StateReads } from '../parts/state.ts';
import type { Reach } from '../reach/reach.ts';
import { reachJson, reachTable, reachTargets } from '../reach/report.ts';
import { peaksJson, peaksTable, ratioOf, ratioOfEach } from './peaks.ts';
import { table } from './table.ts';
import type { Target } from './targets.ts';

/** What `npm run bench` measured; null: that part was left out. */
export interface Measured {
  /** Of the machine, before anything was started. */
  noise: Noise;
  peaks: Peaks<ContenderName>;
  /** Resident bytes of the product in one process, before the first call and without Postgres. */
  idleMemory: number | null;
  half: Half | null;
  state: StateReads | null;
  reach: Reach | null;
  file: FileApplied | null;
  lists: Lists | null;
}

/** Puts it into words. */
export function shortReport(measured: Measured): Report {
  const { noise, peaks, idleMemory, half, state, reach, file, lists } = measured;
  return {
    lines: [
      ...section(noiseTable(noise)),
      ...section(Object.keys(peaks).length > 0 && peaksTable(peaks)),
      ...section(half && halfTable(half)),
      ...section(state && stateLines(state)),
      ...section(reach && reachTable(reach)),
      ...section(file && fileLines(file)),
      ...section(lists && listLines(lists)),
    ].slice(1),
    json: {
      noise: { ...noise, processors: availableParallelism(), memoryBytes: totalmem() },
      peaks: peaksJson(peaks),
      idleMemoryBytes: idleMemory,
      half,
      state,
      reach: reach && reachJson(reach),
      file,
      lists,
    },
    targets: [...peakTargets(peaks), ...otherTargets(measured), ...reachTargets(reach)],
  };
}

function peakTargets(peaks: Peaks<ContenderName>): Target[] {
  const ratio = (one: ContenderName, other: ContenderName, atLeast: number, name: string): Target => {
    const of = ratioOf(peaks[one], peaks[other]);
    return { name, got: of?.middle ?? null, of, atLeast };
  };
  return [
    ratio('spread', 'alertmanager', 0.65, 'Calls/s, 200 alarms / Alertmanager'),
    ratio('spread', 'handwritten', 4, 'Calls/s, 200 alarms / hand-written'),
    ratio('spread', 'pgbench', 1, 'Calls/s, 200 alarms / pgbench one-row INSERT'),
    ratio('gated', 'spread', 0.95, 'Calls/s, 200 gated and armed alarms / 200 alarms'),
    ratio('hot', 'spread', 1.2, 'Calls/s, one alarm / 200 alarms'),
    ratio('gatedHot', 'spread', 1.2, 'Calls/s, one gated and armed alarm / 200 alarms'),
    ratio('split', 'spread', 0.65, 'Calls/s, apart / in one process'),
  ];
}

function otherTargets({ half, state, idleMemory, file, lists }: Measured): Target[] {
  return [
    ...stateTargets(state),
    { name: '202 at half of the peak, p99 ms', got: half?.answered.p99 ?? null, atMost: 15 },
    { name: '202 to applied at half of the peak, p99 ms', got: half?.applied.p99 ?? null, atMost: 50 },
    { name: 'Idle memory in one process, MB', got: idleMemory === null ? null : idleMemory / 1e6, atMost: 170 },
    { name: 'A file of 10,000 alarms applied, s', got: file?.first ?? null, atMost: 30 },
    { name: 'The same file again, s', got: file?.again ?? null, atMost: 5 },
    { name: 'A page of 50 of 100,000 alarms, p50 ms', got: lists?.p50 ?? null, atMost: 20 },
  ];
}

function noiseTable({ stalls, syncs }: Noise): string[] {
  const row = (name: string, { p50, p99, most }: Noise['stalls']) => [
    name,
    ...[p50, p99, most].map(ms => rounded(ms, 2)),
  ];
  return table(
    [
      `The machine by itself, ${availableParallelism()} processors, ${rounded(totalmem() / 1e9)} GB`,
      'p50 ms',
      'p99 ms',
      'most ms',
    ],
    [row('A timer of 1 ms, late by', stalls), row('4 KB on the disk, confirmed after', syncs)],
  );
}

function halfTable({ perSecond, seconds, answered, applied, signalled, generatorLateP99 }: Half): string[] {
  const row = (name: string, { p50, p99 }: Times) => [name, rounded(p50, 1), rounded(p99, 1)];
  return table(
    [`At half of the peak, ${perSecond} calls/s for ${seconds} s`, 'p50 ms', 'p99 ms'],
    [
      row('From the request to the 202', answered),
      row('From the 202 to applied', applied),
      row(`From the 202 to the signal at a socket (${signalled.signals} changes of other accounts)`, signalled),
      ['The load itself, late by', null, rounded(generatorLateP99, 1)],
    ],
  );
}

function stateTargets(state: StateReads | null): Target[] {
  const unchanged = state === null ? null : ratioOfEach(state.unchanged, state.bare);
  const triggers = state === null ? null : state.triggers.beside.p99 / state.triggers.alone.p99;
  return [
    { name: 'Reads of state, nothing changed / bare', got: unchanged?.middle ?? null, of: unchanged, atLeast: 0.5 },
    { name: 'p99 of triggers, beside reads of state / without', got: triggers, atMost: 2 },
  ];
}

function stateLines({ alarms, bytes, bare, unchanged, besideTriggers, triggersPerSecond, triggers }: StateReads) {
  const { alone, beside } = triggers;
  const reads = [bare, unchanged, besideTriggers].map(rounds => rounded(median(rounds)));
  return [
    `State of ${alarms} alarms, ${bytes} bytes: ${reads[0]} reads/s by bare Fastify, ${reads[1]} where nothing changes, ${reads[2]} beside ${triggersPerSecond} triggers/s.`,
    `The 202 of those: p50 ${rounded(alone.p50, 1)} ms, p99 ${rounded(alone.p99, 1)} ms without the reads, p50 ${rounded(beside.p50, 1)} ms, p99 ${rounded(beside.p99, 1)} ms beside them.`,
  ];
}

function fileLines({ alarms, first, again, slowestMs }: FileApplied): string[] {
  const meanwhile = `slowest /livez meanwhile ${slowestMs.toFixed(0)} ms`;
  return [
    `A file of ${alarms} alarms: applied in ${first.toFixed(1)} s (${meanwhile}), again in ${again.toFixed(1)} s.`,
  ];
}

function listLines({ alarms, p50, p99 }: Lists): string[] {
  return [`A page of 50 of ${alarms} alarms: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms.`];
}

/** With an empty line in front. */
function section(lines: string[] | null | false): string[] {
  return lines ? ['', ...lines] : [];
}

import type { Applied } from './actions.ts';
import type { FileApplied } from './apply.ts';
import type { Lists } from './lists.ts';
import type { Answers } from './load.ts';

/** Everything that was measured. Calls per second are accepted ones; times in milliseconds, memory in bytes. */
export interface Measured {
  settings: { seconds: number; connections: number; rounds: number; alarms: number };
  bare: Answers[];
  handwritten: Answers[];
  product: Answers[];
  /** Of the product, before any call. */
  idleMemory: number;
  /** From the end of a round to the last of its calls applied. */
  untilApplied: number[];
  applied: Applied;
  file: FileApplied;
  lists: Lists;
  /** What is wrong with the run: then its numbers mean nothing. */
  faults: string[];
}

/** The targets of the issue: at least 1.5 times the hand-written server, under 200 MB idle. */
const RATIO = 1.5;
const IDLE_MEMORY = 200_000_000;
/** Of a page of a list, in milliseconds, with 100,000 alarms in the table. */
const LIST_PAGE_MS = 20;
/** Of a file of 10,000 alarms, in seconds: the first time, and once more. */
const FILE_S = { first: 30, again: 5 } as const;

/** The line for machines. */
export function toJson(measured: Measured): string {
  const { settings, idleMemory, applied, faults } = measured;
  const ratio = ratioToHandwritten(measured);
  const targets = {
    ratio: { wanted: RATIO, got: round(ratio, 2), verdict: ratio >= RATIO ? 'met' : 'missed' },
    idleMemoryMb: {
      wanted: IDLE_MEMORY / 1e6,
      got: round(idleMemory / 1e6, 0),
      verdict: idleMemory < IDLE_MEMORY ? 'met' : 'missed',
    },
  };
  const { lists, file } = measured;
  const applied10k = (which: 'first' | 'again') => ({
    wanted: FILE_S[which],
    got: round(file[which], 1),
    verdict: file[which] < FILE_S[which] ? 'met' : 'missed',
  });
  const listPage = {
    wanted: LIST_PAGE_MS,
    got: round(lists.p50, 1),
    verdict: lists.p50 < LIST_PAGE_MS ? 'met' : 'missed',
  };
  const servers = {
    bare: summary(measured.bare),
    handwritten: summary(measured.handwritten),
    product: summary(measured.product),
  };
  const acceptedToApplied = { p50: round(applied.p50, 1), p99: round(applied.p99, 1) };
  const lag = round(Math.max(...measured.untilApplied), 0);
  return JSON.stringify({
    settings,
    servers,
    acceptedToApplied,
    lastAppliedAfter: lag,
    targets: { ...targets, listPageMs: listPage, fileFirstS: applied10k('first'), fileAgainS: applied10k('again') },
    faults,
  });
}

/** The table for people. */
export function toTable(measured: Measured): string {
  const { settings, applied, faults } = measured;
  const base = median(measured.handwritten.map(({ perSecond }) => perSecond));
  const row = (name: string, rounds: Answers[]) => {
    const { perSecond, slowest, fastest, p50, p99 } = summary(rounds);
    const cells = [perSecond, `${slowest}-${fastest}`, (perSecond / base).toFixed(2), p50.toFixed(1), p99.toFixed(1)];
    return name.padEnd(34) + cells.map(cell => String(cell).padStart(14)).join('');
  };
  const head = ['calls/s', 'of rounds', 'x (b)', 'p50 ms', 'p99 ms'].map(cell => cell.padStart(14)).join('');
  return [
    `Medians of ${settings.rounds} rounds of ${settings.seconds} s, ${settings.connections} connections, ${settings.alarms} alarms:`,
    '',
    ' '.repeat(34) + head,
    row('(a) bare Fastify 202', measured.bare),
    row('(b) hand-written, INSERT per call', measured.handwritten),
    row('(c) Tocsin, engine running', measured.product),
    '',
    `From accepted to applied: p50 ${applied.p50.toFixed(1)} ms, p99 ${applied.p99.toFixed(1)} ms; ` +
      `after a round the last was applied within ${Math.max(...measured.untilApplied).toFixed(0)} ms.`,
    `Idle memory of (c), without Postgres: ${round(measured.idleMemory / 1e6, 0)} MB.`,
    `A file of ${measured.file.alarms} alarms: applied in ${measured.file.first.toFixed(1)} s (slowest /livez meanwhile ${measured.file.slowestMs.toFixed(0)} ms), again in ${measured.file.again.toFixed(1)} s.`,
    `A page of 50 of ${measured.lists.alarms} alarms: p50 ${measured.lists.p50.toFixed(1)} ms, p99 ${measured.lists.p99.toFixed(1)} ms.`,
    ...faults.map(fault => `FAULT: ${fault}`),
  ].join('\n');
}

function ratioToHandwritten({ product, handwritten }: Measured): number {
  const speed = (rounds: Answers[]) => median(rounds.map(({ perSecond }) => perSecond));
  return speed(product) / speed(handwritten);
}

function summary(rounds: Answers[]) {
  const speeds = rounds.map(({ perSecond }) => Math.round(perSecond));
  return {
    perSecond: Math.round(median(speeds)),
    slowest: Math.min(...speeds),
    fastest: Math.max(...speeds),
    p50: round(median(rounds.map(({ p50 }) => p50)), 2),
    p99: round(median(rounds.map(({ p99 }) => p99)), 2),
  };
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return (sorted[Math.ceil(middle) - 1]! + sorted[Math.floor(middle)]!) / 2;
}

function round(number: number, digits: number): number {
  return Number(number.toFixed(digits));
}

import { rounded } from '../numbers.ts';
import { table } from '../report/table.ts';
import type { Target } from '../report/targets.ts';
import type { Reach, Spread } from './reach.ts';

/** What is asked for, in milliseconds. */
export function reachTargets(reach: Reach | null): Target[] {
  return [
    { name: '202 to the carrier, p99 ms', got: reach?.toCarrier.p99 ?? null, atMost: 50 },
    { name: 'End of a false-alarm window, late by, p95 ms', got: reach?.windowsLate.p95 ?? null, atMost: 5 },
    { name: 'Second step, late by, p95 ms', got: reach?.stepsLate.p95 ?? null, atMost: 5 },
    {
      name: '202 to the carrier beside a backlog, most ms',
      got: reach?.backlog.newIncidents.most ?? null,
      atMost: 500,
    },
  ];
}

/** For machines. */
export function reachJson({ perSecond, toCarrier, windowsLate, stepsLate, backlog }: Reach) {
  return {
    perSecond,
    toCarrier: roundedSpread(toCarrier),
    windowsLate: roundedSpread(windowsLate),
    stepsLate: roundedSpread(stepsLate),
    backlog: { ...backlog, tookS: rounded(backlog.tookS, 1), newIncidents: roundedSpread(backlog.newIncidents) },
  };
}

/** The table for people. */
export function reachTable({ perSecond, toCarrier, windowsLate, stepsLate, backlog }: Reach): string[] {
  const row = (name: string, { count, p50, p95, p99, most }: Spread) => [
    name,
    count,
    ...[p50, p95, p99, most].map(ms => ms.toFixed(1)),
  ];
  return [
    ...table(
      ['', 'count', 'p50 ms', 'p95 ms', 'p99 ms', 'most ms'],
      [
        row(`From the 202 to the carrier, ${perSecond} triggers a second`, toCarrier),
        row('Ends of false-alarm windows, late by', windowsLate),
        row('Second steps, late by', stepsLate),
        row('From the 202 to the carrier, beside the backlog', backlog.newIncidents),
      ],
    ),
    `The backlog: ${backlog.messages} messages due at once, sent within ${backlog.tookS.toFixed(1)} s.`,
  ];
}

function roundedSpread({ count, ...times }: Spread) {
  return { count, ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, rounded(ms, 1)])) };
}

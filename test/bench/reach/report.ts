import type { Reach, Spread } from './reach.ts';

/** The targets, in milliseconds. */
const TARGETS = {
  toCarrierP99: 50,
  timersLateP95: 5,
  backlogMost: 500,
} as const;

/** The line for machines. */
export function reachJson(reach: Reach): string {
  const { toCarrier, windowsLate, stepsLate, backlog } = reach;
  const target = (wanted: number, got: number) => ({
    wanted,
    got: round(got),
    verdict: got <= wanted ? 'met' : 'missed',
  });
  return JSON.stringify({
    perSecond: reach.perSecond,
    toCarrier: rounded(toCarrier),
    windowsLate: rounded(windowsLate),
    stepsLate: rounded(stepsLate),
    backlog: { ...backlog, tookS: round(backlog.tookS), newIncidents: rounded(backlog.newIncidents) },
    targets: {
      toCarrierP99Ms: target(TARGETS.toCarrierP99, toCarrier.p99),
      windowsLateP95Ms: target(TARGETS.timersLateP95, windowsLate.p95),
      stepsLateP95Ms: target(TARGETS.timersLateP95, stepsLate.p95),
      newIncidentsMostMs: target(TARGETS.backlogMost, backlog.newIncidents.most),
    },
  });
}

/** The table for people. */
export function reachTable({ perSecond, toCarrier, windowsLate, stepsLate, backlog }: Reach): string {
  const head = ['count', 'p50 ms', 'p95 ms', 'p99 ms', 'most ms'].map(cell => cell.padStart(10)).join('');
  const row = (name: string, { count, p50, p95, p99, most }: Spread) =>
    name.padEnd(58) +
    [count, ...[p50, p95, p99, most].map(ms => ms.toFixed(1))].map(cell => String(cell).padStart(10)).join('');
  return [
    ' '.repeat(58) + head,
    row(`From the 202 to the carrier, ${perSecond} triggers a second:`, toCarrier),
    row('Ends of false-alarm windows, late by:', windowsLate),
    row('Second steps, late by:', stepsLate),
    row('From the 202 to the carrier, beside the backlog:', backlog.newIncidents),
    `The backlog: ${backlog.messages} messages due at once, sent within ${backlog.tookS.toFixed(1)} s.`,
  ].join('\n');
}

function rounded({ count, ...times }: Spread) {
  return { count, ...Object.fromEntries(Object.entries(times).map(([name, ms]) => [name, round(ms)])) };
}

function round(ms: number): number {
  return Number(ms.toFixed(1));
}

import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import type { History } from '../support/history.ts';
import { eventually } from '../support/wait.ts';
import { type PatroniCluster, startPatroniCluster } from './patroni/cluster.ts';
import { type Deployment, startDeployment } from './patroni/deployment.ts';
import { CUT, KILL, QUORUM, STANDSTILL, type Strike, SWITCHOVER } from './patroni/strikes.ts';

/*
 * Debian's Patroni: three PostgreSQL servers and three etcd, with two services and a facade apart on them and calls all the
 * time. What is measured is printed; facade/docs/clusters.md has the figures.
 */
vi.setConfig({ testTimeout: 420_000 });

const checker = historyChecker('Patroni');

const STRIKES = [SWITCHOVER, KILL, CUT, STANDSTILL, QUORUM];

/** Callers at a time, each of an alarm of its own. */
const ALARMS = 8;

/** Accepted calls before a fault, and after it. */
const CALLS = 100;

const DATABASE = 'tocsin';

test('whatever happens to its leader and to etcd: nothing accepted is lost or done twice, every timer fires once, and it comes back by itself', async () => {
  const cluster = await startPatroniCluster(DATABASE, 'guarded');
  const deployment = await startDeployment(cluster, DATABASE, { alarms: ALARMS, faults: STRIKES.length });
  for (const strike of STRIKES) {
    const { history, figures } = await suffer(cluster, deployment, strike);
    process.stdout.write(`Patroni, ${strike.what}: ${JSON.stringify(figures)}\n`);
    checker.holds(history, strike.what);
  }
  expect(deployment.said()).not.toContain('unexpected error');
});

/** Lets something happen while calls go on, and waits until all is well again. */
async function suffer(cluster: PatroniCluster, deployment: Deployment, { what, strike, undo }: Strike) {
  const { load, facade } = deployment;
  const leader = await cluster.healthy();
  deployment.begin();
  await load.more(CALLS, [facade]);
  await deployment.beginWindow();
  const struck = performance.now();
  const isBack = deployment.broken(what);
  await strike(cluster, leader, deployment);
  const lastOnes = () => load.answered.slice(-CALLS);
  await eventually(() => lastOnes().every(({ status, began }) => status === 202 && began > struck), {
    what: `calls to be taken again, after ${what}`,
    within: 60_000,
  });
  isBack();
  undo?.(cluster, leader);
  const mended = performance.now();
  await cluster.healthy();
  const healthyMs = Math.round(performance.now() - mended);
  await load.more(CALLS, [facade]);
  await deployment.press();
  await deployment.rest();
  const history = await deployment.history();
  return { history, figures: { ...figuresOf(history, struck), healthyMs } };
}

/** What the docs tell of a fault. */
function figuresOf({ calls, logged }: History, struck: number) {
  const accepted = calls.filter(({ status }) => status === 202);
  const stored = new Set(logged.map(({ traceId }) => traceId));
  const unsaid = calls.filter(({ status }) => status === 503 || status === 'unknown');
  const times = [struck, ...accepted.map(({ answered }) => answered).filter(at => at >= struck)].toSorted(
    (a, b) => a - b,
  );
  const gaps = times.slice(1).map((at, nth) => at - times[nth]!);
  return {
    accepted: accepted.length,
    lost: accepted.filter(({ traceId }) => !stored.has(traceId ?? '')).length,
    gapMs: Math.round(Math.max(...gaps)),
    notAccepted: unsaid.length,
    ofThemStored: unsaid.filter(({ traceId }) => stored.has(traceId ?? '')).length,
  };
}

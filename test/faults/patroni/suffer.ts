import type { History } from '../../support/history.ts';
import { eventually } from '../../support/wait.ts';
import type { PatroniCluster } from './cluster.ts';
import type { Deployment } from './deployment.ts';
import type { Strike } from './strikes.ts';

/** Accepted calls before a fault, and after it. */
const CALLS = 100;

/** Lets something happen while calls go on, and waits until all is well again. */
export async function suffer(cluster: PatroniCluster, deployment: Deployment, { what, strike, undo, ends }: Strike) {
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
  if (ends !== 'without a standby') await cluster.healthy();
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

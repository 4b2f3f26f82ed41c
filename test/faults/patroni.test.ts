import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { startPatroniCluster } from './patroni/cluster.ts';
import { startDeployment } from './patroni/deployment.ts';
import { CUT, KILL, QUORUM, STANDSTILL, SWITCHOVER } from './patroni/strikes.ts';
import { suffer } from './patroni/suffer.ts';

/*
 * Debian's Patroni: three PostgreSQL servers and three etcd, with two services and a facade apart on them and calls all the
 * time. What is measured is printed; facade/docs/clusters.md has the figures.
 */
vi.setConfig({ testTimeout: 420_000 });

const checker = historyChecker('Patroni');

const STRIKES = [SWITCHOVER, KILL, CUT, STANDSTILL, QUORUM];

/** Callers at a time, each of an alarm of its own. */
const ALARMS = 8;

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

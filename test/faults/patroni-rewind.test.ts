import { expect, test, vi } from 'vitest';
import { historyChecker } from '../support/history/checker.ts';
import { startPatroniCluster } from './patroni/cluster.ts';
import { startDeployment } from './patroni/deployment.ts';
import { REWIND } from './patroni/strikes.ts';
import { suffer } from './patroni/suffer.ts';

/* Debian 12's Patroni as it is, which lets a database go back behind what it confirmed. */
vi.setConfig({ testTimeout: 300_000 });

const checker = historyChecker('Patroni 3.0.2');

const DATABASE = 'tocsin';

/**
 * What is stored again comes late, and after what was called meanwhile; of what it alerted nobody remembers that they were told,
 * so they are told again.
 */
const AGAIN = [
  'order per source',
  'time of calls',
  'late timers',
  'first attempt <= 5 s',
  'said sent, not received',
] as const;

test('a database goes back behind what it confirmed: what is missing is stored again', async () => {
  const cluster = await startPatroniCluster(DATABASE, 'as Debian has it');
  const deployment = await startDeployment(cluster, DATABASE, { alarms: 8, faults: 1 });
  const { history, figures } = await suffer(cluster, deployment, REWIND);
  process.stdout.write(`Patroni 3.0.2 as Debian has it, ${REWIND.what}: ${JSON.stringify(figures)}\n`);
  checker.holds(history, REWIND.what, AGAIN);
  expect(figures.accepted).toBeGreaterThan(500);
});

import { expect, test, vi } from 'vitest';
import { historyChecker } from '../../support/history/checker.ts';
import { query } from '../embedded-rig.ts';
import { startPatroniCluster } from './cluster.ts';
import { startDeployment } from './deployment.ts';
import { REWIND } from './strikes.ts';
import { suffer } from './suffer.ts';

/*
 * Debian 12's Patroni as it is, which lets a database go back behind what it confirmed. `npm run rewind`: whether a leader that wakes
 * overwrites the key hangs on where in its round it stood still, so that no test of every commit can wait for it.
 */
vi.setConfig({ testTimeout: 480_000 });

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
  const leader = (await cluster.leader())!;
  const again = 'SELECT trace_id FROM call_log WHERE confirmed_at IS NOT NULL';
  const storedAgain = (await query(cluster.at(leader, DATABASE), again)).length;
  process.stdout.write(
    `Patroni 3.0.2 as Debian has it, ${REWIND.what}: ${JSON.stringify({ ...figures, storedAgain })}\n`,
  );
  checker.holds(history, REWIND.what, AGAIN);
  expect(figures.accepted).toBeGreaterThan(500);
  expect(storedAgain).toBeGreaterThan(100);
});

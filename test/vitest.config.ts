import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './support/longest-first.ts';
import { SECOND_TRY, secondTries } from './support/second-tries.ts';

/** What kills processes and machines, floods, drives a browser, or waits for real time limits: `npm run test:long`. */
const LONG = ['test/faults/**/*.test.ts', 'test/**/*.long.test.ts'];

/** Those of them that compare how fast something is beside a load of their own: no third process runs beside these. */
const MEASURED = [
  'test/faults/{backlog,budget,fairness,siege,snapshot}.test.ts',
  'test/scenario/{failing-backlog,fair-backlog,fair-sending}.long.test.ts',
  'test/realtime/amplify.long.test.ts',
  'test/{facade,rpc}/connections.long.test.ts',
  'test/rpc/accounts/account-shares.long.test.ts',
  'test/facade/console/{many-alarms,memory}.long.test.ts',
];

/** For what waits for databases, servers and browsers as much as it works. */
const MORE_THAN_PROCESSORS = Math.ceil(availableParallelism() * 1.5);

/**
 * Processes rather than threads: a test may crash or stop its own. The files of one process share their modules, because loading
 * the product anew costs more than most tests do.
 */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    isolate: false,
    // All processors: left to itself it keeps one free, of two that is half.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 120_000,
    retry: SECOND_TRY,
    reporters: ['default', secondTries],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'short',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...LONG],
          maxWorkers: MORE_THAN_PROCESSORS,
        },
      },
      // One after the other, where a run has files of several: they share no number of processes.
      {
        extends: true,
        test: {
          name: 'measured',
          include: MEASURED,
          isolate: true,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          name: 'long',
          include: LONG,
          exclude: [...configDefaults.exclude, ...MEASURED],
          isolate: true,
          maxWorkers: MORE_THAN_PROCESSORS,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});

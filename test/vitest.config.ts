import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Processes rather than threads: a test may crash or stop its own. Two, because every test brings real servers with it. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: 'test/support/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    reporters: ['default'],
  },
});

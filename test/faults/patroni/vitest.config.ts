import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run rewind`: lets a real cluster lose what it confirmed, and judges what the product makes of it. */
export default defineConfig({
  root: fileURLToPath(new URL('../../..', import.meta.url)),
  test: {
    include: ['test/faults/patroni/rewind.ts'],
    globalSetup: 'test/support/global-setup.ts',
    hookTimeout: 120_000,
  },
});

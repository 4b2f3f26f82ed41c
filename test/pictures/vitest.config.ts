import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** `npm run pictures`: makes the pictures of README and documentation anew, in a browser, from data that it makes up. */
export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    include: ['test/pictures/pictures.ts'],
    globalSetup: 'test/support/global-setup.ts',
    testTimeout: 300_000,
    hookTimeout: 300_000,
  },
});

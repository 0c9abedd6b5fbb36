/** The suites of `npm run test:aws`: one deployment for all of them, so one file at a time. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/aws/**/*.test.ts', 'test/contract/**/*.test.ts'],
    globalSetup: ['test/aws/globalSetup.ts'],
    setupFiles: ['test/aws/setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    passWithNoTests: false,
  },
});

/** The suite of `npm run test:container`, which needs Docker. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/aws/container/*.check.ts'],
    globalSetup: ['test/aws/container/setUp.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 60_000,
    passWithNoTests: false,
  },
});

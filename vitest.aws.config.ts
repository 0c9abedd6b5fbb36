/** The suites of `npm run test:aws`: one deployment for all of them, so one file at a time. */
import { defineConfig } from 'vitest/config';

const { AWS_ENDPOINT_URL, BASE_URL } = process.env;
/** Without a deployment to speak to, the contract suite would start a server of its own. */
const contract = AWS_ENDPOINT_URL && !BASE_URL ? [] : ['test/contract/**/*.test.ts'];

export default defineConfig({
  test: {
    include: ['test/aws/**/*.test.ts', ...contract],
    globalSetup: ['test/aws/globalSetup.ts'],
    setupFiles: ['test/aws/setup.ts'],
    fileParallelism: false,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    passWithNoTests: false,
  },
});

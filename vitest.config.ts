import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // They need an emulator or an account: `npm run test:aws`.
    exclude: ['test/aws/**'],
    maxWorkers: 2,
    testTimeout: 60_000,
    passWithNoTests: false,
    hookTimeout: 60_000,
  },
});

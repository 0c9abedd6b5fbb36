import { defineConfig } from 'vitest/config';

const { BASE_URL, API_KEY } = process.env;

export default defineConfig({
  test: {
    // The deployment that the contract suite is pointed at: inside tests, Vite gives BASE_URL a meaning of its own.
    // Jobs of tests start from no base language model, whether one was fetched or not.
    env: { TEXT_BASE: '', ...(BASE_URL && API_KEY ? { CONTRACT_BASE_URL: BASE_URL, CONTRACT_API_KEY: API_KEY } : {}) },
    include: ['test/**/*.test.ts'],
    // They need an emulator or an account: `npm run test:aws`.
    exclude: ['test/aws/**'],
    maxWorkers: 2,
    testTimeout: 60_000,
    passWithNoTests: false,
    hookTimeout: 60_000,
  },
});

/**
 * `npm test` runs unit, isolated and service; `test:e2e` also kills processes and drives a browser. `test:aws`,
 * `test:container` and `test:install` need an emulator or account, Docker, and other Node versions.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { BASE_URL, API_KEY, AWS_ENDPOINT_URL } = process.env;

const COMPILED = join(import.meta.dirname, 'node_modules', '.cache', 'node');
const BROWSER = ['test/e2e/page/**/*.test.ts'];
/** Replace modules or set environment variables, so they cannot share a worker. */
const ISOLATED = ['adapters/aws/small', 'api/newRoute', 'lambdas/access'].map((file) => `test/${file}.test.ts`);
/** Start the service or other processes. */
const SERVICE = ['cli', 'contract', 'mcp', 'server'].map((folder) => `test/${folder}/**/*.test.ts`);
/** Slow tests of whole jobs, packages and scores; they have their own command. */
const WHOLE = [
  'adapters/local/childProcessQueue',
  'bench/fuzz/fuzz',
  'cli/synth',
  ...['client', 'entities', 'mcp', 'release', 'sample', 'wholeWay'].map((name) => `contract/${name}`),
  'lambdas/bundle',
  'mcp/bundle',
  'scripts/buildContext',
  'scripts/package',
  ...[
    'library/compareOwn',
    'library/compareReal',
    'judge/freshRows',
    'judge/knowsCopies',
    'models/regression/posteriorPredictive',
    'models/text/languageModel',
    'methods/entities/texts',
  ].map((name) => `synthesis/${name}`),
].map((file) => `test/${file}.test.ts`);
const E2E = [...['e2e', 'readme'].map((folder) => `test/${folder}/**/*.test.ts`), ...WHOLE];
/** Allow for slow machines; the report names retried tests. */
const PROCESSES = { retry: 1, testTimeout: 120_000, hookTimeout: 120_000 };
/** Importing with Node is faster, but replacing modules needs Vite. */
const NATIVE = { experimental: { viteModuleRunner: false } };
const DEPLOYED = ['test/aws/**', 'test/install/**'];

export default defineConfig({
  test: {
    // Tests of processes wait half of the time.
    maxWorkers: availableParallelism() + 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    // Tested deployment (Vite gives BASE_URL another meaning in tests). Jobs use the small base model and no memory
    // check, and processes share compiled code.
    env: {
      TEXT_BASE: '',
      CHECK_MEMORY: 'no',
      NODE_COMPILE_CACHE: COMPILED,
      ...(BASE_URL && API_KEY ? { CONTRACT_BASE_URL: BASE_URL, CONTRACT_API_KEY: API_KEY } : {}),
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          ...NATIVE,
          isolate: false,
          include: ['test/**/*.test.ts'],
          exclude: [...DEPLOYED, ...ISOLATED, ...SERVICE, ...E2E],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
      {
        extends: true,
        test: { name: 'service', isolate: false, include: SERVICE, exclude: WHOLE, ...NATIVE, ...PROCESSES },
      },
      { extends: true, test: { name: 'e2e', isolate: false, include: E2E, exclude: BROWSER, ...NATIVE, ...PROCESSES } },
      { extends: true, test: { name: 'browser', isolate: false, include: BROWSER, ...NATIVE, ...PROCESSES } },
      {
        extends: true,
        test: {
          name: 'aws',
          // Without a deployment, the contract suite would start a server.
          include: ['test/aws/**/*.test.ts', ...(AWS_ENDPOINT_URL && !BASE_URL ? [] : ['test/contract/**/*.test.ts'])],
          globalSetup: ['test/aws/globalSetup.ts'],
          setupFiles: ['test/aws/setup.ts'],
          // They share one deployment.
          fileParallelism: false,
          ...PROCESSES,
        },
      },
      {
        extends: true,
        test: {
          name: 'container',
          include: ['test/aws/container/*.check.ts'],
          globalSetup: ['test/aws/container/setUp.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        extends: true,
        test: { name: 'install', include: ['test/install/**/*.test.ts'], fileParallelism: false, testTimeout: 600_000 },
      },
    ],
    teardownTimeout: 60_000,
  },
});

/**
 * `npm test` runs the projects unit, isolated and service; `npm run test:e2e` service processes that are killed, starved and
 * restarted, the page in a browser and the commands of docs/ways-in.md (e2e, browser); `npm run test:aws`, `test:container` and
 * `test:install` the others, which need an emulator or an account, Docker, and other versions of Node.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

const { BASE_URL, API_KEY, AWS_ENDPOINT_URL } = process.env;

const COMPILED = join(import.meta.dirname, 'node_modules', '.cache', 'node');
const BROWSER = ['test/e2e/page/**/*.test.ts'];
/** They replace modules or set environment variables, which the others, whose files share the modules of a worker, do not. */
const ISOLATED = ['adapters/aws/small', 'api/newRoute', 'lambdas/access'].map((file) => `test/${file}.test.ts`);
/** They start the service, or other processes. */
const SERVICE = ['cli', 'contract', 'mcp', 'server'].map((folder) => `test/${folder}/**/*.test.ts`);
/**
 * The same through whole jobs of several processes, packages built whole, and what whole tables score: most of the time of all
 * tests, so they have a command of their own.
 */
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
/** Real processes on a loaded machine have time, and a second try; the report names a test that took it. */
const PROCESSES = { retry: 1, testTimeout: 120_000, hookTimeout: 120_000 };
/** Node imports the sources itself, which is quicker; Vite has to where tests replace modules. */
const NATIVE = { experimental: { viteModuleRunner: false } };
const DEPLOYED = ['test/aws/**', 'test/install/**'];

export default defineConfig({
  test: {
    // Two more than there are cores: tests of processes wait for them half of the time.
    maxWorkers: availableParallelism() + 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    passWithNoTests: false,
    // The deployment that the contract suite is pointed at: inside tests, Vite gives BASE_URL a meaning of its own.
    // Jobs of tests start from the small base of the package, whether a large one was fetched or not.
    // Tests that run beside each other on a small machine would take each other's jobs their memory.
    // Processes that tests start keep their compiled code for the next.
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
          // Without a deployment to speak to, the contract suite would start a server of its own.
          include: ['test/aws/**/*.test.ts', ...(AWS_ENDPOINT_URL && !BASE_URL ? [] : ['test/contract/**/*.test.ts'])],
          globalSetup: ['test/aws/globalSetup.ts'],
          setupFiles: ['test/aws/setup.ts'],
          // One deployment for all of them.
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

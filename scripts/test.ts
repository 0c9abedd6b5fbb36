/**
 * `npm test`: type check, lint, unused exports and every test, in this order; the first that fails ends the run.
 * `npm test -- PATH ...`: the tests whose path contains PATH, and nothing else.
 * `npm run test:aws`, `test:container`, `test:install` name a project of vitest.config.ts: `--project NAME`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const inModules = (...path: string[]) => join(root, 'node_modules', ...path);
const filters = process.argv.slice(2);

type Step = [title: string, script: string, args: string[]];

const TYPESCRIPT = inModules('typescript-7', 'bin', 'tsc');
/** What a check found is kept for the next run, which then looks at what has changed. */
const kept = (name: string) => inModules('.cache', 'checks', name);
const typesOf = (name: string) => ['--noEmit', '--incremental', '--tsBuildInfoFile', kept(`${name}.tsbuildinfo`)];
const CHECKS: Step[] = [
  ['Type check', TYPESCRIPT, typesOf('service')],
  ['Type check of the pages', TYPESCRIPT, [...typesOf('pages'), '-p', join(root, 'web')]],
  ['Lint', inModules('@biomejs', 'biome', 'bin', 'biome'), ['check', '--error-on-warnings', '.']],
  [
    'Unused files and exports',
    inModules('knip', 'bin', 'knip.js'),
    ['--no-progress', '--cache', '--cache-location', kept('knip')],
  ],
];
const PROJECTS = ['unit', 'isolated', 'service', 'browser'].flatMap((name) => ['--project', name]);
const vitest = (args: string[]): Step => ['Tests', inModules('vitest', 'vitest.mjs'), ['run', ...args]];

const steps: Step[] =
  filters.length === 0
    ? [...CHECKS, vitest(PROJECTS)]
    : [vitest(filters.includes('--project') ? filters : [...PROJECTS, ...filters])];

for (const [title, script, args] of steps) {
  console.log(`\n== ${title}`);
  const result = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(`\n${title} failed.`);
    process.exit(result.status ?? 1);
  }
}

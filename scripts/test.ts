/**
 * `npm test`: tests, types, lint and unused exports; stops at the first failure.
 * `npm test -- PATH ...`: only tests whose path contains PATH, also end-to-end ones.
 * `npm run test:e2e` and others: `--project NAME` of vitest.config.ts.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..');
const inModules = (...path: string[]) => join(root, 'node_modules', ...path);
const filters = process.argv.slice(2);

type Step = [title: string, script: string, args: string[]];

const TYPESCRIPT = inModules('typescript-7', 'bin', 'tsc');
/** Incremental between runs. */
const kept = (name: string) => inModules('.cache', 'checks', name);
const typesOf = (name: string) => ['--noEmit', '--incremental', '--tsBuildInfoFile', kept(`${name}.tsbuildinfo`)];
const CHECKS: Step[] = [
  ['Type check', TYPESCRIPT, typesOf('service')],
  ['Type check of the pages', TYPESCRIPT, [...typesOf('pages'), '-p', join(root, 'web')]],
  ['Lint', inModules('@biomejs', 'biome', 'bin', 'biome'), ['check', '--error-on-warnings', '.']],
  ['Style and words', join(root, 'scripts', 'lint.ts'), []],
  [
    'Unused files and exports',
    inModules('knip', 'bin', 'knip.js'),
    ['--no-progress', '--cache', '--cache-location', kept('knip')],
  ],
];
const projects = (...names: string[]) => names.flatMap((name) => ['--project', name]);
const WHOLE = projects('unit', 'isolated', 'service');
const BY_PATH = [...WHOLE, ...projects('e2e', 'browser')];
const vitest = (args: string[]): Step => ['Tests', inModules('vitest', 'vitest.mjs'), ['run', ...args]];

const isWhole = filters.length === 0;
const withProjects = filters.includes('--project') ? filters : [...BY_PATH, ...filters];
/** The rows run side by side. */
const rows: Step[][] = isWhole ? [CHECKS, [vitest(WHOLE)]] : [[vitest(withProjects)]];
const running = new Set<ChildProcess>();

async function run(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await finish(step);
}

async function finish([title, script, args]: Step): Promise<void> {
  const isCheck = CHECKS.some(([name]) => name === title);
  if (!isCheck) console.log(`\n== ${title}`);
  // Its own group, so that processes started by tests end too.
  const options = { cwd: root, detached: process.platform !== 'win32' };
  const output = isCheck ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [script, ...args], { ...options, stdio: ['ignore', output, output] });
  running.add(child);
  const said = child.stdout && child.stderr ? Promise.all([text(child.stdout), text(child.stderr)]) : [];
  const [code]: unknown[] = await once(child, 'close');
  running.delete(child);
  if (isCheck) console.log([`\n== ${title}`, ...(await said)].join('\n').trimEnd());
  if (code !== 0) end(`${title} failed.`, typeof code === 'number' ? code : 1);
}

function end(why: string, code: number): never {
  for (const child of running) stop(child);
  console.error(`\n${why}`);
  process.exit(code);
}

function stop({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(process.platform === 'win32' ? pid : -pid, 'SIGTERM');
  } catch {
    // Already ended.
  }
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end('Stopped.', 130));
await Promise.all(rows.map(run));

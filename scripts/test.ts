/** `npm test`: type check, lint and every test, in this order; the first that fails ends the run. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);
const filters = process.argv.slice(2);

const steps: [title: string, command: string, args: string[]][] = [
  ['Type check', bin('tsc'), ['--noEmit']],
  ['Type check of the pages', bin('tsc'), ['--noEmit', '-p', join(root, 'web')]],
  ['Lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['Tests', process.execPath, [join(root, 'node_modules', 'vitest', 'vitest.mjs'), 'run', ...filters]],
];

for (const [title, command, args] of steps) {
  console.log(`\n== ${title}`);
  const result = spawnSync(command, args, { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    console.error(`\n${title} failed.`);
    process.exit(result.status ?? 1);
  }
}

/** `npm run format`. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const result = spawnSync(
  join(root, 'node_modules', '.bin', 'biome'),
  ['check', '--write', ...process.argv.slice(2), '.'],
  {
    cwd: root,
    stdio: 'inherit',
  },
);
process.exit(result.status ?? 1);

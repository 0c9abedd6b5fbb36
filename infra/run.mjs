// Uses the project's Node version. Installs nothing, since the waiting CDK runs from the same packages.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const node = join('node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
if (!existsSync(node)) {
  console.error('The packages of the project are not installed. Run npm ci, then the command again.');
  process.exit(1);
}
const { status } = spawnSync(node, ['--disable-warning=ExperimentalWarning', join('infra', 'app.ts')], {
  stdio: 'inherit',
});
process.exit(status ?? 1);

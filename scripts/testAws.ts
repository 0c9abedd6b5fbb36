/** `npm run test:aws`: the suites of the deployment on AWS, against an emulator on this machine or AWS_ENDPOINT_URL. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
const args = ['run', '--config', 'vitest.aws.config.ts', ...process.argv.slice(2)];
const result = spawnSync(process.execPath, [vitest, ...args], { cwd: root, stdio: 'inherit' });
process.exit(result.status ?? 1);

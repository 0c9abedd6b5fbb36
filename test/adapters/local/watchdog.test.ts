import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { isAlive } from '../../../adapters/local/leases.ts';
import { until } from '../../ports/made.ts';

const WATCHDOG = join(import.meta.dirname, '..', '..', '..', 'gpu-job', 'watchdog.ts');

/** A process that computes without pause, under the watchdog, and its parent, which prints its process id. */
const CHILD = `const { startWatchdog } = await import(${JSON.stringify(WATCHDOG)});
  await startWatchdog(process.ppid); process.stdout.write('up'); for (;;);`;
const PARENT = `const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(CHILD)}], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.once('data', () => console.log(child.pid));`;

it('a process ends soon after its parent was killed, also while it computes', async () => {
  const parent = spawn(process.execPath, ['-e', PARENT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await once(parent.stdout, 'data');
  const childPid = Number(String(printed));
  try {
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(isAlive(childPid)).toBe(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
    const start = performance.now();
    await until('the child to end', async () => !isAlive(childPid));
    expect(performance.now() - start).toBeLessThan(3000);
  } finally {
    if (isAlive(childPid)) process.kill(childPid, 'SIGKILL');
  }
});

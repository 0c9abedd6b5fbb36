import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../support/imports.ts';

const MODULE = JSON.stringify(join(root, 'adapters', 'shared', 'priority.ts'));
const ADDED = 3;

/** Does `what`, then prints the name and the niceness of each of its threads. */
function threadsAfter(what: string): { name: string; niceness: number }[] {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { lowerPool, lowerProcess } from ${MODULE};
    await ${what};
    const read = (thread, file) => readFileSync('/proc/self/task/' + thread + '/' + file, 'latin1').trim();
    const niceness = (thread) => Number(read(thread, 'stat').split(') ').at(-1).split(' ')[16]);
    const threads = readdirSync('/proc/self/task');
    console.log(JSON.stringify(threads.map((thread) => ({ name: read(thread, 'comm'), niceness: niceness(thread) }))));`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  return JSON.parse(stdout);
}

const LOWERED = getPriority() + ADDED;

describe.runIf(process.platform === 'linux')('priorities of threads', () => {
  it('lowers the threads that there are, not the first alone', () => {
    const threads = threadsAfter(`lowerProcess(${LOWERED})`);
    expect(threads.length).toBeGreaterThan(2);
    expect(new Set(threads.map(({ niceness }) => niceness))).toEqual(new Set([LOWERED]));
  });

  it('lowers the pool that compresses and reads files, and no other thread', () => {
    const threads = threadsAfter(`lowerPool(${LOWERED})`);
    const lowered = threads.filter(({ niceness }) => niceness === LOWERED).map(({ name }) => name);
    expect(lowered.length).toBeGreaterThanOrEqual(4);
    expect(new Set(lowered)).toEqual(new Set(['libuv-worker']));
    expect(threads.length).toBeGreaterThan(lowered.length);
  });
});

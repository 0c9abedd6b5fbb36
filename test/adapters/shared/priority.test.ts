import { spawnSync } from 'node:child_process';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../support/imports.ts';

const MODULE = JSON.stringify(join(root, 'adapters', 'shared', 'priority.ts'));
const ADDED = 3;

/** Lowers itself, then prints the niceness of each of its threads. */
const SCRIPT = `
  import { readdirSync, readFileSync } from 'node:fs';
  import { lowerProcess } from ${MODULE};
  lowerProcess(${getPriority() + ADDED});
  const niceness = (thread) => readFileSync('/proc/self/task/' + thread + '/stat', 'latin1').split(') ').at(-1).split(' ')[16];
  console.log(readdirSync('/proc/self/task').map(niceness).join());`;

describe('lowerProcess', () => {
  it.runIf(process.platform === 'linux')('lowers the threads that there are, not the first alone', () => {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', SCRIPT], { encoding: 'utf8' });
    const threads = stdout.trim().split(',').map(Number);
    expect(threads.length).toBeGreaterThan(2);
    expect(new Set(threads)).toEqual(new Set([getPriority() + ADDED]));
  });
});

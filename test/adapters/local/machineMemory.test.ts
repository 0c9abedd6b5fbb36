import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cachedFiles } from '../../../adapters/local/machineMemory.ts';
import { temporaryFolder } from '../../support/temporaryFolder.ts';

const VERSION_2 = 'anon 5000\nfile 900\ninactive_anon 5000\ninactive_file 600\nactive_file 200\n';
const VERSION_1 = `cache 1\ninactive_file 1\nactive_file 1\nhierarchical_memory_limit 9000\ntotal_inactive_file 70\ntotal_active_file 5\n`;

/** A system that says which group the process is in, with a file of figures in a folder. */
function cachedOn(groups: string, folder: string, stat: string): number {
  const root = temporaryFolder();
  mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(root, folder, 'memory.stat'), stat);
  writeFileSync(join(root, 'groups'), groups);
  return cachedFiles(join(root, 'groups'), root);
}

describe('cachedFiles', () => {
  it('are those of the group that the process is in', () => {
    expect(cachedOn('0::/\n', '.', VERSION_2)).toBe(800);
    expect(cachedOn('0::/service/jobs\n', 'service/jobs', VERSION_2)).toBe(800);
    expect(cachedOn('5:pids:/\n4:memory:/box\n1:cpu:/\n0::/\n', 'memory/box', VERSION_1)).toBe(75);
  });

  it('are those of the folder where the group is named as its host names it', () => {
    expect(cachedOn('4:memory:/docker/0a1b\n0::/\n', 'memory', VERSION_1)).toBe(75);
  });

  it('are none where the system does not say', () => {
    expect(cachedOn('', '.', VERSION_2)).toBe(0);
    expect(cachedOn('0::/\n', 'elsewhere', VERSION_2)).toBe(0);
  });
});

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { median, quantile } from '../../bench/support/quantile.ts';

const folder = join(import.meta.dirname, '..', '..', 'bench');
const bench = (...args: string[]) =>
  spawnSync(process.execPath, [join(folder, 'main.ts'), ...args], { encoding: 'utf8' });

describe('npm run bench', () => {
  it('names every bench of the folder', () => {
    const { stdout, status } = bench('--list');
    const files = readdirSync(folder).filter((file) => file.endsWith('.ts') && file !== 'main.ts');
    expect(status).toBe(0);
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => `${line.split(' ')[0]}.ts`),
    ).toEqual(files.sort());
  });

  it('refuses a name that no bench has and says which there are', () => {
    const { stdout, stderr, status } = bench('nonesuch');
    expect(status).toBe(2);
    expect(stderr).toContain('There is no bench nonesuch');
    expect(stdout).toContain('uploadRatio');
  });
});

describe('quantile', () => {
  it('is the nearest rank', () => {
    const values = Array.from({ length: 100 }, (_, i) => 100 - i);
    expect([quantile(values, 0), median(values), quantile(values, 0.99), quantile(values, 1)]).toEqual([
      1, 50, 99, 100,
    ]);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

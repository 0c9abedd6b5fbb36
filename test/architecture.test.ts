import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import rules from '../.dependency-cruiser.mjs';
import { projectFiles, root } from './support/imports.ts';

const files = projectFiles();
const source = files.filter((file) => !/^(test|bench|scripts)\//.test(file) && file.includes('/'));

const PRODUCTION = 'packages service adapters api web mcp cli server gpu-job lambdas infra scripts bench'.split(' ');

/** Violations of .dependency-cruiser.mjs among these folders, one a line. */
async function violations(folders: readonly string[]): Promise<string[]> {
  const { forbidden, options } = rules;
  const { output } = await cruise([...folders], { ...options, baseDir: root, validate: true, ruleSet: { forbidden } });
  if (typeof output === 'string') throw new TypeError('dependency-cruiser answered with a text');
  return output.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`);
}

describe('architecture', () => {
  it('imports what lies below, in no circle, types included', { timeout: 120_000 }, async () => {
    expect(await violations(PRODUCTION)).toEqual([]);
  });

  it('sees a circle of types and an import that climbs', { timeout: 120_000 }, async () => {
    const found = await violations(['test/support/badImports']);
    expect(found.map((line) => line.slice(0, line.indexOf(':')))).toEqual(
      expect.arrayContaining(['no circle', 'only the adapters for AWS speak to the SDK']),
    );
  });

  it('keeps the clock and unseeded randomness out of numerics, models and metrics', () => {
    const pure = source.filter((file) => /^packages\/(numerics|synthesis\/(models|metrics))\//.test(file));
    const wrong = pure.filter((file) =>
      /Math\.random|Date\.now|new Date\(|performance\.now/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });

  it('marks no work as unfinished and silences no type error', () => {
    const unfinished = new RegExp(
      `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'HA' + 'CK'].join('|')})\\b|@ts-ignore|@ts-nocheck`,
    );
    const wrong = files.filter(
      (file) => unfinished.test(readFileSync(join(root, file), 'utf8')) && file !== 'test/architecture.test.ts',
    );
    expect(wrong).toEqual([]);
  });

  it('skips and focuses no test', () => {
    const tests = files.filter((file) => file.startsWith('test/') && file !== 'test/architecture.test.ts');
    const wrong = tests.filter((file) =>
      /\b(it|test|describe)\.(skip|only|todo|skipIf)\b/.test(readFileSync(join(root, file), 'utf8')),
    );
    expect(wrong).toEqual([]);
  });
});

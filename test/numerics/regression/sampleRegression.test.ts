import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import type { FamilyName } from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { Predictor } from '../../../packages/numerics/regression/design/design.ts';
import { type RegressionProgress, sampleRegression } from '../../../packages/numerics/regression/sampleRegression.ts';
import { root } from '../../support/imports.ts';
import { makeFolder } from '../../support/temporaryFolder.ts';

const ROWS = 200;
const noise = createStream(4, 'sample regression');
const x = Float64Array.from({ length: ROWS }, () => noise.normal());
const codes = Int32Array.from({ length: ROWS }, (_, row) => row % 5);
const columns: Predictor[] = [
  { kind: 'numeric', name: 'x', values: x.map((value, row) => (row % 17 === 0 ? Number.NaN : value)) },
  { kind: 'category', name: 'level', codes, levels: ['a', 'b', 'c', 'd', 'e'] },
];
const eta = x.map((value, row) => value / 2 + codes[row]! / 4);
const problem = (family: FamilyName, response: Float64Array) => ({ response, family, columns, draws: 60, tune: 80 });
const run = { random: createStream(9, 'run'), workers: 0 };

/** Of the bits of the draws: they depend on the order of random numbers and operations, and on V8's Math. */
const hashOf = (draws: readonly Float64Array[]): string =>
  draws
    .reduce((hash, chain) => hash.update(new Uint8Array(chain.buffer)), createHash('sha256'))
    .digest('hex')
    .slice(0, 12);

describe('sampleRegression', () => {
  test.each<[FamilyName, (eta: number, row: number) => number, string]>([
    ['gaussian', (at, row) => at + Math.sin(row * row), '746a0f0a00be'],
    ['lognormal', (at, row) => Math.exp(at + Math.sin(row * row) / 3), 'd5571de588b6'],
    ['negative_binomial', (at, row) => Math.floor(Math.exp(1 + at) + 3 * Math.sin(row * row) ** 4), 'b99808379227'],
    ['hurdle_gamma', (at, row) => (row % 3 === 0 ? 0 : Math.exp(at + Math.sin(row * row) / 2)), '287a13d9ba9a'],
  ])('gives the draws of %s that it always gave', async (family, draw, hash) => {
    const { draws, names, diagnostics } = await sampleRegression(problem(family, eta.map(draw)), run);
    expect(draws.map((chain) => chain.length)).toEqual(new Array(4).fill(60 * names.length));
    expect(diagnostics.gradients).toBeGreaterThan(4 * 140);
    expect(hashOf(draws)).toBe(hash);
  });

  test('gives the same draws in worker threads', async () => {
    const counts = problem(
      'poisson',
      eta.map((at) => Math.floor(Math.exp(1 + at))),
    );
    const here = await sampleRegression(counts, run);
    const there = await sampleRegression(counts, { ...run, workers: 2 });
    expect(there.draws).toEqual(here.draws);
    expect(there.diagnostics).toEqual(here.diagnostics);
  });

  test('takes wider priors: effects move away from 0', async () => {
    const response = x.map((value, row) => 3 * value + Math.sin(row * row));
    const slopeOf = async (coefficients: number): Promise<number> => {
      const sampled = await sampleRegression({ ...problem('gaussian', response), priors: { coefficients } }, run);
      return Math.abs(sampled.coefficients().find(({ name }) => name === 'x')!.mean);
    };
    expect(await slopeOf(0.001)).toBeLessThan(0.5 * (await slopeOf(1)));
  });

  test('says what it has planned and how far it is, and stops by a signal', async () => {
    const seen: RegressionProgress[] = [];
    const stop = new AbortController();
    const onProgress = (progress: RegressionProgress) => {
      seen.push(progress);
      if (progress.fact === 'chains_sampled') stop.abort(new Error('enough'));
    };
    const stopped = sampleRegression(problem('gamma', eta.map(Math.exp)), { ...run, onProgress, signal: stop.signal });
    await expect(stopped).rejects.toThrow('enough');
    expect(seen[0]).toEqual({ fact: 'planned', columns: expect.any(Number), rows: ROWS });
  });

  test('refuses a response outside of the support, and columns of other lengths', async () => {
    await expect(sampleRegression(problem('poisson', x), run)).rejects.toThrow(
      /row 0 is outside of the support of poisson/,
    );
    const short = { ...problem('gaussian', x), columns: [{ kind: 'numeric' as const, name: 'x', values: x.slice(1) }] };
    await expect(sampleRegression(short, run)).rejects.toThrow(RangeError);
  });
});

describe('docs/numerics-regression.md', () => {
  const folder = makeFolder();
  afterAll(() => folder.remove());

  test('has an example that prints what the page says', async () => {
    const page = readFileSync(join(root, 'docs/numerics-regression.md'), 'utf8');
    const [, code, output] = /```ts\n([\s\S]*?)```[\s\S]*?```text\n([\s\S]*?)```/.exec(page)!;
    const file = join(folder.path, 'example.ts');
    writeFileSync(file, code!.replaceAll("'../packages/", `'${pathToFileURL(root).href}/packages/`));
    const { stdout } = await promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', file]);
    expect(stdout).toBe(output);
  });
});

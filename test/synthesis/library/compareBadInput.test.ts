import { describe, expect, it } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { compare, type Row, type TableSource } from '../../../packages/synthesis/index.ts';

const random = createStream(9, 'bad input');
const rowsOf = (count: number): Row[] =>
  Array.from({ length: count }, () => {
    const x = random.normal();
    return { x, y: 2 * x + random.normal(), c: ['a', 'b', 'c'][random.integer(3)]! };
  });

const [REAL, OTHER, HELD] = [rowsOf(120), rowsOf(120), rowsOf(120)];
const ROLES = { target_col: 'y', continuous_cols: ['x'], categorical_cols: ['c'] };

const csv = (text: string) => new File([text], 'table.csv');

describe('compare, given what cannot be compared', () => {
  it.each<[what: string, synthetic: TableSource, holdout: TableSource | undefined, expected: object]>([
    [
      'tables without a column in common',
      OTHER.map(({ x, y, c }) => ({ height: x, weight: y, kind: c })),
      undefined,
      {
        code: 'column_not_found',
        params: { reason: 'compared_column_missing', column: 'x', available: ['height', 'weight', 'kind'] },
      },
    ],
    [
      'a held-out table without a column',
      OTHER,
      HELD.map(({ x, y }) => ({ x, y })),
      { code: 'column_not_found', params: { reason: 'compared_column_missing', column: 'c' } },
    ],
    ['an empty file', csv(''), undefined, { code: 'empty_file' }],
    ['a file of a header alone', csv('x,y,c\n'), undefined, { code: 'no_data_rows' }],
    ['no rows in memory', [], undefined, { code: 'no_data_rows' }],
    ['an empty held-out file', OTHER, csv(''), { code: 'empty_file' }],
  ])('refuses %s, and says what to do', async (_, synthetic, holdout, expected) => {
    const found = compare(REAL, synthetic, ROLES, { holdout, seed: 1 });
    await expect(found).rejects.toMatchObject({ ...expected, message: expect.stringMatching(/\. [A-Z].*\.$/s) });
  });

  it('counts words in a column of numbers as missing, and calls them what sets the table apart', async () => {
    const words = OTHER.map((row, at) => ({ ...row, x: ['low', 'middle', 'high'][at % 3]! }));
    const { verdicts } = await compare(REAL, words, ROLES, { seed: 1 });
    expect(verdicts.find(({ area }) => area === 'likeness')).toMatchObject({
      grade: 'poor',
      sentences: expect.arrayContaining(['Furthest from the real rows: "x" (missing cells 100 % apart).']),
    });
  });

  it('takes numbers for levels of a category: none is known', async () => {
    const numbered = OTHER.map((row, at) => ({ ...row, c: at }));
    const { metrics } = await compare(REAL, numbered, ROLES, { holdout: HELD, seed: 1 });
    expect(metrics.fidelity?.total_variation.value).toBeCloseTo(1, 9);
    expect(metrics.fidelity?.total_variation.verdict).toBe('worse');
  });

  it.each([
    ['synthetic', REAL, OTHER.slice(0, 1)],
    ['real', REAL.slice(0, 1), OTHER],
  ])('judges what one %s row lets it judge, with a reason for each figure that it has not', async (_, real, made) => {
    const { metrics, verdicts } = await compare(real, made, ROLES, { holdout: HELD, seed: 1 });
    const { fidelity, privacy } = metrics;
    for (const figures of [fidelity, privacy]) {
      for (const figure of Object.values(figures ?? {})) {
        if (typeof figure !== 'object' || figure === null || !('value' in figure) || figure.value !== null) continue;
        expect(figure.reason).toEqual(expect.any(String));
      }
    }
    expect(JSON.stringify(metrics)).not.toMatch(/NaN|Infinity/);
    expect(verdicts.map(({ area }) => area)).toContain('privacy');
  });

  it('judges a real table of one row by itself', async () => {
    const { verdicts } = await compare(REAL.slice(0, 1), REAL.slice(0, 1), ROLES, { seed: 1 });
    expect(verdicts.find(({ area }) => area === 'privacy')?.grade).not.toBe('good');
  });
});

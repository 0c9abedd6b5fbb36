import { describe, expect, it } from 'vitest';
import { compareColumn } from '../../web/logic/compare.ts';
import type { ColumnReport } from '../../web/logic/roles.ts';

const common = {
  confidence: 1,
  evidence: [],
  runner_up: null,
  missing: 0,
  missing_tokens: [],
  distinct: 100,
};
const format = { integer: true, decimals: 0, fixed: false, min: 0, max: 100 };
const numbers: ColumnReport = {
  ...common,
  name: 'n',
  kind: 'continuous',
  suggested_role: 'continuous',
  format: { kind: 'plain', format },
  picture: { kind: 'quantiles', probabilities: [0, 0.5, 1], values: [0, 50, 100], low: '0', middle: '50', high: '100' },
};
const levels: ColumnReport = {
  ...common,
  name: 'l',
  kind: 'categorical',
  suggested_role: 'categorical',
  format: null,
  picture: {
    kind: 'levels',
    levels: [
      ['a', 60],
      ['b', 30],
    ],
    others: 10,
  },
};
const spread = Array.from({ length: 1001 }, (_, i) => String(i / 10));
const overlap = (found: ReturnType<typeof compareColumn>) =>
  found?.kind === 'bars'
    ? found.real.reduce((sum, share, at) => sum + Math.min(share, found.synthetic[at]!), 0)
    : undefined;

describe('real against synthetic', () => {
  it('overlaps where both are alike, by the profile as by the cells, and hardly where they are not', () => {
    expect(overlap(compareColumn(numbers, spread, undefined))).toBeGreaterThan(0.98);
    expect(overlap(compareColumn(numbers, spread, spread))).toBeCloseTo(1, 9);
    expect(
      overlap(
        compareColumn(
          numbers,
          spread.map(() => '99'),
          undefined,
        ),
      ),
    ).toBeLessThan(0.1);
  });

  it('gives shares of levels that come to 1 on both sides, the others together', () => {
    const found = compareColumn(levels, ['a', 'a', 'b', 'c', ''], undefined);
    expect(found).toEqual({
      kind: 'levels',
      name: 'l',
      levels: [
        { level: 'a', real: 0.6, synthetic: 0.5 },
        { level: 'b', real: 0.3, synthetic: 0.25 },
        { level: 'all others', real: expect.closeTo(0.1, 9), synthetic: expect.closeTo(0.25, 9) },
      ],
    });
  });

  it('sets times of the profile, counted in days, against times as the file writes them', () => {
    const time: ColumnReport = {
      ...numbers,
      kind: 'datetime',
      format: { kind: 'time', pattern: 'YYYY-MM-DD', unit: 'day', zone: null, format },
      picture: { kind: 'quantiles', probabilities: [0, 0.5, 1], values: [0, 500, 1000], low: '', middle: '', high: '' },
    };
    const days = Array.from({ length: 1001 }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));
    expect(overlap(compareColumn(time, days, undefined))).toBeGreaterThan(0.98);
  });

  it('is nothing for texts, and where no cell is a number', () => {
    expect(
      compareColumn({ ...numbers, picture: { kind: 'lengths', min: 1, mean: 2, max: 3 } }, spread, undefined),
    ).toBeUndefined();
    expect(compareColumn(numbers, ['x', ''], undefined)).toBeUndefined();
  });
});

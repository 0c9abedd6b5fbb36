import { describe, expect, test } from 'vitest';
import type { ModelTable } from '../../../../packages/synthesis/models/model.ts';
import { conditionReader, fitCondition } from '../../../../packages/synthesis/models/text/conditions.ts';

const values = Float64Array.from({ length: 160 }, (_, k) => k);
const table: ModelTable = { rows: values.length, columns: new Map([['x', { kind: 'numeric', name: 'x', values }]]) };
const condition = fitCondition({ kind: 'numeric', name: 'x', values })!;
const tokens = (reach?: number): number[] => {
  const read = conditionReader(condition, table, reach);
  return Array.from(values, (_, row) => read(row));
};

describe('the reach of a number', () => {
  const [plain, far] = [tokens(), tokens(1.5)];
  const [first, last] = [Math.min(...plain), Math.max(...plain)];
  const middle = (first + last) / 2;

  test('moves bins away from the middle, never past the ends or across the middle', () => {
    far.forEach((token, row) => {
      expect(Math.abs(token - middle)).toBeGreaterThanOrEqual(Math.abs(plain[row]! - middle));
      expect(Math.sign(token - middle)).toBe(Math.sign(plain[row]! - middle));
    });
    expect(Math.min(...far)).toBe(first);
    expect(Math.max(...far)).toBe(last);
  });

  test('keeps the order of bins, and moves some', () => {
    far.slice(1).forEach((token, k) => {
      expect(token).toBeGreaterThanOrEqual(far[k]!);
    });
    expect(far).not.toEqual(plain);
  });
});

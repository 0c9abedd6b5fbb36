import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Condition } from '../../../packages/contract/conditions.ts';
import { scaleConditions } from '../../../packages/synthesis/request/scaleConditions.ts';

describe('scaleConditions', () => {
  const parts = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 6 });

  it('keeps shares to within a row or the least, uses all rows, and keeps what holds everywhere', () => {
    fc.assert(
      fc.property(parts, fc.integer({ min: 0, max: 300 }), fc.integer({ min: 7, max: 2000 }), (rows, others, to) => {
        const everywhere: Condition = { column: 'c', equals: 'x', rows: null };
        const conditions = [everywhere, ...rows.map((count): Condition => ({ column: 'd', equals: 'y', rows: count }))];
        const from = rows.reduce((sum, count) => sum + count, others);
        const scaled = scaleConditions(conditions, from, to) ?? [];
        expect(scaled[0]).toEqual(everywhere);
        const made = scaled.slice(1).map((condition) => condition.rows ?? Number.NaN);
        const left = to - made.reduce((sum, count) => sum + count, 0);
        expect([...made, ...(others > 0 ? [left] : [])].every((count) => count >= 1)).toBe(true);
        if (others === 0) expect(left).toBe(0);
        made.forEach((count, i) => {
          expect(Math.abs(count - (rows[i]! * to) / from)).toBeLessThanOrEqual(rows.length + 2);
        });
      }),
    );
  });

  it('gives the same conditions for the same number of rows, and none where parts outnumber rows', () => {
    const conditions = [1, 99].map((rows): Condition => ({ column: 'd', equals: 'y', rows }));
    expect(scaleConditions(conditions, 100, 100)).toEqual(conditions);
    expect(scaleConditions(conditions, 112, 2)).toBeUndefined();
    expect(scaleConditions([], 12, 2)).toEqual([]);
  });
});

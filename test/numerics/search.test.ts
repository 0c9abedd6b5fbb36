import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contains, firstAbove, firstAtLeast } from '../../packages/numerics/search.ts';

/** Few distinct numbers, so that many are equal; NaN after them, as sort puts it. */
const ascending = fc
  .array(fc.oneof(fc.integer({ min: -5, max: 5 }), fc.constantFrom(-Infinity, Infinity, Number.NaN, 0.5)), {
    maxLength: 30,
  })
  .map((values) => Float64Array.from(values).sort());
const wanted = fc.oneof(fc.integer({ min: -6, max: 6 }), fc.constantFrom(0.5, -Infinity, Infinity));

const orLength = (at: number, { length }: Float64Array): number => (at < 0 ? length : at);

describe('search', () => {
  it('finds what looking at each entry in turn finds', () => {
    fc.assert(
      fc.property(ascending, wanted, (sorted, x) => {
        const isNone = (entry: number): boolean => Number.isNaN(entry);
        expect(firstAtLeast(sorted, x)).toBe(
          orLength(
            sorted.findIndex((entry) => entry >= x || isNone(entry)),
            sorted,
          ),
        );
        expect(firstAbove(sorted, x)).toBe(
          orLength(
            sorted.findIndex((entry) => entry > x || isNone(entry)),
            sorted,
          ),
        );
        expect(contains(sorted, x)).toBe([...sorted].includes(x));
      }),
    );
  });

  it('counts equal entries by the difference of the two', () => {
    const sorted = Float64Array.of(1, 2, 2, 2, 3);
    expect(firstAbove(sorted, 2) - firstAtLeast(sorted, 2)).toBe(3);
  });

  it('keeps to the part that it is given', () => {
    const sorted = Float64Array.of(0, 1, 5, 9, 2, 3);
    expect(firstAtLeast(sorted, 4, 1, 4)).toBe(2);
    expect(firstAtLeast(sorted, 10, 1, 4)).toBe(4);
    expect(firstAtLeast(sorted, 0, 2, 2)).toBe(2);
  });

  it('finds nothing in nothing', () => {
    const none = new Float64Array();
    expect([firstAtLeast(none, 1), firstAbove(none, 1), contains(none, 1)]).toEqual([0, 0, false]);
  });
});

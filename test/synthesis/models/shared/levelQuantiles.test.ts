import { describe, expect, it } from 'vitest';
import { fitLevels } from '../../../../packages/numerics/raking/raking.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { stratifiedMargin } from '../../../../packages/numerics/random/draws.ts';
import { featuresOf, type SeenColumn } from '../../../../packages/synthesis/models/categorical/features.ts';
import type { CategoryColumn, ModelTable } from '../../../../packages/synthesis/models/model.ts';
import {
  byColumn,
  levelQuantilesSchema,
  rakeByLevels,
} from '../../../../packages/synthesis/models/shared/savedArrays.ts';

const ROWS = 6000;
const LEVELS = ['low', 'high', 'rare'];
const GIVEN = [{ name: 'level', levels: LEVELS }];

/** Of 6,000 rows half are low and half high, but for ten. */
function tableOf(codes: Int32Array): ModelTable {
  const column: CategoryColumn = { kind: 'category', name: 'level', codes, levels: LEVELS };
  return { rows: codes.length, columns: new Map([['level', column]]) };
}

const fitLevelQuantiles = (u: Float64Array, given: readonly SeenColumn[], of: ModelTable) =>
  byColumn(fitLevels(u, featuresOf(given, of).features), given);

const codes = Int32Array.from({ length: ROWS }, (_, row) => (row < 10 ? 2 : row % 2));
const table = tableOf(codes);
const random = createStream(1, 'places');
/** Low rows lie in the lower part: their u have the density 2 (1 - p), the others 2 p. */
const real = Float64Array.from(codes, (code) => {
  const u = random.uniform();
  return code === 0 ? 1 - Math.sqrt(1 - u) : Math.sqrt(u);
});
/** What a model that knows nothing of the levels would give. */
const blurred = Float64Array.from(codes, () => random.uniform());
const levels = fitLevelQuantiles(real, GIVEN, table);

const ofLevel = (places: Float64Array, level: number): Float64Array =>
  places.filter((_, row) => codes[row] === level).sort();

/** Largest distance of the two distribution functions. */
function distance(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, i) => {
    const below = b.findLastIndex((other) => other <= value) + 1;
    return Math.max(most, Math.abs((i + 1) / a.length - below / b.length));
  }, 0);
}

describe('quantiles within levels', () => {
  it('bring each level to where it lies in the data, and keep the order within it', () => {
    const raked = rakeByLevels(blurred, levels, table);
    for (const level of [0, 1]) {
      expect(distance(ofLevel(blurred, level), ofLevel(real, level))).toBeGreaterThan(0.2);
      // Between knots lies a line: a 32nd of the rows at most.
      expect(distance(ofLevel(raked, level), ofLevel(real, level))).toBeLessThan(1 / 32);
      const rows = [...codes.keys()].filter((row) => codes[row] === level).sort((a, b) => blurred[a]! - blurred[b]!);
      for (let i = 1; i < rows.length; i++) expect(raked[rows[i]!]! >= raked[rows[i - 1]!]!).toBe(true);
    }
  });

  it('leave levels of few rows as they are, in the data and among those made', () => {
    const raked = rakeByLevels(blurred, levels, table);
    for (let row = 0; row < 10; row++) expect(raked[row]).toBe(blurred[row]);
    const few = tableOf(codes.slice(0, 300));
    expect(rakeByLevels(blurred.slice(0, 300), levels, few)).toEqual(blurred.slice(0, 300));
  });

  it('move nothing that is there already, beyond the width of what lies between two knots', () => {
    const raked = rakeByLevels(real, levels, table);
    raked.forEach((place, row) => {
      expect(Math.abs(place - real[row]!)).toBeLessThan(1e-9);
    });
  });

  it('leave missing cells out of count and as they are', () => {
    const gaps = real.map((place, row) => (row % 5 === 0 ? Number.NaN : place));
    const raked = rakeByLevels(
      blurred.map((place, row) => (row % 5 === 0 ? Number.NaN : place)),
      fitLevelQuantiles(gaps, GIVEN, table),
      table,
    );
    raked.forEach((place, row) => {
      expect(Number.isNaN(place)).toBe(row % 5 === 0);
    });
  });

  it('say nothing of numbers, and of a category of one level', () => {
    const one = tableOf(new Int32Array(ROWS));
    expect(fitLevelQuantiles(real, GIVEN, one)).toEqual([]);
    expect(fitLevels(real, [{ kind: 'numeric', values: real }])).toEqual([]);
  });

  it('are the same after they were saved', () => {
    const restored = levelQuantilesSchema.parse(JSON.parse(JSON.stringify(levelQuantilesSchema.encode(levels))));
    expect(rakeByLevels(blurred, restored, table)).toEqual(rakeByLevels(blurred, levels, table));
  });

  it('leave a margin that is made even afterwards: one place in each part, in the same order', () => {
    const even = stratifiedMargin(real, createStream(2, 'even'));
    const order = [...real.keys()].sort((a, b) => real[a]! - real[b]!);
    order.forEach((row, rank) => {
      expect(Math.floor(even[row]! * ROWS)).toBe(rank);
    });
  });
});

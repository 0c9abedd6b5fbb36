import { describe, expect, it } from 'vitest';
import { fitLeafQuantiles, type LeafQuantiles, rakeLeaves } from '../../../packages/numerics/raking/raking.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { FeatureTable } from '../../../packages/numerics/trees/features.ts';
import { leafQuantilesSchema } from '../../../packages/synthesis/models/regression/fitTarget.ts';

const ROWS = 2000;
const GIVEN = [{ name: 'x', levels: null }];
const tableOf = (x: Float64Array): FeatureTable => ({ rows: x.length, features: [{ kind: 'numeric', values: x }] });
const rakedBy = (of: LeafQuantiles, u: Float64Array, features: FeatureTable): Float64Array => {
  const raked = u.slice();
  rakeLeaves(raked, of, features);
  return raked;
};

const random = createStream(1, 'leaves');
const x = Float64Array.from({ length: ROWS }, () => random.uniform());
const table = tableOf(x);
/** A step at 0.7, in a tenth of the rows no target. */
const values = x.map((at) => (at > 0.7 ? 10 : 0) + random.uniform());
const rows = Int32Array.from({ length: ROWS }, (_, row) => row).filter((row) => row % 10 !== 3);
const sorted = Float64Array.from(rows, (row) => values[row]!).sort();
const target = {
  rows,
  values: Float64Array.from(rows, (row) => values[row]!),
  u: Float64Array.from(rows, (row) => (sorted.indexOf(values[row]!) + 0.5) / rows.length),
};
const leaves = fitLeafQuantiles(table, target, createStream(1, 'rows'))!;
/** What a regression that sees no step would give. */
const blurred = x.map(() => random.uniform());

describe('quantiles within leaves', () => {
  it('bring the target back to where it lies on either side of a step, and keep the order of like rows', () => {
    const raked = rakedBy(leaves, blurred, table);
    const share = rows.filter((row) => x[row]! <= 0.7).length / rows.length;
    const wrong = (u: Float64Array) => u.filter((own, row) => own > share !== x[row]! > 0.7).length;
    expect(wrong(blurred)).toBeGreaterThan(ROWS / 4);
    expect(wrong(raked)).toBeLessThan(ROWS / 100);
    const top = [...x.keys()].filter((row) => x[row]! > 0.98);
    const order = (u: Float64Array) => [...top].sort((a, b) => u[a]! - u[b]!);
    expect(order(raked)).toEqual(order(blurred));
  });

  it('are kept as JSON', () => {
    const restored = leafQuantilesSchema.parse(
      JSON.parse(JSON.stringify(leafQuantilesSchema.encode({ given: GIVEN, ...leaves }))),
    )!;
    expect(rakedBy(restored, blurred, table)).toEqual(rakedBy(leaves, blurred, table));
    expect(leafQuantilesSchema.parse(leafQuantilesSchema.encode(null))).toBeNull();
  });

  it('are none where nothing splits the target, or rows are few', () => {
    expect(fitLeafQuantiles({ rows: ROWS, features: [] }, target, random)).toBeNull();
    const flat = { ...target, values: new Float64Array(rows.length) };
    expect(fitLeafQuantiles(table, flat, random)).toBeNull();
    const few = { rows: rows.slice(0, 150), values: target.values.slice(0, 150), u: target.u.slice(0, 150) };
    expect(fitLeafQuantiles(table, few, random)).toBeNull();
    const some = tableOf(x.slice(0, 80));
    expect(rakedBy(leaves, blurred.slice(0, 80), some)).toEqual(blurred.slice(0, 80));
  });

  it('take numbers whose squares overflow', () => {
    const huge = { ...target, values: target.values.map((value) => value * 1e300) };
    const own = fitLeafQuantiles(table, huge, createStream(1, 'rows'))!;
    expect(rakedBy(own, blurred, table)).toEqual(rakedBy(leaves, blurred, table));
  });
});

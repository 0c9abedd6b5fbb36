import { describe, expect, it } from 'vitest';
import type { ModelTable } from '../../../../gpu-job/models/model.ts';
import {
  fitLeafQuantiles,
  leafQuantilesSchema,
  rakeLeaves,
  saveLeafQuantiles,
} from '../../../../gpu-job/models/regression/leafQuantiles.ts';
import { createStream } from '../../../../numerics/random/createStream.ts';

const ROWS = 2000;
const GIVEN = [{ name: 'x', levels: null }];
const tableOf = (x: Float64Array): ModelTable => ({
  rows: x.length,
  columns: new Map([['x', { kind: 'numeric', name: 'x', values: x }]]),
});

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
  places: Float64Array.from(rows, (row) => (sorted.indexOf(values[row]!) + 0.5) / rows.length),
};
const leaves = fitLeafQuantiles(table, GIVEN, target, createStream(1, 'rows'));
/** What a regression that sees no step would give. */
const blurred = x.map(() => random.uniform());

describe('quantiles within leaves', () => {
  it('bring the target back to where it lies on either side of a step, and keep the order of like rows', () => {
    const raked = rakeLeaves(blurred, leaves, table);
    const share = rows.filter((row) => x[row]! <= 0.7).length / rows.length;
    const wrong = (places: Float64Array) => places.filter((place, row) => place > share !== x[row]! > 0.7).length;
    expect(wrong(blurred)).toBeGreaterThan(ROWS / 4);
    expect(wrong(raked)).toBeLessThan(ROWS / 100);
    const top = [...x.keys()].filter((row) => x[row]! > 0.98);
    const order = (places: Float64Array) => [...top].sort((a, b) => places[a]! - places[b]!);
    expect(order(raked)).toEqual(order(blurred));
  });

  it('are kept as JSON', () => {
    const restored = leafQuantilesSchema.parse(JSON.parse(JSON.stringify(saveLeafQuantiles(leaves))));
    expect(rakeLeaves(blurred, restored, table)).toEqual(rakeLeaves(blurred, leaves, table));
    expect(leafQuantilesSchema.parse(saveLeafQuantiles(null))).toBeNull();
  });

  it('are none where nothing splits the target, or rows are few: places stay as they are', () => {
    expect(fitLeafQuantiles(table, [], target, random)).toBeNull();
    const flat = { ...target, values: new Float64Array(rows.length) };
    expect(fitLeafQuantiles(table, GIVEN, flat, random)).toBeNull();
    const few = { rows: rows.slice(0, 150), values: target.values.slice(0, 150), places: target.places.slice(0, 150) };
    expect(fitLeafQuantiles(table, GIVEN, few, random)).toBeNull();
    expect(rakeLeaves(blurred, null, table)).toEqual(blurred);
    const some = tableOf(x.slice(0, 80));
    expect(rakeLeaves(blurred.slice(0, 80), leaves, some)).toEqual(blurred.slice(0, 80));
  });

  it('take numbers whose squares overflow', () => {
    const huge = { ...target, values: target.values.map((value) => value * 1e300) };
    const own = fitLeafQuantiles(table, GIVEN, huge, createStream(1, 'rows'));
    expect(rakeLeaves(blurred, own, table)).toEqual(rakeLeaves(blurred, leaves, table));
  });
});

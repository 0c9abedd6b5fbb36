import { describe, expect, test } from 'vitest';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { finish } from '../../../packages/numerics/steps.ts';
import { classProbabilities, fitBoostedClasses } from '../../../packages/numerics/trees/boostedClasses.ts';
import type { FeatureTable } from '../../../packages/numerics/trees/features.ts';

const random = createStream(5, 'boosted classes');

/** Class 0, 1 or 2 with probabilities that depend on one number and one category. */
function world(rows: number) {
  const x = Float64Array.from({ length: rows }, () => random.uniform());
  const c = Int32Array.from({ length: rows }, () => random.integer(3));
  const truth = (row: number): number[] => {
    const weights = [Math.exp(2 * x[row]!), Math.exp(c[row] === 1 ? 1.5 : 0), 1];
    const sum = weights.reduce((a, b) => a + b, 0);
    return weights.map((weight) => weight / sum);
  };
  const classes = Int32Array.from({ length: rows }, (_, row) => {
    const u = random.uniform();
    const [a, b] = truth(row);
    return u < a! ? 0 : u < a! + b! ? 1 : 2;
  });
  const table: FeatureTable = {
    rows,
    features: [
      { kind: 'numeric', values: x },
      { kind: 'category', codes: c, levels: 3 },
    ],
  };
  return { table, classes, truth };
}

const fitTo = ({ table, classes }: Pick<ReturnType<typeof world>, 'table' | 'classes'>, seed = 1, rounds = 60) => {
  const aside = Uint8Array.from({ length: table.rows }, (_, row) => Number(row % 8 === 0));
  return finish(fitBoostedClasses(table, { classes, kinds: 3, aside }, createStream(seed, 'fit'), { rounds }));
};

describe('boosted classes', () => {
  test('come nearer to the true probabilities of fresh rows than the shares of the classes do', () => {
    const seen = world(4000);
    const fresh = world(1000);
    const model = fitTo(seen);
    const shares = [0, 1, 2].map((one) => seen.classes.filter((own) => own === one).length / 4000);
    const ask = classProbabilities(model, fresh.table);
    const out = new Float64Array(3);
    let [boosted, constant] = [0, 0];
    for (let row = 0; row < 1000; row++) {
      ask(row, out);
      expect(out.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      fresh.truth(row).forEach((p, one) => {
        boosted += (p - out[one]!) ** 2 / 1000;
        constant += (p - shares[one]!) ** 2 / 1000;
      });
    }
    // A fit of 3,500 rows to these probabilities leaves a twentieth of what the shares leave; a third is far off.
    expect(boosted).toBeLessThan(constant / 3);
  });

  test('stop where rows set aside are predicted no better: of classes that nothing tells, few trees are kept', () => {
    const { table } = world(2000);
    const noise = Int32Array.from({ length: 2000 }, () => random.integer(3));
    expect(fitTo({ table, classes: noise }).trees.length).toBeLessThan(12);
  });

  test('are the same for the same stream, and their steps are those of the leaf: none is beyond the rate', () => {
    const { table, classes } = world(600);
    expect(fitTo({ table, classes }, 4, 10)).toEqual(fitTo({ table, classes }, 4, 10));
    for (const { tree, steps } of fitTo({ table, classes }, 4, 10).trees) {
      expect(steps).toHaveLength(3 * tree.leaves);
      expect(Math.max(...steps.map(Math.abs))).toBeLessThanOrEqual(1);
    }
  });

  test('of one class, or of rows too few for a leaf, are their shares', () => {
    const { table, classes } = world(30);
    const model = fitTo({ table, classes });
    expect(model.trees).toEqual([]);
    const out = new Float64Array(3);
    classProbabilities(model, table)(0, out);
    expect(out.every((p) => p > 0)).toBe(true);
  });

  test('refuse classes that are not one a row', () => {
    const { table } = world(10);
    expect(() => fitTo({ table, classes: new Int32Array(9) })).toThrow('9 classes for 10 rows');
  });
});

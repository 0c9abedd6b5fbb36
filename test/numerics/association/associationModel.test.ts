import { describe, expect, test } from 'vitest';
import { eachAssociated, fitAssociation } from '../../../packages/numerics/association/associationModel.ts';
import { axesOf, neverIn, residualsOf } from '../../../packages/numerics/association/correspondence.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import type { CategoryFeature, FeatureTable } from '../../../packages/numerics/trees/features.ts';

const random = createStream(5, 'association');
const times = (n: number, make: (i: number) => number): Int32Array => Int32Array.from({ length: n }, (_, i) => make(i));
const category = (codes: Int32Array, levels: number): CategoryFeature => ({ kind: 'category', codes, levels });
const tableOf = (...features: CategoryFeature[]): FeatureTable => ({ rows: features[0]!.codes.length, features });

/** Rows of each level × class, as many as there are, or as the model expects. */
function counts(codes: Int32Array, levels: number, kinds: number, add: (row: number, k: number) => number): number[] {
  const cells = new Array<number>(levels * kinds).fill(0);
  codes.forEach((code, row) => {
    for (let k = 0; k < kinds; k++) cells[code * kinds + k]! += add(row, k);
  });
  return cells;
}

/** Answers of 1 to 5 that share a latent number; `loading` says how much. */
const answers = (latent: Float64Array, loading: number): Int32Array =>
  times(latent.length, (i) => {
    const x = loading * latent[i]! + Math.sqrt(1 - loading ** 2) * random.normal();
    return Math.max(0, Math.min(4, Math.floor(x * 1.2 + 2.5)));
  });

describe('an association model', () => {
  const n = 4_000;
  const latent = Float64Array.from({ length: n }, random.normal);
  const items = Array.from({ length: 6 }, () => answers(latent, 0.75));
  const noise = times(n, () => random.integer(4));
  const features = tableOf(...items.slice(1).map((item) => category(item, 5)), category(noise, 4));
  const model = fitAssociation(features, items[0]!, 5);

  test('expects of each table, along its axes, what the rows have', () => {
    const p: Float64Array[] = [];
    eachAssociated(model, features, (_, own) => p.push(own.slice()));
    for (const { of, u, v } of model.terms) {
      const { codes } = features.features[model.features[of]!] as CategoryFeature;
      const has = codes.reduce((sum, code, row) => sum + u[code]! * v[items[0]![row]!]!, 0) / n;
      const expects =
        codes.reduce((sum, code, row) => sum + u[code]! * p[row]!.reduce((all, own, k) => all + own * v[k]!, 0), 0) / n;
      // What is left is the prior's pull, θ / n, and where the search ends.
      expect(expects).toBeCloseTo(has, 2);
    }
  });

  test('leaves out a column that says nothing', () => {
    expect(model.terms.map(({ of }) => model.features[of])).not.toContain(5);
    expect(new Set(model.terms.map(({ of }) => of)).size).toBe(5);
  });

  test('predicts rows that it has not seen nearly as well as what made them', () => {
    const fresh = Float64Array.from({ length: n }, random.normal);
    const others = Array.from({ length: 6 }, () => answers(fresh, 0.75));
    let [own, base] = [0, 0];
    const shares = counts(items[0]!, 5, 1, () => 1 / n);
    eachAssociated(
      model,
      tableOf(...others.slice(1).map((item) => category(item, 5)), category(noise, 4)),
      (row, p) => {
        own += Math.log(p[others[0]![row]!]!) / n;
        base += Math.log(shares[others[0]![row]!]!) / n;
      },
    );
    // A leaf for each pattern of answers, of a million rows, gains .31 nats.
    expect(own - base).toBeGreaterThan(0.28);
  });

  test('is the same for the same rows', () => {
    expect(fitAssociation(features, items[0]!, 5)).toEqual(model);
  });
});

test('a table without association has no axis', () => {
  const column = Uint8Array.from(times(2_000, () => random.integer(6)));
  expect(
    axesOf(
      residualsOf(
        column,
        7,
        times(2_000, () => random.integer(4)),
        4,
      ),
    ),
  ).toEqual([]);
});

test('the axes of a table give it back', () => {
  const column = Uint8Array.from(times(50_000, () => random.integer(3)));
  const classes = times(50_000, (i) => (random.uniform() < 0.5 ? column[i]! : random.integer(3)));
  const residuals = residualsOf(column, 3, classes, 3);
  const axes = axesOf(residuals);
  expect(axes).toHaveLength(2);
  residuals.cells.forEach((cell, at) => {
    const [i, k] = [Math.floor(at / 3), at % 3];
    const root = Math.sqrt((residuals.rows[i]! * residuals.columns[k]!) / 50_000);
    const back = axes.reduce((sum, { u, v, weight }) => sum + Math.sqrt(weight / 50_000) * u[i]! * v[k]! * root, 0);
    // Scores are shrunk by ten of some 17,000 rows.
    expect(back).toBeCloseTo(cell, 0);
  });
});

describe('pairs that never stand together', () => {
  const n = 900;
  const column = times(n, (i) => i % 3);
  const classes = times(n, (i) => (column[i] === 0 ? 1 : random.integer(3)));

  test('are those of which chance would give many', () => {
    const never = neverIn(residualsOf(Uint8Array.from(column), 3, classes, 3));
    expect(never).toEqual([
      { bin: 0, one: 0 },
      { bin: 0, one: 2 },
    ]);
    const few = neverIn(residualsOf(Uint8Array.from(column.slice(0, 30)), 3, classes.slice(0, 30), 3));
    expect(few).toEqual([]);
  });

  test('are never drawn', () => {
    const table = tableOf(category(column, 3));
    eachAssociated(fitAssociation(table, classes, 3), table, (row, p) => {
      if (column[row] === 0) expect(p[0]! + p[2]!).toBe(0);
    });
  });
});

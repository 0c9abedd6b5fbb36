import { describe, expect, it } from 'vitest';
import { applyDesign } from '../../../../packages/numerics/regression/design/applyDesign.ts';
import { drawHalves } from '../../../../packages/numerics/regression/design/crossFit.ts';
import type { LeafPart } from '../../../../packages/numerics/regression/design/design.ts';
import { restoreDesign } from '../../../../packages/numerics/regression/design/restoreDesign.ts';
import { linearPredictors } from '../../../../packages/numerics/regression/predict.ts';
import { sampleRegression } from '../../../../packages/numerics/regression/sampleRegression.ts';
import { learn, mixedPredictors, normals, numeric, random, rowsOf } from './support.ts';

const n = 600;
const { predictors, response } = mixedPredictors(n);
const halves = drawHalves(n, random('halves'));
const design = learn(predictors, response, { halves });
const groves = design.parts.filter((part): part is LeafPart => part.kind === 'leaves');

/** Entries of a row in the columns of a half's trees. */
const entriesOf = (row: readonly number[], { places }: LeafPart): number[] =>
  places.flatMap((own) => own.filter((column) => column >= 0).map((column) => row[column]!));

describe('cross-fitted leaves', () => {
  it('are of trees that were grown on either half of the rows, in one pool', () => {
    expect(halves.filter((half) => half === 1)).toHaveLength(n / 2);
    expect(groves.map(({ half }) => half)).toEqual([0, 1]);
    const columns = groves.flatMap(({ places }) => places.flat().filter((column) => column >= 0));
    const pool = design.pools.find(({ name }) => name === 'leaves of trees')!;
    expect([...pool.columns].sort((a, b) => a - b)).toEqual(columns.sort((a, b) => a - b));
  });

  it('explain a row of the fit by the other half alone, and a new row by the mean of both', () => {
    const fitted = rowsOf(applyDesign(design, predictors, n, halves));
    const fresh = rowsOf(applyDesign(design, predictors, n));
    for (const grove of groves) {
      for (let row = 0; row < n; row++) {
        const own = entriesOf(fitted[row]!, grove);
        const half = halves[row] === grove.half ? 0 : 1;
        expect(own.map((entry) => entry / 2)).toEqual(entriesOf(fresh[row]!, grove).map((entry) => entry * half));
        expect(own.every((entry) => entry === 0 || entry === 1)).toBe(true);
      }
    }
    expect(fitted.some((row) => groves.some((grove) => entriesOf(row, grove).includes(1)))).toBe(true);
  });

  it('do not depend on the responses of the rows that they explain', () => {
    const other = response.map((value, row) => (halves[row] === 1 ? -value : value));
    // The same mean and spread: responses are standardised together.
    const mean = (of: Float64Array): number => of.reduce((sum, value) => sum + value / n, 0);
    const moved = other.map((value, row) => value + (halves[row] === 1 ? 2 * (mean(response) - mean(other)) : 0));
    const again = learn(predictors, moved, { halves }).parts.filter((part) => part.kind === 'leaves');
    const shapeOf = (parts: readonly LeafPart[], half: number) =>
      parts.find((part) => part.half === half)!.trees.trees.map(({ feature, bin }) => [feature, bin]);
    expect(shapeOf(again, 0)).toEqual(shapeOf(groves, 0));
    expect(shapeOf(again, 1)).not.toEqual(shapeOf(groves, 1));
  });

  it('are read back, and from a design that is older as leaves of all rows', () => {
    const saved = JSON.parse(JSON.stringify(design));
    expect(restoreDesign(saved)).toEqual(design);
    for (const part of saved.parts) delete part.half;
    const old = restoreDesign(saved);
    expect(old.parts.every((part) => part.kind !== 'leaves' || part.half === null)).toBe(true);
    const whole = rowsOf(applyDesign(old, predictors, n));
    expect(whole.some((row) => groves.some((grove) => entriesOf(row, grove).includes(1)))).toBe(true);
  });

  it('leave intervals of the mean honest on pure noise', async () => {
    let covered = 0;
    const tables = 6;
    for (let table = 0; table < tables; table++) {
      const columnsOf = (kind: string) =>
        ['a', 'b', 'c', 'd', 'e'].map((name) => numeric(name, normals(300, `${table}/${kind}/${name}`)));
      const { model, scale } = await sampleRegression(
        {
          response: normals(300, `${table}/response`),
          family: 'gaussian',
          columns: columnsOf('fitted'),
          draws: 100,
          tune: 100,
        },
        { random: random(`${table}/fit`), workers: 0 },
      );
      const fill = linearPredictors(model, columnsOf('new'), 300);
      const eta = new Float64Array(2);
      const count = model.draws.length / model.width;
      for (let row = 0; row < 300; row++) {
        const means = Float64Array.from({ length: count }, (_, at) => {
          fill(row, at * model.width, eta);
          return scale.offset + scale.factor * eta[0]!;
        }).sort();
        if (means[Math.floor(0.05 * count)]! <= 0 && means[Math.floor(0.95 * count)]! >= 0) covered++;
      }
    }
    // Leaves that were grown on the rows that they explain reach .72.
    expect(covered / tables / 300).toBeGreaterThan(0.85);
  });
});

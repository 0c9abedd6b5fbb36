import { expect, test } from 'vitest';
import { cholesky, solveCholesky } from '../../../../packages/numerics/linalg/dense.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import { normalCdf } from '../../../../packages/numerics/special/normal.ts';
import { fitColumnLine, type Regressor } from '../../../../packages/synthesis/models/copula/columnLine.ts';
import { entriesScore, liftedScore } from '../../../../packages/synthesis/models/copula/rankedScores.ts';

const n = 300;
const random = createStream(3, 'lines');
const numbers = (): Float64Array => Float64Array.from({ length: n }, random.normal);
/** Classes 0 … kinds - 1; -1 is a cell that no level stands for. */
const classes = (kinds: number): Regressor => ({
  classes: Int32Array.from({ length: n }, () => random.integer(kinds + 1) - 1),
  kinds,
});

/** Entries of each row, p of them. */
function rowsOf(regressors: readonly Regressor[]): number[][] {
  return Array.from({ length: n }, (_, row) =>
    regressors.flatMap((own) =>
      'scores' in own
        ? [own.scores[row]!]
        : Array.from({ length: own.kinds }, (__, k) => Number(own.classes[row] === k)),
    ),
  );
}

test('a line has the weights of ridge regression on all entries, of numbers and of levels', () => {
  const regressors = [{ scores: numbers() }, classes(3), { scores: numbers() }, classes(2)];
  const scores = numbers();
  const x = rowsOf(regressors);
  const p = x[0]!.length;
  const mean = scores.reduce((sum, score) => sum + score, 0) / n;
  const products = new Float64Array(p * p);
  const moments = new Float64Array(p);
  x.forEach((entries, row) => {
    for (let i = 0; i < p; i++) {
      moments[i]! += entries[i]! * (scores[row]! - mean);
      for (let j = 0; j < p; j++) products[i * p + j]! += entries[i]! * entries[j]!;
    }
  });
  for (let i = 0; i < p; i++) products[i * p + i]! += 1;
  const weights = solveCholesky(cholesky(products, p)!, p, moments);
  const { weights: fitted } = fitColumnLine(regressors, scores);
  expect(fitted.flatMap((own) => [...own])).toEqual([...weights]);
});

test('the score of lifted entries is that of their u', () => {
  const scores = numbers().slice(0, 40).sort();
  for (const [by, y] of [
    [0.3, 0.2],
    [-2, 0.9],
    [0, 0.5],
  ] as const) {
    const lifted = scores.map((score) => normalCdf(score + by));
    expect(liftedScore(scores, by, y)).toBe(entriesScore(lifted, y));
  }
});

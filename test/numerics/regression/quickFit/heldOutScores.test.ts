import { describe, expect, it } from 'vitest';
import { FAMILY_NAMES, type FamilyName, familyOf } from '../../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../../packages/numerics/random/createStream.ts';
import {
  fitMode,
  heldOutScores,
  logCell,
  type QuickProblem,
  startOf,
  whiten,
} from '../../../../packages/numerics/regression/quickFit/heldOutScores.ts';
import { approximation, expectNear } from '../../../support/tolerance.ts';

const random = createStream(9, 'quick-fit');
const N = 400;
const columns = [0, 1, 2].map(() => Float64Array.from({ length: N }, () => random.normal()));
const every = Int32Array.from({ length: N }, (_, i) => i);

function problemOf(name: FamilyName, eta: (i: number) => number[]): QuickProblem {
  const family = familyOf(name);
  const y = Float64Array.from({ length: N }, (_, i) => family.draw(Float64Array.from(eta(i)), random));
  return { family: name, y, atomsFollow: true, ...whiten(columns, N) };
}

describe('whiten', () => {
  it('gives uncorrelated columns of mean square 1 that span the same space', () => {
    const mixed = [columns[0]!, columns[1]!.map((value, i) => 1e6 * (value + 3 * columns[0]![i]!) + 7)];
    const { design, cols } = whiten(mixed, N);
    for (let a = 0; a < cols; a++) {
      for (let b = 0; b <= a; b++) {
        let product = 0;
        for (let i = 0; i < N; i++) product += (design[i * cols + a]! * design[i * cols + b]!) / N;
        // The ridge of 1e-6 on the diagonal.
        expectNear(product, a === b ? 1 : 0, approximation(1e-4));
      }
    }
  });

  it('leaves out a constant column and lets copies of a column be short', () => {
    const { design, cols } = whiten([columns[0]!, new Float64Array(N).fill(4), columns[0]!], N);
    expect(cols).toBe(3);
    expect(design.every(Number.isFinite)).toBe(true);
    expect(Math.max(...design.filter((_, at) => at % cols === 2).map(Math.abs))).toBeLessThan(0.01);
  });
});

describe('fitMode', () => {
  it('finds the least squares of a gaussian', () => {
    const problem = problemOf('gaussian', (i) => [0.5 + columns[0]![i]! - 0.3 * columns[2]![i]!, -0.5]);
    const theta = fitMode(problem, every, startOf(problem), 60)!;
    for (let j = 0; j < problem.cols; j++) {
      let coefficient = 0;
      for (let i = 0; i < N; i++) coefficient += (problem.design[i * problem.cols + j]! * problem.y[i]!) / N;
      // The design is orthogonal: each least-squares coefficient is a mean product. The prior and the tolerance move it by less.
      expectNear(theta[j]!, coefficient, approximation(0.01));
    }
  });

  it.each(FAMILY_NAMES)('brings %s to where its slope is flat', (name) => {
    const family = familyOf(name);
    const base = family.parameters.map(({ link }, k) => (k === 0 ? 0.3 : link === 'logit' ? -1 : 0.7));
    const problem = problemOf(name, (i) => base.map((value, k) => (k === 0 ? value + 0.5 * columns[0]![i]! : value)));
    const [short, long] = [60, 600].map((steps) => fitMode(problem, every, startOf(problem), steps)!);
    // 60 steps are as good as ten times as many, to a tenth of the standard error of a coefficient.
    for (let j = 0; j < short!.length; j++) expectNear(short![j]!, long![j]!, approximation(0.1 / Math.sqrt(N) + 0.02));
  });
});

describe('logCell', () => {
  it.each<[FamilyName, number[]]>([
    ['gaussian', [3, 0.7]],
    ['student_t', [3, 0.2, 0.5]],
    ['lognormal', [1, -0.5]],
    ['gamma', [1.2, 0.5]],
    ['poisson', [1]],
    ['negative_binomial', [1, 0.3]],
    ['hurdle_gamma', [1.2, 0.5, -1]],
    ['hurdle_lognormal', [1, -0.5, -1]],
  ])('gives the cells of %s probabilities that sum to 1', (name, eta) => {
    let total = 0;
    for (let y = -400; y < 800; y++) {
      if (familyOf(name).support.holds(y) || familyOf(name).measure === 'continuous') {
        const cell = logCell(familyOf(name), y, Float64Array.from(eta), 1);
        total += Number.isFinite(cell) ? Math.exp(cell) : 0;
      }
    }
    // A Student t with 2.6 degrees of freedom has 1e-6 beyond 400.
    expectNear(total, 1, approximation(1e-4));
  });

  it('goes over into density times width, where the cell is narrow', () => {
    const eta = Float64Array.of(0, 0);
    const family = familyOf('gaussian');
    expect(logCell(family, 1, eta, 1e-12)).toBeCloseTo(family.logDensity(1, eta) + Math.log(1e-12), 9);
    expect(logCell(family, 1, eta, 1e-4)).toBeCloseTo(family.logDensity(1, eta) + Math.log(1e-4), 6);
  });

  it('leaves the probability of an atom as it is, however narrow the cell', () => {
    const eta = Float64Array.of(1, 0, -30);
    expect(logCell(familyOf('hurdle_gamma'), 0, eta, 1e-15)).toBeCloseTo(-30, 6);
  });
});

describe('heldOutScores', () => {
  it('are those of a fit that was refitted from scratch without the row', () => {
    const problem = problemOf('gamma', (i) => [0.4 * columns[1]![i]!, 1]);
    const scores = heldOutScores(problem, 1e-6, 5)!;
    const train = every.filter((i) => i % 5 !== 2);
    const theta = fitMode(problem, train, startOf(problem), 400)!;
    const eta = new Float64Array(2);
    for (let i = 2; i < N; i += 5) {
      eta[0] = 0;
      for (let j = 0; j < problem.cols; j++) eta[0] += problem.design[i * problem.cols + j]! * theta[j]!;
      eta[1] = theta[problem.cols]!;
      // Both fits stop within a hundredth of a nat of the mode.
      expectNear(scores[i]!, logCell(familyOf(problem.family), problem.y[i]!, eta, 1e-6), approximation(0.05));
    }
  });

  it('are undefined where no fit gives the numbers a probability', () => {
    const problem = problemOf('gaussian', () => [0, 0]);
    expect(heldOutScores({ ...problem, y: problem.y.with(7, Number.NaN) }, 1, 5)).toBeUndefined();
  });

  it('let zeros follow the predictors where they do, and cost next to nothing where they do not', () => {
    const total = (scores: Float64Array | undefined): number => scores!.reduce((sum, score) => sum + score, 0);
    for (const name of ['hurdle_poisson', 'zero_inflated_poisson'] as const) {
      const following = problemOf(name, (i) => [1.5 + 0.3 * columns[1]![i]!, 2 * columns[0]![i]!]);
      const plain = problemOf(name, (i) => [1.5 + 0.3 * columns[1]![i]!, -1]);
      for (const [problem, least, most] of [
        [following, 50, 400],
        [plain, 0, 3],
      ] as const) {
        // Without the columns that tell of zeros.
        const zeros = heldOutScores({ ...problem, ...whiten([columns[1]!], N) }, 1, 5);
        const gain = total(heldOutScores(problem, 1, 5)) - total(zeros);
        expect(gain).toBeLessThan(most);
        expect(gain).toBeGreaterThan(least === 0 ? -5 : least);
      }
    }
  });
});

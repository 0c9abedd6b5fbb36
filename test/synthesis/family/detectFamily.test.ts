import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FAMILIES, type Family } from '../../../packages/contract/families.ts';
import { familyOf as distributionOf } from '../../../packages/numerics/distributions/families.ts';
import { createStream } from '../../../packages/numerics/random/createStream.ts';
import { detectFamily } from '../../../packages/synthesis/family/detectFamily.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { saying } from '../../support/problems.ts';
import { describeShared } from '../../support/shared.ts';

async function choiceOf(csv: string) {
  const profile = await profileUpload(bytesOf(csv), 'y.csv');
  return detectFamily(profile, profile.columns[0]!);
}

const familyOf = (cells: readonly (string | number)[]) =>
  choiceOf(`y,z\n${cells.map((cell) => `${cell},z`).join('\n')}\n`);

/** Linear predictors at which each family is told from its neighbours by 2,000 rows. */
const PREDICTORS: Readonly<Record<Family, readonly number[]>> = {
  gaussian: [50, Math.log(10)],
  student_t: [50, Math.log(10), Math.log(3)],
  lognormal: [3, Math.log(0.8)],
  gamma: [3, Math.log(2)],
  beta: [0.3, Math.log(6)],
  bernoulli: [0.2],
  poisson: [1],
  negative_binomial: [1.2, Math.log(1.2)],
  zero_inflated_poisson: [1.2, -1],
  zero_inflated_negative_binomial: [0.7, Math.log(8), 0],
  zero_inflated_beta: [0.3, Math.log(6), -2],
  one_inflated_beta: [0.3, Math.log(6), -2],
  zero_one_inflated_beta: [0.3, Math.log(6), -2, -2],
  hurdle_gamma: [3, Math.log(2), -0.5],
  hurdle_lognormal: [3, Math.log(0.8), -0.5],
  hurdle_poisson: [1.2, -3],
  hurdle_negative_binomial: [1.5, Math.log(1.5), -4],
};

/** How far the location follows x. A hurdle holds what is zero-inflated where the count's own zeros vary little. */
function effectIn(family: Family): number {
  if (family === 'gaussian' || family === 'student_t') return 8;
  return family === 'zero_inflated_negative_binomial' ? 0.8 : 0.4;
}

/** y follows a number x and a group g; seven decimals keep what is below 1 off it. */
function simulated(family: Family, seed: number, rows = 2000): string {
  const random = createStream(seed, family);
  const distribution = distributionOf(family);
  const size = effectIn(family);
  const lines = Array.from({ length: rows }, () => {
    const [x, g] = [random.normal(), random.integer(3)];
    const eta = Float64Array.from(PREDICTORS[family]);
    eta[0]! += size * (x + 0.7 * (g - 1));
    return `${Number(distribution.draw(eta, random).toFixed(7))},${x.toFixed(3)},g${g}`;
  });
  return `y,x,g\n${lines.join('\n')}\n`;
}

describe('detectFamily', () => {
  it.each(FAMILIES)('tells %s from 2,000 rows', async (family) => {
    expect((await choiceOf(simulated(family, 1))).family).toBe(family);
  });

  it('answers with the families it compared, the runner-up by pairs of rows, and the columns that the fits were given', async () => {
    const choice = await choiceOf(simulated('gamma', 4));
    expect(choice.candidates.map(({ family }) => family)).toEqual(['gamma', 'lognormal', 'student_t', 'gaussian']);
    const [first, second] = choice.candidates;
    expect(choice.runner_up?.family).toBe(second?.family);
    expect(choice.runner_up?.difference).toBeCloseTo(first!.log_score - second!.log_score, 9);
    expect(choice.runner_up?.standard_error).toBeGreaterThan(0);
    expect(choice).toMatchObject({ rows: 2000, predictors: ['x', 'g'] });
    expect(choice.reason).toMatch(/numbers above 0 .* On 2,000 rows given "x" and "g", gamma predicts .* lognormal/);
  });

  it('compares densities by the rows outside point masses, and says which were left out', async () => {
    const random = createStream(3, 'hours');
    const hours = Array.from({ length: 2000 }, (_, i) =>
      i % 5 < 2 ? 40 : Math.round(Math.min(99, Math.max(1, 40 + 12 * random.normal()))),
    );
    const { family, reason, rows } = await familyOf(hours);
    expect(family).toBe('gaussian');
    expect(rows).toBeLessThan(1200);
    expect(reason).toMatch(/The value 40 occurs in 8\d\d rows \(41\.\d %\)\. No family has a point mass there/);
    const few = await familyOf(hours.map((value) => (value < 40 ? 35.5 : value > 40 ? 45.5 : 40)));
    expect(few.rows).toBe(2000);
  });

  it('takes the simpler of two that are not apart beyond error, and says so', async () => {
    // With a thousand degrees of freedom a Student t is a gaussian.
    const random = createStream(8, 'near');
    const near = distributionOf('student_t');
    const cells = Array.from({ length: 1500 }, () =>
      near.draw(Float64Array.of(0, 0, Math.log(1000)), random).toFixed(4),
    );
    const { family, runner_up } = await familyOf(cells);
    expect([family, runner_up?.family]).toEqual(['gaussian', 'student_t']);
    expect(Math.abs(runner_up?.difference ?? 99)).toBeLessThan(Math.max(4, runner_up?.standard_error ?? 0));
  });

  it('compares given the other columns: what two groups explain is no second hump', async () => {
    const random = createStream(2, 'groups');
    const rows = Array.from({ length: 600 }, (_, i) => `${(i % 2 ? 100 : 400) + 10 * random.normal()},g${i % 2}`);
    expect((await choiceOf(`y,g\n${rows.join('\n')}\n`)).family).toBe('gaussian');
  });

  it('gives the same answer to the same profile', async () => {
    const csv = simulated('hurdle_lognormal', 3);
    expect(await choiceOf(csv)).toEqual(await choiceOf(csv));
  });

  it('takes large whole numbers for no counts', async () => {
    const random = createStream(5, 'prices');
    const prices = Array.from({ length: 500 }, () =>
      random.uniform() < 0.2 ? 0 : Math.round(Math.exp(7 + random.normal())),
    );
    expect((await familyOf(prices)).family).toBe('hurdle_lognormal');
    const hours = Array.from({ length: 500 }, () => Math.max(1, Math.round(40 + 5 * random.normal())));
    expect((await familyOf(hours)).family).toBe('gaussian');
  });

  it('lets a count beyond all others be, without counting up to it', async () => {
    const counts = Array.from({ length: 100 }, (_, i) => i % 4);
    expect((await familyOf([...counts, 1e12])).family).not.toMatch(/poisson|binomial/);
  });

  it.each<[string, (string | number)[]]>([
    ['constant', [5, 5, 5]],
    ['of two rows', [1.5, 2.5]],
    ['of one number', [7, 'NA']],
    ['of two numbers that are not 0 and 1', Array.from({ length: 200 }, (_, i) => 1 + (i % 2))],
    ['of nineteen numbers', Array.from({ length: 19 }, (_, i) => 1.7 ** i)],
  ])('answers for a column %s', async (_, cells) => {
    expect((await familyOf(cells)).family).toBe('gaussian');
  });

  it.each<[string, (i: number) => string | number]>([
    ['reach to the largest double', (i) => (i % 50 === 0 ? 1e300 : i % 7)],
    ['reach to both ends of the doubles', (i) => [1e300, -1e300, 1e-300, 0.5][i % 4]!],
    ['are the smallest there are', (i) => `${1 + (i % 9)}e-300`],
    ['are nearly all zero', (i) => (i === 77 ? 3.5 : 0)],
    ['are nearly all missing', (i) => (i % 100 === 3 ? i : 'NA')],
    ['are one but for one', (i) => (i === 5 ? 2.25 : 7)],
    ['are shares, one value all but one', (i) => (i === 5 ? 0.25 : 0.5)],
  ])('answers with finite figures where numbers %s', async (_, cellOf) => {
    const choice = await familyOf(Array.from({ length: 400 }, (__, i) => cellOf(i)));
    for (const { log_score } of choice.candidates) expect(Number.isFinite(log_score)).toBe(true);
    expect(choice.reason).not.toMatch(/NaN|Infinity|undefined/);
  });

  it('is not led by a predictor that is the target once more', async () => {
    const random = createStream(6, 'copy');
    const rows = Array.from({ length: 800 }, () => Math.exp(3 + random.normal()));
    const csv = `y,cents,log\n${rows.map((y) => `${y.toFixed(2)},${(100 * y).toFixed(0)},${Math.log(y).toFixed(6)}`).join('\n')}\n`;
    const choice = await choiceOf(csv);
    expect(choice).toMatchObject({ family: 'lognormal', predictors: [] });
  });

  it('says why, with the figures that decided', async () => {
    const { reason } = await familyOf([0, 1, 1, 0, 1]);
    expect(reason).toBe('Every number is 0 or 1; 60 % are 1.');
  });

  it('passes over cells that are no numbers', async () => {
    expect((await familyOf([...Array.from({ length: 40 }, (_, i) => i % 2), '?'])).family).toBe('bernoulli');
  });

  it('refuses a column without numbers, by name', async () => {
    const days = Array.from({ length: 40 }, (_, i) => `2024-03-${10 + (i % 20)}`);
    await expect(familyOf(days)).rejects.toMatchObject({
      code: 'invalid_parameter',
      params: saying('"y"'),
    });
  });
});

/** What a statistician would name, and why. */
const NAMED: readonly [table: string, target: string, families: Family[], why: string][] = [
  ['penguins', 'body_mass_g', ['gaussian'], 'within species and sex, masses are bell-shaped'],
  ['titanic', 'Survived', ['bernoulli'], 'it is 0 or 1'],
  ['titanic', 'Fare', ['hurdle_lognormal', 'hurdle_gamma'], 'prices with fifteen free passages'],
  ['k401k', 'prate', ['one_inflated_beta'], 'percent, 44 % of it exactly 100'],
  ['nmes1988', 'visits', ['hurdle_negative_binomial'], 'overdispersed counts: to go at all is a choice of its own'],
  ['nmes1988', 'income', ['student_t'], 'it has negative values and a long tail'],
  ['california_housing', 'median_house_value', ['lognormal', 'gamma'], 'prices that fan out'],
  ['adult', 'hours_per_week', ['gaussian', 'student_t'], 'whole, but heaped at 40: no count'],
  ['adult', 'capital_gain', ['hurdle_lognormal'], '92 % zeros, the rest skewed'],
  ['diamonds', 'price', ['lognormal', 'gamma'], 'whole prices: no count'],
  ['ohlsson_motorcycle', 'skadkost', ['hurdle_lognormal', 'hurdle_gamma'], '99 % of policies cost nothing'],
  ['ohlsson_motorcycle', 'antskad', ['hurdle_poisson'], 'rare counts, and none where there is no cost'],
  ['oslo_airbnb', 'price', ['lognormal'], 'prices with a skewness of 24'],
  ['wine_reviews_au', 'points', ['gaussian'], 'a score from 80 to 100 that nobody gets to the end of'],
  ['wine_reviews_au', 'price', ['lognormal'], 'prices with a skewness of 9'],
  ['coffee_reviews', 'rating', ['gaussian', 'student_t'], 'a score with a few bad cups'],
];

describeShared('detectFamily over real targets', (dir) => {
  it.each(NAMED)('of %s: %s is %j, for %s', async (table, name, families) => {
    const profile = await profileUpload(
      bytesOf(readFileSync(join(dir, 'data', `${table}.csv`)), 65_536),
      `${table}.csv`,
    );
    const target = profile.columns.find((candidate) => candidate.name === name);
    expect(families).toContain(target && detectFamily(profile, target).family);
  });
});

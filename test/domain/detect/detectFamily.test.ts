import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { detectFamily } from '../../../domain/detect/detectFamily.ts';
import { profileUpload } from '../../../domain/profile/profileUpload.ts';
import type { Family } from '../../../domain/schema/families.ts';
import { createStream } from '../../../numerics/random/createStream.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { bytesOf } from '../../support/bytes.ts';
import { describeShared } from '../../support/shared.ts';

async function familyOf(cells: readonly (string | number)[]) {
  const profile = await profileUpload(bytesOf(`y,z\n${cells.map((cell) => `${cell},z`).join('\n')}\n`), 'y.csv');
  return detectFamily(profile, profile.columns[0]!);
}

/** Draws of known families. */
const DRAWS: Record<string, (random: RandomStream) => number> = {
  gaussian: (random) => 50 + 10 * random.normal(),
  wholeGaussian: (random) => Math.round(4200 + 800 * random.normal()),
  studentT: (random) => random.normal() / Math.sqrt(random.gamma(1.5) / 1.5),
  lognormal: (random) => Math.exp(3 + 0.8 * random.normal()),
  gamma: (random) => 4 * random.gamma(1.5),
  bernoulli: (random) => (random.uniform() < 0.3 ? 1 : 0),
  beta: (random) => beta(random),
  zeroBeta: (random) => (random.uniform() < 0.1 ? 0 : beta(random)),
  oneBeta: (random) => (random.uniform() < 0.1 ? 1 : beta(random)),
  zeroOneBeta: (random) => (random.uniform() < 0.2 ? random.integer(2) : beta(random)),
  percent: (random) => (random.uniform() < 0.4 ? 100 : 100 * beta(random)),
  poisson: (random) => poisson(random, 3),
  negativeBinomial: (random) => poisson(random, (4 * random.gamma(1.2)) / 1.2),
  inflatedPoisson: (random) => (random.uniform() < 0.3 ? 0 : poisson(random, 4)),
  hurdleLognormal: (random) => (random.uniform() < 0.6 ? 0 : Math.exp(5 + random.normal())),
  hurdleGamma: (random) => (random.uniform() < 0.3 ? 0 : 100 * random.gamma(1)),
};

function beta(random: RandomStream): number {
  const a = random.gamma(2);
  return a / (a + random.gamma(3));
}

function poisson(random: RandomStream, mean: number): number {
  let count = 0;
  for (let left = Math.exp(-mean), product = random.uniform(); product > left; product *= random.uniform()) count++;
  return count;
}

describe('detectFamily', () => {
  it.each<[string, Family]>([
    ['gaussian', 'gaussian'],
    ['wholeGaussian', 'gaussian'],
    ['studentT', 'student_t'],
    ['lognormal', 'lognormal'],
    ['gamma', 'gamma'],
    ['bernoulli', 'bernoulli'],
    ['beta', 'beta'],
    ['zeroBeta', 'zero_inflated_beta'],
    ['oneBeta', 'one_inflated_beta'],
    ['zeroOneBeta', 'zero_one_inflated_beta'],
    ['percent', 'one_inflated_beta'],
    ['poisson', 'poisson'],
    ['negativeBinomial', 'negative_binomial'],
    ['inflatedPoisson', 'zero_inflated_poisson'],
    ['hurdleLognormal', 'hurdle_lognormal'],
    ['hurdleGamma', 'hurdle_gamma'],
  ])('tells %s from 3,000 draws', async (name, family) => {
    const random = createStream(11, name);
    const draw = DRAWS[name];
    const cells = Array.from({ length: 3000 }, () => draw?.(random) ?? 0);
    expect((await familyOf(cells)).family).toBe(family);
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
  ])('answers for a column %s', async (_, cells) => {
    expect((await familyOf(cells)).family).toBe('gaussian');
  });

  it('says why, with the figures that decided', async () => {
    const { reason } = await familyOf([0, 1, 1, 0, 1]);
    expect(reason).toBe('Every number is 0 or 1; 60 % are 1.');
  });

  it('passes over cells that are no numbers', async () => {
    expect((await familyOf([...Array.from({ length: 40 }, (_, i) => i % 2), '?'])).family).toBe('bernoulli');
  });

  it('refuses a column without numbers, by name', async () => {
    await expect(familyOf(['red', 'green'])).rejects.toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('"y"'),
    });
  });
});

describeShared('detectFamily over real targets', (dir) => {
  it.each<[string, string, Family[]]>([
    ['penguins', 'body_mass_g', ['gaussian']],
    ['titanic', 'Survived', ['bernoulli']],
    ['titanic', 'Fare', ['hurdle_lognormal', 'hurdle_gamma']],
    ['k401k', 'prate', ['one_inflated_beta']],
    ['nmes1988', 'visits', ['negative_binomial', 'zero_inflated_negative_binomial']],
    ['nmes1988', 'income', ['student_t']],
    ['california_housing', 'median_house_value', ['lognormal', 'gamma']],
    ['adult', 'hours_per_week', ['gaussian', 'student_t']],
    ['adult', 'capital_gain', ['hurdle_lognormal']],
    ['diamonds', 'price', ['lognormal', 'gamma']],
    ['ohlsson_motorcycle', 'skadkost', ['hurdle_lognormal', 'hurdle_gamma']],
    ['ohlsson_motorcycle', 'antskad', ['poisson', 'negative_binomial']],
    ['oslo_airbnb', 'price', ['lognormal']],
    ['wine_reviews_au', 'points', ['gaussian']],
    ['coffee_reviews', 'rating', ['gaussian', 'student_t']],
  ])('of %s: %s', async (table, name, families) => {
    const profile = await profileUpload(
      bytesOf(readFileSync(join(dir, 'data', `${table}.csv`)), 65_536),
      `${table}.csv`,
    );
    const target = profile.columns.find((candidate) => candidate.name === name);
    expect(families).toContain(target && detectFamily(profile, target).family);
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { FAMILIES, type Family } from '../../../packages/contract/families.ts';
import { generateRequestSchema } from '../../../packages/contract/requests.ts';
import { familyOf } from '../../../packages/numerics/distributions/families.ts';
import { toScale } from '../../../packages/numerics/regression/responseScale.ts';
import { canHold, scaleOf, targetFacts } from '../../../packages/synthesis/family/familySupport.ts';
import { checkFamily } from '../../../packages/synthesis/request/checkRequest.ts';
import type { Profile } from '../../../packages/tables/profile/profile.ts';
import { profileUpload } from '../../../packages/tables/profile/profileUpload.ts';
import { bytesOf } from '../../support/bytes.ts';
import { httpText } from '../../support/problems.ts';

const profileOf = (cells: readonly (string | number)[]): Promise<Profile> =>
  profileUpload(bytesOf(`y,z\n${cells.map((cell) => `${cell},z`).join('\n')}\n`), 'y.csv');

function refusal(profile: Profile, family: Family | 'auto'): ServiceError | undefined {
  try {
    checkFamily(generateRequestSchema.parse({ job_id: 'a', target_col: 'y', family }), profile);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

describe('checkFamily', () => {
  it.each<[string, (string | number)[], Family, string[]]>([
    ['a negative number', [1, 2.5, -3, 4], 'gamma', ['-3 in row 3', 'numbers above 0', 'Choose family "gaussian"']],
    [
      'a zero',
      [1.5, 0, 2, 0],
      'lognormal',
      ['2 zeros among its 4 numbers, the first in row 2', 'Choose family "hurdle_lognormal"'],
    ],
    ['a negative number', [0, 2, -0.5], 'hurdle_gamma', ['-0.5 in row 3', 'numbers from 0 up']],
    ['decimals', [3, 1, 2.75, 0.5], 'poisson', ['2.75 in row 3', 'whole numbers', 'Choose family "hurdle_gamma"']],
    ['a negative count', [3, -1, 2], 'hurdle_poisson', ['-1 in row 2', 'Choose family "gaussian"']],
    [
      'an exact 0',
      [0.5, 0, 0.2],
      'beta',
      ['1 zero among its 3 numbers, in row 2', 'Choose family "zero_inflated_beta"'],
    ],
    ['an exact 1', [0.5, 0.2, 1], 'beta', ['1 in row 3', 'Choose family "one_inflated_beta"']],
    ['exact 0 and 1', [0.5, 0, 1], 'beta', ['Choose family "zero_one_inflated_beta"']],
    ['exact 100 percent', [55.5, 100, 20], 'zero_inflated_beta', ['100 in row 2', 'Choose family "one_inflated_beta"']],
    ['more than 100 percent', [55.5, 120, 20], 'one_inflated_beta', ['120 in row 2', 'Choose family "gamma"']],
    [
      'no number between 0 and 1',
      [0, 1, 1, 0],
      'zero_one_inflated_beta',
      ['no number strictly between 0 and 1', 'Choose family "bernoulli"'],
    ],
    ['other numbers than 0 and 1', [1, 2, 2, 1], 'bernoulli', ['2 in row 2', 'Choose family "poisson"']],
    ['a half', [0, 1, 0.5], 'bernoulli', ['0.5 in row 3']],
    ['only zeros', [0, 0, 0], 'hurdle_gamma', ['no number above 0']],
  ])('refuses %s (%j) under %s, with value, row and what to name instead', async (_, cells, family, said) => {
    const found = refusal(await profileOf(cells), family);
    expect(found).toMatchObject({ code: 'invalid_parameter' });
    for (const words of ['"y"', family, ...said]) expect(httpText(found)).toContain(words);
  });

  it.each<[string, (string | number)[], Family]>([
    ['percent under beta', [10, 99.5, 0.5], 'beta'],
    ['percent signs under beta', ['10 %', '0.4 %', '20 %'], 'beta'],
    ['percent with 100 under one_inflated_beta', [10.5, 100, 40], 'one_inflated_beta'],
    ['whole numbers written with a point under poisson', ['1.0', '0.0', '4.0'], 'poisson'],
    ['0 and 1 written with a point under bernoulli', ['1.0', '0.0', '1.0'], 'bernoulli'],
    ['anything under student_t', [-1e300, 0, 5.5], 'student_t'],
    ['missing cells beside positive numbers under gamma', [1, 'NA', 3], 'gamma'],
    ['large counts under negative_binomial', [0, 1e6, 3], 'negative_binomial'],
  ])('admits %s', async (_, cells, family) => {
    expect(refusal(await profileOf(cells), family)).toBeUndefined();
  });

  it('names a family that it would not refuse, for any numbers and any family', async () => {
    const values = fc.constantFrom(-2, -0.5, 0, 0.25, 0.5, 1, 2, 7, 50.5, 100, 130);
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 1, maxLength: 6 }),
        fc.constantFrom(...FAMILIES),
        async (cells, family) => {
          const profile = await profileOf(cells);
          const params = refusal(profile, family)?.params;
          const named = params?.reason === 'family_cannot_hold' ? params.instead : undefined;
          const other = FAMILIES.find((each) => each === named);
          if (named !== undefined) expect(other && refusal(profile, other)).toBeUndefined();
        },
      ),
      { numRuns: 150 },
    );
  });

  it('refuses exactly where a number of the file, on its scale, is outside of the support of the distribution', async () => {
    const values = fc.constantFrom(-2, 0, 0.25, 1, 2, 50.5, 100, 130);
    await fc.assert(
      fc.asyncProperty(
        fc.array(values, { minLength: 1, maxLength: 5 }),
        fc.constantFrom(...FAMILIES),
        async (cells, family) => {
          const facts = targetFacts((await profileOf(cells)).columns[0]!)!;
          const { support } = familyOf(family);
          const scaled = toScale(Float64Array.from(cells), scaleOf(family, facts));
          const holds = scaled.every((value) => support.holds(value));
          // A hurdle without a number above 0, and an inflated beta without one inside, have nothing to fit.
          const isDegenerate =
            /^hurdle_(gamma|lognormal)$|_inflated_beta$/.test(family) &&
            !scaled.some((y) => y > 0 && (family.startsWith('h') || y < 1));
          if (!isDegenerate) expect(canHold(family, facts)).toBe(holds);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('names no row where the least number is a mark for missing cells that was taken out', async () => {
    const cells = [-999, ...Array.from({ length: 60 }, (_, i) => 1 + (i % 20)), -999, 0, -999];
    const profile = await profileOf(cells);
    expect(profile.columns[0]?.numbers?.first?.min).toBeNull();
    expect(refusal(profile, 'gamma')?.params).toMatchObject({ found: 'zeros', cells: 1, row: 63 });
  });

  it('refuses by profiles of earlier versions, which know no rows', async () => {
    const profile = await profileOf([1, -3, 2.5, 0]);
    for (const { numbers } of profile.columns) delete numbers?.first;
    expect(refusal(profile, 'gamma')?.params).toMatchObject({ found: 'value', value: -3, row: null });
    expect(httpText(refusal(profile, 'poisson'))).toContain('has the value -3.');
    expect(refusal(profile, 'student_t')).toBeUndefined();
  });

  it('leaves auto, and a request without a target, alone', async () => {
    const profile = await profileOf([1, -3, 2.5, 0]);
    expect(refusal(profile, 'auto')).toBeUndefined();
    const request = generateRequestSchema.parse({ job_id: 'a', text_cols: ['z'], family: 'gamma' });
    expect(() => checkFamily(request, profile)).not.toThrow();
  });
});

import { describe, expect, it } from 'vitest';
import { compareRequestSchema } from '../../packages/contract/requests.ts';
import { comparedWords, judgeRequest, whyNotJudged } from '../../web/logic/judge.ts';
import type { Roles } from '../../web/logic/roles.ts';

const real = { columns: ['price', 'area', 'city', 'id'] };
const roles: Roles = new Map([
  ['price', 'target'],
  ['area', 'continuous'],
  ['city', 'categorical'],
  ['id', 'ignore'],
]);
const NONE = { real: undefined, synthetic: undefined, held: undefined };

describe('a table that is to be judged', () => {
  it('waits for both tables, a role, and the columns that have one', () => {
    const synthetic = { columns: ['price', 'city', 'extra'] };
    expect(whyNotJudged(NONE, roles)).toBe('Choose the real table.');
    expect(whyNotJudged({ ...NONE, real }, roles)).toBe('Choose the synthetic table.');
    expect(whyNotJudged({ ...NONE, real, synthetic: real }, roles)).toBeUndefined();
    expect(whyNotJudged({ ...NONE, real, synthetic: real }, new Map([['price', 'ignore']]))).toContain('one column');
    expect(whyNotJudged({ ...NONE, real, synthetic }, roles)).toBe(
      'The synthetic table has no column "area". Set the role to Ignore, or choose another file.',
    );
    expect(whyNotJudged({ real, synthetic: real, held: { columns: [] } }, roles)).toContain(
      'The held-out table has no columns "price", "area" and "city".',
    );
  });

  it('is said to be compared by the columns with a role', () => {
    const synthetic = { columns: ['price', 'area', 'city', 'extra'] };
    expect(comparedWords({ ...NONE, real, synthetic }, roles)).toBe(
      '3 columns will be compared, 1 column ignored. Target: "price", which measures utility. Left out, because only the synthetic table has them: "extra".',
    );
    expect(comparedWords({ ...NONE, real }, new Map([['area', 'continuous']]))).toBe(
      '1 column will be compared. No column to predict: utility is measured by predicting the other columns.',
    );
  });

  it('makes a request that the service takes, with a target or without one', () => {
    expect(judgeRequest({ real: 'a', synthetic: null, held: null }, roles)).toBeUndefined();
    const asked = judgeRequest({ real: 'a', synthetic: 'b', held: 'c' }, roles);
    expect(compareRequestSchema.strict().parse(asked)).toMatchObject({
      job_id: 'b',
      real_job_id: 'a',
      holdout_job_id: 'c',
      target_col: 'price',
      continuous_cols: ['area'],
      categorical_cols: ['city'],
    });
    const bare = judgeRequest({ real: 'a', synthetic: 'b', held: null }, new Map([['city', 'categorical']]));
    expect(compareRequestSchema.strict().parse(bare)).toMatchObject({ holdout_job_id: null, target: 'none' });
  });
});

import { describe, expect, it } from 'vitest';
import type { GenerateRequestBody } from '../../../packages/contract/requests.ts';
import { detectFamily } from '../../../packages/synthesis/family/detectFamily.ts';
import { httpText } from '../../support/problems.ts';
import { column, numeric, profileOf } from '../../support/profiles.ts';
import { refusalOf } from './refusalOf.ts';

const levels = (counts: readonly number[]) => ({
  distinct: counts.length,
  top_levels: counts.map((count, k): [string, number] => [`level ${k}`, count]),
});

const PROFILE = profileOf([
  numeric('x'),
  numeric('zero or one', 100, {
    distinct: 2,
    format: { kind: 'plain', format: { integer: true, decimals: 0, fixed: false, min: 0, max: 1 } },
    numbers: {
      count: 100,
      format: { integer: true, decimals: 0, fixed: false, min: 0, max: 1 },
      mean: 0.5,
      sd: 0.5,
      zeros: 50,
      quantiles: [0, 1],
    },
  }),
  column('two', levels([60, 40])),
  column('five', levels([30, 30, 20, 12, 8])),
  column('two and rare ones', levels([60, 36, 3, 1])),
  column('one and a rare one', levels([97, 3])),
  column('many', levels(Array.from({ length: 21 }, () => 4))),
  column('text', { kind: 'text', distinct: 90 }),
  column('id', { kind: 'identifier', distinct: 100 }),
  column('day', { kind: 'datetime', distinct: 50 }),
]);

const refusal = (body: Partial<GenerateRequestBody>) => refusalOf(body, PROFILE);

const refusedFor = (body: Partial<GenerateRequestBody>): unknown => {
  const error = refusal(body);
  return error && [error.code, error.field, error.params.reason];
};

describe('a target of labels', () => {
  it.each([
    ['two', 'auto'],
    ['two', 'bernoulli'],
    ['two', 'categorical'],
    ['five', 'auto'],
    ['five', 'categorical'],
    ['two and rare ones', 'auto'],
    ['x', 'categorical'],
    ['zero or one', 'bernoulli'],
  ] as const)('may be %j with the family %s', (target_col, family) => {
    expect(refusedFor({ target_col, family })).toBeUndefined();
  });

  it.each([
    ['text', 'column_not_numeric'],
    ['id', 'target_is_key'],
    ['day', 'target_is_time'],
    ['many', 'target_of_many_levels'],
    ['one and a rare one', 'target_of_one_level'],
  ])('is not %j: %s', (target_col, reason) => {
    expect(refusedFor({ target_col })).toEqual(['invalid_parameter', 'target_col', reason]);
  });

  it.each([
    ['two', 'gaussian'],
    ['five', 'bernoulli'],
    ['five', 'poisson'],
  ] as const)('%j is refused with the family %s, and which would do is said', (target_col, family) => {
    const error = refusal({ target_col, family });
    expect([error?.code, error?.field, error?.params.reason]).toEqual([
      'invalid_parameter',
      'family',
      'family_without_labels',
    ]);
    expect(error && httpText(error)).toMatch(target_col === 'two' ? /"bernoulli" or / : /"categorical" or /);
  });

  it('is refused with words that say what to do', () => {
    const many = refusal({ target_col: 'many' });
    expect(many && httpText(many)).toBe(
      'target_col: column "many" has 21 levels, and a target of categories has at most 20. Put it in categorical_cols instead, or merge its rare levels.',
    );
    const one = refusal({ target_col: 'one and a rare one' });
    expect(one && httpText(one)).toContain('Put it in categorical_cols instead, or keep its rare levels');
    expect(refusedFor({ target_col: 'one and a rare one', keep_rare: true })).toBeUndefined();
  });

  it('has conditions on its levels', () => {
    const body = { target_col: 'two', continuous_cols: ['x'] };
    expect(refusedFor({ ...body, conditions: [{ column: 'two', equals: 'level 1' }] })).toBeUndefined();
    expect(refusedFor({ ...body, conditions: [{ column: 'two', between: [1, 2] }] })).toEqual([
      'invalid_parameter',
      'conditions[0]',
      expect.any(String),
    ]);
    expect(refusedFor({ ...body, conditions: [{ column: 'two', equals: 'level 9' }] })).toEqual([
      'invalid_parameter',
      'conditions[0]',
      expect.any(String),
    ]);
  });

  it('has the family bernoulli or categorical by itself, by how many levels it has', () => {
    const familyOf = (name: string) => {
      const found = PROFILE.columns.find((own) => own.name === name);
      return found && detectFamily(PROFILE, found).family;
    };
    expect(['two', 'five', 'zero or one'].map(familyOf)).toEqual(['bernoulli', 'categorical', 'bernoulli']);
  });
});

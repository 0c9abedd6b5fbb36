import { describe, expect, it } from 'vitest';
import type { CellFormat } from '../../../packages/contract/columns.ts';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import { checkRequest } from '../../../packages/synthesis/request/checkRequest.ts';
import { httpText } from '../../support/problems.ts';
import { column, numeric, profileOf } from '../../support/profiles.ts';

const DAY: CellFormat = {
  kind: 'time',
  pattern: 'YYYY-MM-DD',
  unit: 'day',
  zone: null,
  format: { integer: true, decimals: 0, fixed: false, min: 19_000, max: 20_000 },
};
const NUMBERS = numeric('x').numbers!;
const whole = { integer: true, decimals: 0, fixed: false, min: 0, max: 90 };
const LEVELS: [string, number][] = [
  ['female', 400],
  ['male', 300],
  ['Other', 100],
  ['é', 50],
  ['few', 7],
];

const PROFILE = profileOf([
  numeric('y'),
  numeric('x', 100, { missing: 3, missing_tokens: [['NA', 3]] }),
  numeric('age', 100, { format: { kind: 'plain', format: whole }, numbers: { ...NUMBERS, format: whole } }),
  numeric('day', 100, { kind: 'datetime', format: DAY }),
  column('sex', { distinct: 5, top_levels: LEVELS, missing: 4, missing_tokens: [['', 4]] }),
  column('city', { distinct: 4000, distinct_exact: false, top_levels: [['Oslo', 90]] }),
  column('note', { kind: 'text' }),
  column('id', { kind: 'identifier' }),
  column('unused'),
]);
const ROLES = {
  target_col: 'y',
  continuous_cols: ['x', 'age', 'day'],
  categorical_cols: ['sex', 'city', 'id'],
  text_cols: ['note'],
};

type Conditions = NonNullable<GenerateRequestBody['conditions']>;
function refusal(conditions: Conditions, changes: Partial<GenerateRequestBody> = {}): [string, string] | undefined {
  try {
    checkRequest(generateRequestSchema.parse({ job_id: 'a', ...ROLES, ...changes, conditions }), PROFILE);
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return [error.code, httpText(error)];
    throw error;
  }
}

describe('conditions', () => {
  it.each<[string, Conditions]>([
    ['a level', [{ column: 'sex', equals: 'female' }]],
    ['several levels and missing cells', [{ column: 'sex', in: ['female', 'male', null] }]],
    ['missing cells alone', [{ column: 'sex', equals: null }]],
    ['missing numbers', [{ column: 'x', equals: null }]],
    ['a level that the profile may not know', [{ column: 'city', equals: 'Bergen' }]],
    ['a range open above', [{ column: 'age', between: [18, null] }]],
    ['a range wider than the column', [{ column: 'age', between: [-5, 18] }]],
    ['a number, as number or as text', [{ column: 'age', in: [18, '21'] }]],
    ['the target', [{ column: 'y', between: [0, 1] }]],
    ['times as the column writes them', [{ column: 'day', between: ['2023-01-01', '2023-12-31'] }]],
    [
      'balance',
      [
        { column: 'sex', equals: 'female', rows: 1500 },
        { column: 'sex', equals: 'male', rows: 1500 },
      ],
    ],
    [
      'a batch within all rows',
      [
        { column: 'age', between: [18, 60] },
        { column: 'age', between: [50, null], rows: 5 },
      ],
    ],
  ])('may be on %s', (_, conditions) => {
    expect(refusal(conditions)).toBeUndefined();
  });

  it.each<[string, Conditions, string]>([
    ['a level of another case', [{ column: 'sex', equals: 'Female' }], 'Did you mean "female"?'],
    ['a level with a space', [{ column: 'sex', equals: 'male ' }], 'Did you mean "male"'],
    ['a level of another Unicode form', [{ column: 'sex', equals: 'e\u0301' }], 'Did you mean "é"'],
    [
      'an unknown level',
      [{ column: 'sex', equals: 'unknowable' }],
      'Its levels are "female", "male", "Other", "é" and "few"',
    ],
    ['a token for missing cells', [{ column: 'sex', equals: 'NA' }], 'Use null'],
    ['a number for a level', [{ column: 'sex', equals: 1 }], 'Write "1" instead of 1'],
    ['a range of levels', [{ column: 'sex', between: ['a', 'm'] }], '"in"'],
    ['a rare level', [{ column: 'sex', equals: 'few' }], 'occurs in fewer than 8 rows'],
    ['missing cells where there are none', [{ column: 'age', equals: null }], 'no missing cell'],
    ['a range outside of the column', [{ column: 'age', between: [91, 99] }], '0 to 90'],
    ['a number outside of the column', [{ column: 'age', in: [18, 91] }], '0 to 90'],
    ['a number that is not written so', [{ column: 'age', equals: 18.5 }], 'its numbers are whole'],
    ['a range between two numbers', [{ column: 'age', between: [18.1, 18.9] }], 'no number between'],
    ['a range upside down', [{ column: 'age', between: [30, 20] }], 'no number between 30 and 20'],
    ['a word for a number, with an example that is no cell', [{ column: 'age', equals: 'old' }], 'like "12"'],
    ['a number for a time', [{ column: 'day', between: [19_000, null] }], '"2024-10-04"'],
    ['a time in another form', [{ column: 'day', equals: '01.02.2023' }], 'is not one'],
    ['a text', [{ column: 'note', equals: 'a' }], 'is in text_cols'],
    ['an identifier', [{ column: 'id', equals: 'a' }], 'new values are generated'],
    ['a column without a role', [{ column: 'unused', equals: 'a' }], 'has no role'],
    [
      'two levels at once',
      [
        { column: 'sex', equals: 'male' },
        { column: 'sex', equals: 'female' },
      ],
      'contradict',
    ],
    [
      'levels that no row may have at once',
      [
        { column: 'sex', in: ['male', 'Other'] },
        { column: 'sex', equals: 'female', rows: 3 },
      ],
      'conditions[0] ("sex" in "male" and "Other") and conditions[1] ("sex" = "female") contradict',
    ],
    [
      'ranges apart',
      [
        { column: 'age', between: [0, 10] },
        { column: 'age', between: [11, null] },
      ],
      'contradict',
    ],
    [
      'a number apart from a range',
      [
        { column: 'age', equals: 5 },
        { column: 'age', between: [6, 9] },
      ],
      'contradict',
    ],
    [
      'three ranges that meet by twos alone',
      [
        { column: 'age', in: [1, 2] },
        { column: 'age', in: [2, 3] },
        { column: 'age', in: [1, 3] },
      ],
      'contradict',
    ],
    ['more rows than there will be', [{ column: 'age', equals: 5, rows: 3001 }], 'Raise n_samples to 3001'],
  ])('are refused on %s', (_, conditions, said) => {
    const [code, message] = refusal(conditions) ?? [];
    expect(code).toBe('invalid_parameter');
    expect(message).toContain(said);
  });

  it('name columns that there are', () => {
    expect(refusal([{ column: 'Sex', equals: 'male' }])?.[0]).toBe('column_not_found');
  });

  it('may ask for rare levels where those may come out', () => {
    expect(refusal([{ column: 'sex', equals: 'few' }], { keep_rare: true })).toBeUndefined();
  });
});

it('conditions of entities may ask for as many of them as there will be, and not for more', () => {
  const asked = [{ column: 'sex', equals: 'female', rows: 60 }];
  const entities = (n_entities: number) =>
    refusal(asked, { entity_col: 'unused', n_entities, allow_few_rows: true })?.[1] ?? 'taken';
  expect(entities(60)).toBe('taken');
  expect(entities(20)).toContain('ask for 60 entities in total, but the table will have 20. Raise n_entities to 60');
});

describe('the form of conditions', () => {
  const faultOf = (conditions: unknown): string => {
    const result = generateRequestSchema.safeParse({ job_id: 'a', conditions });
    return result.success ? '' : result.error.issues.map(({ message }) => message).join('; ');
  };

  it.each<[string, unknown, string]>([
    ['no list', { column: 'a', equals: 'b' }, 'must be a list of conditions'],
    ['a name alone', ['a'], 'must be an object'],
    ['no question', [{ column: 'a' }], 'exactly one of equals, in and between'],
    ['two questions', [{ column: 'a', equals: 'b', in: ['c'] }], 'exactly one'],
    ['no column', [{ equals: 'b' }], 'must be a column name'],
    ['an empty list', [{ column: 'a', in: [] }], 'must have at least one value'],
    ['a range of one', [{ column: 'a', between: [1] }], 'must be a list of two'],
    ['a range without ends', [{ column: 'a', between: [null, null] }], 'at least one bound'],
    ['an object for a value', [{ column: 'a', equals: {} }], 'must be a text or a number'],
    ['no rows', [{ column: 'a', equals: 'b', rows: 0 }], 'must be a whole number, 1 or more'],
    ['too many', Array.from({ length: 101 }, () => ({ column: 'a', equals: 'b' })), 'at most 100 conditions'],
  ])('is refused with %s', (_, conditions, said) => {
    expect(faultOf(conditions)).toContain(said);
  });

  it('stays as it is when it is read again, as from a record', () => {
    const conditions = [
      { column: 'a', equals: null },
      { column: 'b', in: [1, 'x'], rows: 4 },
      { column: 'c', between: [null, 3] },
    ];
    const once = generateRequestSchema.parse({ job_id: 'a', conditions });
    expect(generateRequestSchema.parse(once)).toEqual(once);
    expect(generateRequestSchema.parse({ job_id: 'a' }).conditions).toEqual([]);
  });
});

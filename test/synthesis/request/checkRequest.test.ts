import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellFormat, ColumnProfile } from '../../../packages/contract/columns.ts';
import { ServiceError } from '../../../packages/contract/errors.ts';
import { type GenerateRequestBody, generateRequestSchema } from '../../../packages/contract/requests.ts';
import { checkRequest, withTarget } from '../../../packages/synthesis/request/checkRequest.ts';
import { httpText, saying } from '../../support/problems.ts';
import { column, emptyColumn, numeric, profileOf } from '../../support/profiles.ts';
import { refusalOf } from './refusalOf.ts';

const DAY: CellFormat = {
  kind: 'time',
  pattern: 'YYYY-MM-DD',
  unit: 'day',
  zone: null,
  format: { integer: true, decimals: 0, fixed: false, min: 19_000, max: 20_000 },
};

const PROFILE = profileOf([
  numeric('x'),
  numeric('y'),
  numeric('mostly numbers', 90),
  numeric('half numbers', 50),
  numeric('numbers where not missing', 50, { missing: 50 }),
  column('c'),
  column('a, "quoted"\n🐧 name'),
  column('__proto__'),
  column('t', { kind: 'text' }),
  emptyColumn('nothing'),
  numeric('day', 100, { kind: 'datetime', format: DAY }),
  column('days of many forms', { kind: 'datetime' }),
  column('id', { kind: 'identifier' }),
  numeric('numbered', 10, { kind: 'identifier' }),
]);

const refusal = (body: Partial<GenerateRequestBody>) => refusalOf(body, PROFILE);

describe('rows that belong together', () => {
  const key = column('key', { kind: 'identifier', distinct: 60, key: { kind: 'repeated', keys: 60, rows: 400 } });
  const few = column('few', { distinct: 3 });
  const one = column('one', { distinct: 1 });
  const profile = profileOf([
    numeric('x'),
    numeric('day', 100, { kind: 'datetime', format: DAY }),
    column('c'),
    key,
    few,
    one,
  ]);
  const refusedFor = (body: Partial<GenerateRequestBody>): unknown => {
    const asked = { job_id: 'a', target: 'none' as const, continuous_cols: ['x'], ...body };
    try {
      return checkRequest(generateRequestSchema.parse(asked), profile);
    } catch (error) {
      return error instanceof ServiceError ? [error.code, error.field, error.params.reason] : error;
    }
  };

  it('are named by a key with an order of numbers or dates; the key is among those that are made anew', () => {
    expect(refusedFor({ entity_col: 'key' })).toEqual(['key']);
    expect(refusedFor({ entity_col: 'key', order_col: 'day', n_entities: 20 })).toEqual(['key']);
    expect(refusedFor({ entity_col: 'key', order_col: 'x' })).toEqual(['key']);
  });

  it('are refused with a key in another role too, an order that is none, or without a key', () => {
    const twice = 'column_given_twice';
    expect(refusedFor({ entity_col: 'x' })).toEqual(['invalid_parameter', 'entity_col', twice]);
    expect(refusedFor({ entity_col: 'key', text_cols: ['key'] })).toEqual(['invalid_parameter', 'entity_col', twice]);
    expect(refusedFor({ entity_col: 'key', order_col: 'key' })).toEqual(['invalid_parameter', 'entity_col', twice]);
    const target = { target_col: 'x', continuous_cols: [], order_col: 'x' };
    expect(refusedFor({ entity_col: 'key', ...target })).toEqual(['invalid_parameter', 'order_col', twice]);
    const text = ['invalid_parameter', 'order_col', 'order_is_not_numeric'];
    expect(refusedFor({ entity_col: 'key', order_col: 'c' })).toEqual(text);
    expect(refusedFor({ order_col: 'day' })).toEqual(['invalid_parameter', 'order_col', 'entity_col_missing']);
    expect(refusedFor({ n_entities: 4 })).toEqual(['invalid_parameter', 'n_entities', 'entity_col_missing']);
    expect(refusedFor({ entity_col: 'kee' })).toEqual(['column_not_found', 'entity_col', 'column_unknown']);
  });

  it('are refused where they are of one entity, or of fewer than 50, unless those are allowed', () => {
    expect(refusedFor({ entity_col: 'one' })).toEqual(['invalid_parameter', 'entity_col', 'entity_alone']);
    expect(refusedFor({ entity_col: 'few' })).toEqual(['too_few_rows', 'allow_few_rows', 'too_few_entities']);
    expect(refusedFor({ entity_col: 'few', allow_few_rows: true })).toEqual(['few']);
  });
});

describe('withTarget', () => {
  const asked = (body: Partial<GenerateRequestBody>, role: ColumnProfile['suggested_role'] = 'target') => {
    const columns = PROFILE.columns.map((one) => (one.name === 'x' ? { ...one, suggested_role: role } : one));
    return withTarget(generateRequestSchema.parse({ job_id: 'a', ...body }), { ...PROFILE, columns }).target_col;
  };

  it('takes the suggested target where it is asked to, there is one, and it has no other role', () => {
    expect(asked({ target: 'auto' })).toBe('x');
    expect(asked({ target: 'auto', target_col: 'y' })).toBe('y');
    expect(asked({ target: 'auto', continuous_cols: ['x'] })).toBeNull();
    expect(asked({ target: 'auto' }, 'continuous')).toBeNull();
    expect(asked({ target: 'none' })).toBeNull();
    expect(asked({})).toBeNull();
  });
});

describe('a table of few rows', () => {
  const check = (rows: number, own: { allow_few_rows?: boolean } = {}) =>
    checkRequest(generateRequestSchema.parse({ job_id: 'a', target_col: 'x', ...own }), { ...PROFILE, rows });

  it('is refused below 50 rows unless the request allows it, after all that is wrong with the request', () => {
    expect(() => check(50)).not.toThrow();
    expect(() => check(1, { allow_few_rows: true })).not.toThrow();
    for (const own of [{}, { allow_few_rows: false }]) {
      expect(() => check(49, own)).toThrow(
        expect.objectContaining({
          code: 'too_few_rows',
          field: 'allow_few_rows',
          params: { reason: 'too_few_rows', rows: 49, min: 50 },
        }),
      );
    }
    const wrong = generateRequestSchema.parse({ job_id: 'a', target_col: 'nope' });
    expect(() => checkRequest(wrong, { ...PROFILE, rows: 4 })).toThrow(
      expect.objectContaining({ code: 'column_not_found' }),
    );
  });
});

describe('checkRequest', () => {
  it.each<[string, Partial<GenerateRequestBody>]>([
    ['a target alone', { target_col: 'x' }],
    ['text alone', { text_cols: ['t'] }],
    ['every role', { target_col: 'x', continuous_cols: ['y'], categorical_cols: ['c'], text_cols: ['t'] }],
    ['a target with ninety numbers in a hundred cells', { target_col: 'mostly numbers' }],
    ['a target whose cells are numbers or missing', { target_col: 'numbers where not missing' }],
    ['a number as category and as text', { target_col: 'x', categorical_cols: ['y'], text_cols: ['half numbers'] }],
    ['a time as continuous', { target_col: 'x', continuous_cols: ['day'] }],
    ['times as categories', { target_col: 'x', categorical_cols: ['day', 'days of many forms'] }],
    ['an identifier as continuous', { target_col: 'x', continuous_cols: ['id'] }],
    ['an identifier as category', { target_col: 'x', categorical_cols: ['id'] }],
    ['categorical columns alone, and says so', { categorical_cols: ['c'], target: 'none' }],
    ['numbers alone, and leaves the target to the service', { continuous_cols: ['x'], target: 'auto' }],
    ['names of any kind', { target_col: 'x', categorical_cols: ['a, "quoted"\n🐧 name', '__proto__'] }],
  ])('admits %s', (_, body) => {
    expect(refusal(body)).toBeUndefined();
  });

  it('refuses to leave a target as it is drawn where there is none, and says what to do', () => {
    const refused = refusal({ categorical_cols: ['c'], target: 'none', calibrate: false });
    expect(refused).toMatchObject({ code: 'invalid_parameter', field: 'calibrate' });
    expect(refused?.params).toEqual({ reason: 'calibrate_without_target' });
    expect(httpText(refused)).toMatch(/Name one \(.*\), or leave .* out\.$/);
    expect(refusal({ target_col: 'x', calibrate: false })).toBeUndefined();
    expect(generateRequestSchema.parse({ job_id: 'a' })).toMatchObject({ calibrate: true, sampler: 'auto' });
    const other = generateRequestSchema.safeParse({ job_id: 'a', sampler: 'hmc' });
    expect(other.error?.issues[0]?.message).toBe('must be one of auto, nuts, approximate');
  });

  it.each<[string, Partial<GenerateRequestBody>]>([
    ['nothing', {}],
    ['nothing, and says so', { target: 'none' }],
    ['continuous columns alone', { continuous_cols: ['x'] }],
    ['categorical columns alone', { categorical_cols: ['c'] }],
    ['an unknown column and no target', { categorical_cols: ['absent'] }],
  ])('asks for a target where the request names %s', (_, body) => {
    expect(refusal(body)).toMatchObject({ code: 'missing_target' });
  });

  it.each(['target_col', 'continuous_cols', 'categorical_cols', 'text_cols'])(
    'names the field %s and the columns there are where one is unknown',
    (field) => {
      for (const name of ['absent', '', 'constructor', 'X', ' x']) {
        const found = refusal({ target_col: 'x', [field]: field === 'target_col' ? name : [name] });
        expect(found).toMatchObject({ code: 'column_not_found' });
        expect(httpText(found)).toContain(`${field}: there is no column ${JSON.stringify(name)}`);
        for (const { name: listed } of PROFILE.columns) expect(httpText(found)).toContain(listed);
      }
    },
  );

  it.each<[string, Partial<GenerateRequestBody>, string]>([
    ['in two lists', { target_col: 'x', continuous_cols: ['y'], categorical_cols: ['y'] }, '"y"'],
    ['as target and in a list', { target_col: 'x', continuous_cols: ['x'] }, '"x"'],
    ['twice in one list', { text_cols: ['t', 't'] }, '"t"'],
    [
      'twice where it is called __proto__',
      { target_col: 'x', categorical_cols: ['__proto__', '__proto__'] },
      '"__proto__"',
    ],
  ])('refuses a column %s, by its name', (_, body, name) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid_parameter', params: saying(name) });
  });

  it.each<[string, Partial<GenerateRequestBody>]>([
    ['target', { target_col: 't' }],
    ['target with half of its cells text', { target_col: 'half numbers' }],
    ['continuous column', { target_col: 'x', continuous_cols: ['c'] }],
  ])('refuses a %s that is not numeric', (_, body) => {
    expect(refusal(body)).toMatchObject({
      code: 'invalid_parameter',
      params: saying(/"(c|t|half numbers)" is not numeric/),
    });
  });

  it.each<Partial<GenerateRequestBody>>([
    { target_col: 'nothing' },
    { target_col: 'x', continuous_cols: ['nothing'] },
    { target_col: 'x', categorical_cols: ['nothing'] },
    { text_cols: ['nothing'] },
  ])('refuses an empty column in %j', (body) => {
    expect(refusal(body)).toMatchObject({
      code: 'invalid_parameter',
      params: saying('"nothing" is empty'),
    });
  });

  it.each<[string, Partial<GenerateRequestBody>, RegExp]>([
    ['as target, saying where it may stand', { target_col: 'day' }, /"day" has dates .* continuous_cols .*as time/],
    [
      'of many forms as continuous, saying what to do',
      { target_col: 'x', continuous_cols: ['days of many forms'] },
      /more than one format.*categorical_cols/,
    ],
  ])('refuses a time %s', (_, body, message) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid_parameter', params: saying(message) });
  });

  it('refuses keys as the target, whatever they are written like', () => {
    for (const target_col of ['id', 'numbered']) {
      const message = new RegExp(`"${target_col}" has keys, .* cannot be a target`);
      expect(refusal({ target_col })).toMatchObject({ code: 'invalid_parameter', params: saying(message) });
    }
  });

  it('tells an unknown column before one named twice, and that before one not numeric', () => {
    expect(refusal({ target_col: 'c', continuous_cols: ['c', 'absent'] })?.code).toBe('column_not_found');
    expect(httpText(refusal({ target_col: 'c', continuous_cols: ['c'] }))).toContain('is listed in target_col and in');
  });

  it('lists some of very many columns and says how many more there are', () => {
    const wide = profileOf(Array.from({ length: 1000 }, (_, i) => numeric(`column ${i}`)));
    const request = generateRequestSchema.parse({ job_id: 'a', target_col: 'absent' });
    expect(() => checkRequest(request, wide)).toThrow(
      expect.objectContaining({ params: saying(/column 199 and 800 more/) }),
    );
  });

  it('refuses with a ServiceError or not at all, whatever the names', () => {
    const names = fc.array(fc.oneof(fc.constantFrom(...PROFILE.columns.map(({ name }) => name)), fc.string()), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        fc.option(fc.string()),
        names,
        names,
        names,
        (target_col, continuous_cols, categorical_cols, text_cols) => {
          const found = refusal({ target_col, continuous_cols, categorical_cols, text_cols });
          expect(found ?? null).toSatisfy((value) => value === null || value instanceof ServiceError);
        },
      ),
    );
  });
});

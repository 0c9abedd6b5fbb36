import { describe, expect, it } from 'vitest';
import { roleFields, suggestedRoles } from '../../packages/client/index.ts';
import { generateRequestSchema } from '../../packages/contract/requests.ts';
import { CONDITIONS_EXAMPLE, readConditions } from '../../web/logic/conditions.ts';
import { faultOf, firstOptions, optionFields, withSuggested } from '../../web/logic/options.ts';
import { giveRole, targetOf, whyNotYet } from '../../web/logic/roles.ts';
import { columns, pageData as data } from '../support/page.ts';

const suggested = () => suggestedRoles({ profile: { columns } });

describe('roles', () => {
  it('start as the service suggests and make the request that it expects', () => {
    expect(roleFields(suggested())).toEqual({
      target_col: 'price',
      continuous_cols: ['area'],
      categorical_cols: ['city', 'id'],
      text_cols: ['note'],
    });
  });

  it('have one target: the one before becomes a number or a category again', () => {
    const roles = giveRole(suggested(), columns, ['area'], 'target');
    expect([targetOf(roles), roles.get('price')]).toEqual(['area', 'continuous']);
    const back = giveRole(roles, columns, ['price'], 'target');
    expect([targetOf(back), back.get('area')]).toEqual(['price', 'continuous']);
    expect(
      [...giveRole(roles, columns, ['city', 'note'], 'target').values()].filter((role) => role === 'target'),
    ).toEqual(['target']);
  });

  it('can be given to several columns at once', () => {
    const roles = giveRole(suggested(), columns, ['area', 'city', 'id'], 'ignore');
    expect(roleFields(roles)).toMatchObject({ continuous_cols: [], categorical_cols: [] });
  });

  it('say what is missing until there is a column with a role', () => {
    const names = columns.map(({ name }) => name);
    const none = giveRole(suggested(), columns, names, 'ignore');
    expect(whyNotYet(none)).toMatch(/at least one column/);
    for (const role of ['text', 'target', 'categorical'] as const)
      expect(whyNotYet(giveRole(none, columns, names.slice(0, 1), role))).toBeUndefined();
  });
});

describe('options', () => {
  it('make fields that the service takes as they are', () => {
    const fields = optionFields(firstOptions(data), { target: true, text: true });
    expect(generateRequestSchema.parse({ job_id: 'a', target_col: 'price', ...fields })).toMatchObject({
      n_samples: 30,
      draws: 150,
      tune: 150,
      text_epochs: 3,
      text_nucleus: 0.95,
      family: 'auto',
      keep_rare: false,
      seed: null,
    });
  });

  it('send conditions where some are typed, and none that are no list', () => {
    const typed = (conditions: string) =>
      optionFields({ ...firstOptions(data), conditions }, { target: true, text: false });
    const parsed = generateRequestSchema.parse({ job_id: 'a', target_col: 'p', ...typed(CONDITIONS_EXAMPLE) });
    expect(parsed.conditions.map(({ column }) => column)).toEqual(['age', 'city']);
    expect(typed('')).not.toHaveProperty('conditions');
    expect(['[', '{}', '[3]', 'null'].map(readConditions)).toEqual(new Array(4).fill(undefined));
  });

  it('ask for the strict policy in a form that the service takes', () => {
    const fields = optionFields({ ...firstOptions(data), isStrict: true }, { target: true, text: false });
    expect(generateRequestSchema.parse({ job_id: 'a', target_col: 'p', ...fields }).policy).toMatchObject({
      exact_copies: 0,
    });
  });

  it('allow few rows where that is ticked', () => {
    const fields = optionFields({ ...firstOptions(data), allowsFewRows: true }, { target: true, text: false });
    const parsed = generateRequestSchema.parse({ job_id: 'a', target_col: 'p', ...fields });
    expect(parsed.allow_few_rows).toBe(true);
  });

  it('leave out what the roles make pointless', () => {
    const fields = optionFields(firstOptions(data), { target: false, text: false });
    expect(Object.keys(fields).sort()).toEqual(['keep_rare', 'n_samples']);
  });

  it.each(['', ' ', '0', '1001', '1.5', '1e9', 'many'])('refuse %j as a number of rows', (typed) => {
    expect(faultOf('n_samples', typed, data)).toContain('1 to 1,000');
  });

  it('take decimals for how texts are written, and nothing beyond the bounds', () => {
    expect(['0.7', '1', '.5'].map((typed) => faultOf('text_nucleus', typed, data))).toEqual(
      new Array(3).fill(undefined),
    );
    for (const typed of ['', '0', '1.01', 'high']) {
      expect(faultOf('text_nucleus', typed, data)).toBe('Enter a number from 0.1 to 1.');
    }
  });

  it('take an empty seed and every number within the bounds', () => {
    expect([faultOf('seed', '', data), faultOf('seed', '99', data), faultOf('n_samples', '1000', data)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the options of an upload whose rows belong together', () => {
  const upload = { suggested_target: { column: 'price', reason: 'it is the last number' } };
  const entity = { column: 'customer', reason: 'keys', order: { column: 'day', reason: 'it rises' } };

  it('begin with the key that was found, and its order', () => {
    expect(withSuggested(firstOptions(data), { ...upload, suggested_entity: entity })).toMatchObject({
      entity: 'customer',
      order: 'day',
    });
    expect(withSuggested(firstOptions(data), upload)).toEqual(firstOptions(data));
  });

  it('leave the suggested target to that', () => {
    const ordered = { ...entity, order: { column: 'price', reason: 'it rises' } };
    expect(withSuggested(firstOptions(data), { ...upload, suggested_entity: ordered })).toMatchObject({
      entity: 'customer',
      order: '',
    });
  });
});

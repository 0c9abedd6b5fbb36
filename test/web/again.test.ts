import { describe, expect, it } from 'vitest';
import { jobRequestSchema } from '../../packages/contract/requests.ts';
import { roleFields } from '../../packages/contract/roles.ts';
import { changed, setupOf, stepWords } from '../../web/logic/again.ts';
import { optionFields } from '../../web/logic/options.ts';
import { canDo } from '../../web/logic/route.ts';
import { columns, pageData } from '../support/page.ts';

const request = jobRequestSchema.omit({ job_id: true, sample_of: true }).parse({
  target_col: 'price',
  continuous_cols: ['area'],
  categorical_cols: ['city'],
  text_cols: ['note'],
  entity_col: 'id',
  order_col: 'area',
  n_entities: 12,
  n_samples: 70,
  draws: 120,
  tune: 150,
  family: 'gaussian',
  text_epochs: 4,
  text_temperature: 0.8,
  text_nucleus: 0.5,
  keep_rare: false,
  allow_few_rows: true,
  policy: null,
  conditions: [{ column: 'area', between: [3, null] }],
  seed: 7,
});

describe('a job that is set up from an earlier one', () => {
  const before = () => setupOf(request, columns, pageData);
  const fieldsOf = ({ roles, options }: ReturnType<typeof before>) => ({
    ...roleFields(roles),
    ...optionFields(options, { target: true, text: true }),
  });

  it('asks for the same', () => {
    const { policy: _, target: __, cross_fit: ___, ...asked } = request;
    expect(fieldsOf(before())).toEqual({ ...asked, conditions: [{ column: 'area', between: [3, null] }] });
  });

  it.each([
    ['keep_rare', null, { keep_rare: true }],
    ['cross_fit', null, { cross_fit: true }],
    ['set_policy', null, { policy: expect.objectContaining({ exact_copies: 0 }) }],
    ['leave_out', 'city', { categorical_cols: [] }],
    ['raise_text_epochs', null, { text_epochs: 8 }],
    // No more than the service lets: 200.
    ['raise_draws', null, { draws: 200, tune: 200 }],
    ['choose_family', null, { family: 'auto' }],
    ['check_role', 'city', {}],
    [null, null, {}],
  ] as const)('and, where a verdict advises %s of %s, for that too', (action, column, fields) => {
    const next = changed(before(), { action, column }, columns, pageData);
    expect(fieldsOf(next)).toEqual({ ...fieldsOf(before()), ...fields });
  });

  it('has a button of its own for each step that the page can take', () => {
    const actions = [
      'keep_rare',
      'cross_fit',
      'set_policy',
      'leave_out',
      'raise_text_epochs',
      'raise_draws',
      'check_role',
    ] as const;
    expect(actions.every(canDo)).toBe(true);
    expect(new Set(actions.map((action) => stepWords(action, 'city'))).size).toBe(actions.length);
    expect(canDo('use_text_base')).toBe(false);
  });
});

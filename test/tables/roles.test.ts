import { describe, expect, it } from 'vitest';
import { namedColumns, ROLE_FIELDS, ROLES } from '../../packages/contract/columns.ts';

describe('the roles of a request', () => {
  it('are named in their order, columns as each field lists them', () => {
    const request = { target_col: 'y', continuous_cols: ['b', 'a'], categorical_cols: [], text_cols: ['t'] };
    expect(namedColumns(request).map(({ role, field, name }) => `${role} ${field} ${name}`)).toEqual([
      'target target_col y',
      'continuous continuous_cols b',
      'continuous continuous_cols a',
      'text text_cols t',
    ]);
  });

  it('name no column where there is none', () => {
    expect(namedColumns({ target_col: null, continuous_cols: [], categorical_cols: [], text_cols: [] })).toEqual([]);
  });

  it('are those that a column may be suggested, and none', () => {
    expect(ROLES).toEqual([...ROLE_FIELDS.map(({ role }) => role), 'ignore']);
  });
});

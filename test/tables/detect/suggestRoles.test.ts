import { describe, expect, it } from 'vitest';
import type { ColumnProfile } from '../../../packages/contract/columns.ts';
import { suggestRoles } from '../../../packages/tables/detect/suggestRoles.ts';
import { column, numeric } from '../../support/profiles.ts';

const ROWS = 100;
const number = (name: string, changes: Partial<ColumnProfile> = {}) =>
  numeric(name, ROWS, { missing: 0, distinct: 50, kind: 'continuous', suggested_role: 'continuous', ...changes });
const word = (name: string) => column(name, { kind: 'categorical', suggested_role: 'categorical' });
const targetOf = (columns: ColumnProfile[]) =>
  suggestRoles(columns, ROWS).columns.find(({ suggested_role }) => suggested_role === 'target')?.name;

describe('suggestRoles', () => {
  it('suggests the last number as the target', () => {
    expect(targetOf([number('a'), number('b'), word('c')])).toBe('b');
  });

  it('prefers a number that is named like a target', () => {
    expect(targetOf([number('a'), number('Price'), number('b')])).toBe('Price');
  });

  it('passes over numbers that are constant or mostly missing', () => {
    expect(targetOf([number('a'), number('price', { missing: 30 }), number('b', { distinct: 1 })])).toBe('a');
  });

  it('suggests none where there is no number, and leaves the other roles', () => {
    const columns = [word('a'), word('b')];
    expect(suggestRoles(columns, ROWS)).toEqual({ columns, target: null });
  });
});

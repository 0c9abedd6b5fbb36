/** Profiles as an upload's reader would make them. */
import type { ColumnProfile } from '../../packages/contract/columns.ts';
import type { Profile } from '../../packages/tables/profile/profile.ts';

const ROWS = 100;

const NUMBERS: NonNullable<ColumnProfile['numbers']> = {
  count: ROWS,
  format: { integer: false, decimals: 1, fixed: false, min: -1.5, max: 2.5 },
  mean: 0.5,
  sd: 1,
  zeros: 0,
  quantiles: Array.from({ length: 15 }, (_, i) => -1.5 + (4 * i) / 14),
};

export const column = (name: string, changes: Partial<ColumnProfile> = {}): ColumnProfile => ({
  name,
  kind: 'categorical',
  confidence: 1,
  suggested_role: 'categorical',
  evidence: [],
  runner_up: null,
  missing: 0,
  missing_token: '',
  missing_tokens: [],
  distinct: 2,
  distinct_exact: true,
  top_levels: [],
  format: null,
  numbers: null,
  lengths: { min: 1, mean: 1, max: 1 },
  ...changes,
});

/** A column of which `count` of a hundred cells are numbers. */
export const numeric = (name: string, count = ROWS, changes: Partial<ColumnProfile> = {}): ColumnProfile =>
  column(name, {
    kind: 'continuous',
    suggested_role: 'continuous',
    distinct: 10,
    format: { kind: 'plain', format: NUMBERS.format },
    numbers: { ...NUMBERS, count },
    ...changes,
  });

export const emptyColumn = (name: string): ColumnProfile =>
  column(name, { kind: 'empty', suggested_role: 'ignore', missing: ROWS, distinct: 0, lengths: null });

const COLUMNS = [numeric('x'), numeric('y'), column('c'), column('t', { kind: 'text', suggested_role: 'text' })];

/** A hundred rows of columns `x` and `y` (numbers), `c` (categories) and `t` (text), or of the given ones. */
export const profileOf = (columns: ColumnProfile[] = COLUMNS): Profile => ({
  version: 1,
  dialect: { format: 'csv', encoding: 'utf-8', delimiter: ',' },
  rows: ROWS,
  columns,
  warnings: [],
  relations: [],
  sample: {
    rows: ROWS,
    cells: columns.map((each) => Array.from({ length: ROWS }, (_, i) => cellOf(each, i))),
  },
});

function cellOf(each: ColumnProfile, row: number): string | null {
  if (each.kind === 'empty') return null;
  return each.numbers ? String(((row % 10) - 4) / 2) : `level ${row % 2}`;
}

import { describe, expect, it } from 'vitest';
import { statusExample } from '../../api/openapi/examples.ts';
import { tableRequestSchema } from '../../packages/contract/requests.ts';
import { suggestedRoles } from '../../packages/contract/roles.ts';
import { savedAs, titleOf } from '../../web/logic/names.ts';
import { columnsLike, foundWords, giveRole } from '../../web/logic/roles.ts';
import { sideBySide } from '../../web/logic/sideBySide.ts';
import { columns } from '../support/page.ts';

const upload = {
  job_id: 'a',
  columns: columns.map(({ name }) => name),
  col_types: {},
  n_rows: 1200,
  warnings: [],
  suggested_target: { column: 'price', reason: 'it is the last number' },
  profile: { columns, relations: [] },
};

describe('names', () => {
  it('of tabs say the table and the view', () => {
    expect(titleOf('Result', 'titanic.csv')).toBe('titanic.csv: result – Synthetic tables');
    expect(titleOf('My jobs')).toBe('My jobs – Synthetic tables');
  });

  it.each([
    ['titanic.csv', 'csv', 'titanic-synthetic.csv'],
    ['a.b.xlsx', 'parquet', 'a.b-synthetic.parquet'],
    ['../x:y.csv', 'csv', '.._x_y-synthetic.csv'],
    ['.csv', 'csv', 'table-synthetic.csv'],
    [undefined, 'csv', 'synthetic_data.csv'],
  ])('of files are by the table %j', (table, ending, name) => {
    expect(savedAs('synthetic', ending, table)).toBe(name);
  });
});

describe('what was found in a file', () => {
  it('is said with the target, its reason, and the columns that get new IDs', () => {
    expect(foundWords(upload, suggestedRoles(upload))).toBe(
      'Found 1,200 rows and 5 columns. Target: "price" (it is the last number; change it if you predict something else). New IDs are generated for "id".',
    );
  });

  it('says another target without the reason of the suggested one, and what is left out', () => {
    const roles = giveRole(
      giveRole(suggestedRoles(upload), columns, ['area'], 'target'),
      columns,
      ['id', 'note'],
      'ignore',
    );
    expect(foundWords(upload, roles)).toBe(
      'Found 1,200 rows and 5 columns. Target: "area". 2 columns will be left out.',
    );
    const none = giveRole(suggestedRoles(upload), columns, ['price'], 'continuous');
    expect(foundWords(upload, none)).toContain('No column to predict');
  });

  it('is searched by name and kind', () => {
    expect(columnsLike(columns, ' I', '').map(({ name }) => name)).toEqual(['price', 'city', 'id']);
    expect(columnsLike(columns, 'i', 'identifier').map(({ name }) => name)).toEqual(['id']);
  });
});

describe('two results side by side', () => {
  it('mark what differs, and it alone', () => {
    const { metrics } = statusExample;
    if (!metrics) throw new Error('the example has no metrics');
    const request = tableRequestSchema.parse({ target_col: 'body_mass_g', seed: 7 });
    const one = { ...statusExample, request };
    const other = { ...one, request: { ...request, n_samples: 5, keep_rare: !request.keep_rare } };
    const different = sideBySide([one, other]).flatMap(({ title, pairs }) =>
      pairs.filter(({ differs }) => differs).map(({ name }) => `${title}: ${name}`),
    );
    expect(different).toEqual(['Settings: Rows to generate', 'Settings: Keep rare categories']);
    const changed = { ...one, metrics: { ...metrics, numeric: { ...metrics.numeric, 'KS (Avg)': 0.4321 } } };
    expect(JSON.stringify(sideBySide([one, changed]))).toContain('0.432');
  });
});

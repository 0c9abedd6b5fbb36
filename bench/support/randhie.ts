/** The RAND Health Insurance Experiment as statsmodels ships it: 20,190 rows, 9,125 of them distinct; 10 coarse columns. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MeasureRoles } from '../../packages/synthesis/judge/columns.ts';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';
import { cacheFolder } from './cacheFolder.ts';
import { execute, preparePython } from './python.ts';

const EXPORT =
  'import sys; from statsmodels.datasets import randhie; randhie.load_pandas().data.drop_duplicates().to_csv(sys.argv[1], index=False)';

const CATEGORIES = ['idp', 'hlthg', 'hlthf', 'hlthp'];

export const RANDHIE_ROLES: MeasureRoles = {
  target: 'mdvis',
  continuous: ['lncoins', 'lpi', 'fmde', 'physlm', 'disea'],
  categorical: CATEGORIES,
  text: [],
};

/** People in poor health: some 2 %. */
export const RANDHIE_MINORITY = { column: 'hlthp', level: '1' } as const;

/** The distinct rows. Installs statsmodels when it is called for the first time. */
export function randhieTable(): ModelTable {
  const path = join(cacheFolder(), 'randhie.csv');
  if (!existsSync(path)) {
    execute(preparePython('statsmodels', ['statsmodels==0.15.0', 'pandas==3.1.1']), ['-c', EXPORT, path]);
  }
  const [header = '', ...lines] = readFileSync(path, 'utf8').trim().split('\n');
  const cells = lines.map((line) => line.split(',').map(Number));
  const columns = header.split(',').map((name, at): ModelColumn => {
    const values = Float64Array.from(cells, (row) => row[at]!);
    if (!CATEGORIES.includes(name)) return { kind: 'numeric', name, values };
    return { kind: 'category', name, codes: Int32Array.from(values), levels: ['0', '1'] };
  });
  return { rows: lines.length, columns: new Map(columns.map((column) => [column.name, column])) };
}

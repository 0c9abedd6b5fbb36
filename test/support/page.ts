/** Columns and settings as the page gets them. */
import type { PageData } from '../../web/logic/contract.ts';
import type { ColumnReport } from '../../web/logic/roles.ts';

const column = (
  name: string,
  kind: ColumnReport['kind'],
  suggested: ColumnReport['suggested_role'],
  more: Partial<ColumnReport> = {},
): ColumnReport => ({
  name,
  kind,
  confidence: 1,
  suggested_role: suggested,
  evidence: [],
  runner_up: null,
  format: null,
  missing: 0,
  missing_tokens: [],
  distinct: 2,
  picture: null,
  ...more,
});

const format = { integer: false, decimals: 2, fixed: false, min: 0, max: 99 };
const levels: [string, number][] = [
  ['Oslo', 9],
  ['Bergen', 3],
];

export const columns = [
  column('price', 'continuous', 'target'),
  column('area', 'continuous', 'continuous', { format: { kind: 'plain', format } }),
  column('city', 'categorical', 'categorical', { picture: { kind: 'levels', levels, others: 0 } }),
  column('note', 'text', 'text'),
  column('id', 'identifier', 'categorical'),
];

export function columnNamed(name: string): ColumnReport {
  const found = columns.find((one) => one.name === name);
  if (!found) throw new Error(`no column ${name}`);
  return found;
}

export const pageData: PageData = {
  version: '0',
  samplers: ['auto', 'nuts', 'approximate'],
  minRealRows: 50,
  bounds: {
    n_samples: { min: 1, max: 1000, default: 30 },
    draws: { min: 100, max: 200, default: 150 },
    tune: { min: 100, max: 200, default: 150 },
    text_epochs: { min: 1, max: 10, default: 3 },
    text_temperature: { min: 0.1, max: 2, default: 1 },
    text_nucleus: { min: 0.1, max: 1, default: 0.95 },
    seed: { min: 0, max: 99 },
  },
  families: ['auto', 'gaussian'],
  formats: [],
  maxUploadBytes: 10,
  example: { path: '/examples/a.csv', name: 'a.csv' },
  paths: [],
};

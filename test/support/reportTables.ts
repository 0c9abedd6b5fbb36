/** Tables of a few columns, and what a report is made from of two of them. */
import { createStream } from '../../packages/numerics/random/createStream.ts';
import type { ModelColumn, ModelTable } from '../../packages/synthesis/models/model.ts';
import { findAssociations } from '../../packages/synthesis/report/associationsReport.ts';
import { pairedColumns, type ReportTask } from '../../packages/synthesis/report/makeReport.ts';
import { AT, METRICS, requestFor, SOFTWARE } from './jobFixtures.ts';

const random = createStream(1, 'report');

export const numbers = (name: string, values: number[]): ModelColumn => ({
  kind: 'numeric',
  name,
  values: Float64Array.from(values),
});
export const texts = (name: string, values: (string | null)[]): ModelColumn => ({ kind: 'text', name, values });
export function levels(name: string, values: (string | null)[]): ModelColumn {
  const known = [...new Set(values.filter((value) => value !== null))];
  return {
    kind: 'category',
    name,
    codes: Int32Array.from(values, (value) => (value === null ? -1 : known.indexOf(value))),
    levels: known,
  };
}
export const tableOf = (...columns: ModelColumn[]): ModelTable => ({
  rows:
    columns[0]?.kind === 'numeric'
      ? columns[0].values.length
      : columns[0]?.kind === 'text'
        ? columns[0].values.length
        : (columns[0]?.codes.length ?? 0),
  columns: new Map(columns.map((column) => [column.name, column])),
});

const { job_id: _, ...REQUEST } = requestFor('a');
const ROLES = { numeric: 'continuous', category: 'categorical', text: 'text' } as const;

export function reportTaskOf(real: ModelTable, synthetic: ModelTable, more: Partial<ReportTask> = {}): ReportTask {
  const columns = [...real.columns.values()].map(({ name, kind }) => ({ name, role: ROLES[kind], format: null }));
  const associations = findAssociations({ real, synthetic }, pairedColumns(columns, real), random.child('ties'));
  return {
    jobId: 'a',
    fileName: 'table.csv',
    madeAt: AT,
    real,
    train: real,
    holdout: null,
    synthetic,
    columns,
    associations,
    entity: null,
    request: REQUEST,
    software: SOFTWARE,
    metrics: METRICS,
    random,
    identity: null,
    notUsed: [],
    ...more,
  };
}

/** Report for sharing a table with `privacy`. */
import type { SharedReport } from '../../contract/report.ts';
import { shareable } from '../../words/shareable.ts';
import { findAssociations } from './associationsReport.ts';
import { columnReport, MAX_COLUMNS, MAX_NOT_USED, pairedColumns, type ReportTask } from './makeReport.ts';

/** Excludes everything computed from real rows, so that none can leak. */
export type SharingTask = Pick<
  ReportTask,
  'jobId' | 'fileName' | 'madeAt' | 'columns' | 'identity' | 'synthetic' | 'request' | 'software' | 'metrics' | 'random'
> & { notUsed: readonly { name: string }[] };

const MAX_ASSOCIATIONS = 50;

/** Null without `privacy`. */
export function shareReport(task: SharingTask): SharedReport | null {
  if (!task.metrics.formal_privacy) return null;
  const { synthetic, columns } = task;
  const metrics = shareable(task.metrics);
  const shown = columns.slice(0, MAX_COLUMNS);
  return {
    format: 'synthetic-tables-report-for-sharing/1',
    job_id: task.jobId,
    made_at: task.madeAt,
    file_name: task.fileName,
    rows: { synthetic: synthetic.rows },
    identity: task.identity,
    judgements: metrics.verdicts ?? [],
    columns: shown.map((column) => syntheticColumn(task, column)),
    columns_left_out: columns.length - shown.length,
    columns_not_used: task.notUsed.slice(0, MAX_NOT_USED).map(({ name }) => name),
    associations: syntheticAssociations(task),
    request: task.request,
    software: task.software,
    metrics,
  };
}

/** Bins follow the synthetic rows alone. */
function syntheticColumn(
  { synthetic }: SharingTask,
  column: SharingTask['columns'][number],
): SharedReport['columns'][number] {
  const {
    name,
    role,
    axis,
    synthetic: shares,
    missing_synthetic,
    reason,
  } = columnReport({ real: synthetic, synthetic }, column);
  return { name, role, axis, synthetic: shares, missing_synthetic, reason: axis ? null : reason };
}

function syntheticAssociations({ synthetic, columns, random }: SharingTask): SharedReport['associations'] {
  const tables = { real: synthetic, synthetic };
  const { columns: names, matrices } = findAssociations(
    tables,
    pairedColumns(columns, synthetic),
    random.child('ties'),
  );
  return matrices
    .filter(({ measure }) => measure !== 'pearson')
    .flatMap(({ measure, pairs }) =>
      pairs.flatMap(({ columns: [i, j], synthetic: strength }): SharedReport['associations'] => {
        const [a, b] = [names[i], names[j]];
        return strength === null || a === undefined || b === undefined
          ? []
          : [{ measure, columns: [a, b], synthetic: strength }];
      }),
    )
    .toSorted((a, b) => Math.abs(b.synthetic) - Math.abs(a.synthetic))
    .slice(0, MAX_ASSOCIATIONS);
}

/** The data of a report: all that its page draws and says. */
import type { Software } from '../../domain/receipt/receipt.ts';
import type { GenerateRequest } from '../../domain/schema/generateRequest.ts';
import type { JobMetrics } from '../../domain/schema/metrics.ts';
import type { ReportData } from '../../domain/schema/report.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { MeasuredColumns } from '../metrics/columns.ts';
import type { ModelTable } from '../models/model.ts';
import { columnReport, type DrawnColumn } from './columnReports.ts';
import { distancesReport } from './distances.ts';
import { judge } from './judge.ts';
import { pairGrids } from './pairGrids.ts';
import { tiesReport } from './ties.ts';

export interface ReportTask {
  jobId: string;
  fileName: string;
  madeAt: string;
  /** In the table's order. */
  columns: readonly DrawnColumn[];
  /** All real rows; those that models saw, and those that they did not. */
  real: ModelTable;
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  request: GenerateRequest;
  software: Software;
  metrics: JobMetrics;
  random: RandomStream;
}

/** Columns that are drawn, at most. */
const MOST_COLUMNS = 60;
const SAMPLES = 5;
const LONGEST_SAMPLE = 400;

export function makeReport(task: ReportTask): ReportData {
  const { real, synthetic, metrics, request, random } = task;
  const tables = { real, synthetic };
  const drawn = task.columns.slice(0, MOST_COLUMNS);
  const dresses = new Map(task.columns.map(({ name, dress }) => [name, dress]));
  const measured = measuredIn(task);
  const associations = tiesReport(tables, measured, random.child('ties'));
  const { job_id: _, ...asked } = request;
  return {
    format: 'synthetic-tables-report/1',
    job_id: task.jobId,
    made_at: task.madeAt,
    file_name: task.fileName,
    rows: { real: real.rows, synthetic: synthetic.rows },
    judgements: judge(metrics),
    columns: drawn.map((column) => columnReport(tables, column)),
    columns_left_out: task.columns.length - drawn.length,
    associations,
    ...pairGrids(tables, associations, dresses),
    distances: distancesReport(task, measured, random.child('distances')),
    text_samples: textSamples(task),
    request: asked,
    software: task.software,
    metrics,
  };
}

/** The report while its rows are withheld. */
export const withoutSamples = (report: ReportData): ReportData => ({ ...report, text_samples: null });

/** Of the columns that are drawn. */
function measuredIn({ columns, real }: ReportTask): MeasuredColumns {
  const shown = columns.slice(0, MOST_COLUMNS).filter(({ role }) => role !== 'identifier');
  const ofKind = (kind: 'numeric' | 'category'): string[] =>
    shown.filter(({ name }) => real.columns.get(name)?.kind === kind).map(({ name }) => name);
  return { numeric: ofKind('numeric'), categorical: ofKind('category'), text: [] };
}

function textSamples({ columns, synthetic }: ReportTask): { column: string; texts: string[] }[] {
  return columns.flatMap(({ name, role }) => {
    const column = synthetic.columns.get(name);
    if (role !== 'text' || column?.kind !== 'text') return [];
    const texts = column.values.filter((text): text is string => text !== null).slice(0, SAMPLES);
    return [
      {
        column: name,
        texts: texts.map((text) => (text.length > LONGEST_SAMPLE ? `${text.slice(0, LONGEST_SAMPLE)}…` : text)),
      },
    ];
  });
}

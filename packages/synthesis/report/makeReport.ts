import { cpus } from 'node:os';
import type { CellFormat, ColumnKind } from '../../contract/columns.ts';
import type { JobMetrics } from '../../contract/metrics.ts';
import type { Software } from '../../contract/receipt.ts';
import type { ColumnReport, ReportData, ReportIdentity } from '../../contract/report.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { VERSION } from '../../contract/version.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { jointCodes, type MeasuredColumns } from '../judge/columns.ts';
import type { ModelTable } from '../models/model.ts';
import { type AssociationsReport, listedOnly } from './associationsReport.ts';
import { type Binned, binColumn, pairGrids, type Tables } from './binned.ts';
import { distancesReport } from './distancesReport.ts';
import { MIN_ROWS, sharesOf } from './numberAxis.ts';
import { type ReportedEntity, sequencesReport } from './sequencesReport.ts';

export interface ReportTask {
  jobId: string;
  fileName: string;
  madeAt: string;
  /** In table order. */
  columns: readonly DrawnColumn[];
  entity: ReportedEntity | null;
  notUsed: readonly { name: string; kind: ColumnKind }[];
  identity: ReportIdentity | null;
  /** Includes `train` and `holdout`. */
  real: ModelTable;
  /** Of `pairedColumns`. */
  associations: AssociationsReport;
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
  request: TableRequest;
  software: Software;
  metrics: JobMetrics;
  random: RandomStream;
}

/** Maximum columns charted and paired. */
export const MAX_COLUMNS = 1_000;
const MAX_PAIRED = 200;

export const MAX_NOT_USED = 1_000;

const SAMPLES = 5;
const LONGEST_SAMPLE = 400;

export function makeReport(task: ReportTask): ReportData {
  const { real, synthetic, associations, metrics, request, random } = task;
  const tables = { real, synthetic };
  const drawn = task.columns.slice(0, MAX_COLUMNS);
  const formats = new Map(task.columns.map(({ name, format }) => [name, format]));
  return {
    format: 'synthetic-tables-report/2',
    job_id: task.jobId,
    made_at: task.madeAt,
    file_name: task.fileName,
    rows: { real: real.rows, synthetic: synthetic.rows },
    identity: task.identity,
    judgements: metrics.verdicts ?? [],
    columns: drawn.map((column) => columnReport(tables, column)),
    columns_left_out: task.columns.length - drawn.length,
    columns_not_used: task.notUsed.slice(0, MAX_NOT_USED),
    associations: listedOnly(associations),
    ...pairGrids(tables, associations, formats),
    distances: distancesReport(task, pairedColumns(task.columns, real), random.child('distances')),
    sequences: task.entity && sequencesReport(tables, numbersIn(task.columns, real), task.entity),
    text_samples: textSamples(task),
    request,
    software: task.software,
    metrics,
  };
}

/** Times increase in every entity. */
const numbersIn = (columns: readonly DrawnColumn[], real: ModelTable): string[] =>
  columns.flatMap(({ name, format }) =>
    real.columns.get(name)?.kind === 'numeric' && format?.kind !== 'time' ? [name] : [],
  );

export const withoutSamples = (report: ReportData): ReportData => ({
  ...report,
  sequences: report.sequences?.map((sequence) => ({ ...sequence, synthetic: null })) ?? null,
  text_samples: null,
});

export function pairedColumns(columns: readonly DrawnColumn[], real: ModelTable): MeasuredColumns {
  const kinds = ['numeric', 'category'];
  const shown = columns
    .filter(({ name, role }) => role !== 'identifier' && kinds.includes(real.columns.get(name)?.kind ?? ''))
    .slice(0, MAX_PAIRED);
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

export interface DrawnColumn {
  name: string;
  role: ColumnReport['role'];
  format: CellFormat | null;
}

const BINS = 24;
const LEVELS = 12;

const MIN_DRAWN = 20;

export function columnReport(tables: Tables, { name, role, format }: DrawnColumn): ColumnReport {
  const base = { name, role, ...missingOf(tables, name) };
  const none = (reason: string): ColumnReport => ({
    ...base,
    axis: null,
    real: null,
    synthetic: [],
    reason,
    overlap: null,
    overlap_by_chance: null,
  });
  if (role === 'identifier')
    return none('New identifiers are generated from the pattern; there is no distribution to keep.');
  const isLevels = tables.real.columns.get(name)?.kind === 'category';
  const binned = binColumn(tables, name, format, isLevels ? LEVELS : BINS);
  if (!binned) return none('Too few cells to show.');
  const realCells = countPresent(binned.real);
  return {
    ...base,
    ...(realCells < MIN_DRAWN ? { overlap: null, overlap_by_chance: null } : overlapOf(tables, name, binned)),
    axis: binned.axis,
    real: realCells < MIN_DRAWN ? null : sharesOf(countCodes(binned.real, binned.axis.bins), realCells, MIN_ROWS),
    synthetic: sharesOf(countCodes(binned.synthetic, binned.axis.bins), countPresent(binned.synthetic), 1),
    reason: realCells < MIN_DRAWN ? 'Too few real rows to show their distribution.' : null,
  };
}

/** Sum of minimum shares over levels or bins. */
function overlapOf(
  { real, synthetic }: Tables,
  name: string,
  binned: Binned,
): Pick<ColumnReport, 'overlap' | 'overlap_by_chance'> {
  const [a, b] = [real.columns.get(name), synthetic.columns.get(name)];
  const isLevels = a?.kind === 'category' && b?.kind === 'category';
  const { codes, levels } = isLevels ? jointCodes([a, b]) : { codes: null, levels: binned.axis.bins };
  const own = countCodes(codes?.[0] ?? binned.real, levels);
  const made = countCodes(codes?.[1] ?? binned.synthetic, levels);
  const [n, m] = [own, made].map((counts) => counts.reduce((sum, count) => sum + count, 0));
  if (!n || !m) return { overlap: null, overlap_by_chance: null };
  let [common, apart] = [0, 0];
  for (let at = 0; at < levels; at++) {
    const share = own[at]! / n;
    common += Math.min(share, made[at]! / m);
    // Expected absolute difference, by the central limit theorem.
    apart += Math.sqrt((2 / Math.PI) * share * (1 - share) * (1 / n + 1 / m)) / 2;
  }
  return { overlap: roundedShare(common), overlap_by_chance: roundedShare(Math.max(0, 1 - apart)) };
}

const roundedShare = (share: number): number => Math.round(share * 1e4) / 1e4;

function countCodes(codes: Int32Array, levels: number): Int32Array {
  const counts = new Int32Array(levels);
  for (const code of codes) if (code >= 0) counts[code]! += 1;
  return counts;
}

const countPresent = (boxes: Int32Array): number => boxes.reduce((sum, box) => sum + (box >= 0 ? 1 : 0), 0);

function missingOf({ real, synthetic }: Tables, name: string): { missing_real: number; missing_synthetic: number } {
  const share = (table: Tables['real']): number => {
    const column = table.columns.get(name);
    if (!column || table.rows === 0) return 0;
    let missing = 0;
    for (let row = 0; row < table.rows; row++) {
      if (
        column.kind === 'numeric'
          ? Number.isNaN(column.values[row]!)
          : column.kind === 'category'
            ? column.codes[row]! < 0
            : column.values[row] === null
      )
        missing++;
    }
    return sharesOf([missing], table.rows, 1)[0]!;
  };
  return { missing_real: share(real), missing_synthetic: share(synthetic) };
}

/** @param image the container image, or null. */
export const softwareFacts = (image: string | null): Software => ({
  name: 'synthetic-tables',
  version: VERSION,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  processor: cpus()[0]?.model.trim() || 'unknown',
  image,
});

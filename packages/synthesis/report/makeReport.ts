/** The data of a report: all that its page draws and says. */

import { cpus } from 'node:os';
import type { CellFormat } from '../../contract/columns.ts';
import { ASSOCIATIONS, type JobMetrics } from '../../contract/metrics.ts';
import type { Software } from '../../contract/receipt.ts';
import type { ColumnReport, DistancesReport, ReportData } from '../../contract/report.ts';
import type { TableRequest } from '../../contract/requests.ts';
import { VERSION } from '../../contract/version.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import { type MeasuredColumns, takeRows } from '../metrics/columns.ts';
import { associationsOf, pairsOf } from '../metrics/fidelity/associations.ts';
import { encodeTables } from '../metrics/fidelity/encodeTables.ts';
import { neighboursOf, rankTables } from '../metrics/nearestNeighbours.ts';
import { sampleRows } from '../metrics/parts.ts';
import type { ModelTable } from '../models/model.ts';
import { type Binned, binColumn, pairGrids, type Tables } from './binned.ts';
import { MIN_ROWS, numberAxis, sharesOf } from './numberAxis.ts';

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
  request: TableRequest;
  software: Software;
  metrics: JobMetrics;
  random: RandomStream;
}

/** Columns that are drawn, at most. */
const MAX_COLUMNS = 60;
const SAMPLES = 5;
const LONGEST_SAMPLE = 400;

export function makeReport(task: ReportTask): ReportData {
  const { real, synthetic, metrics, request, random } = task;
  const tables = { real, synthetic };
  const drawn = task.columns.slice(0, MAX_COLUMNS);
  const formats = new Map(task.columns.map(({ name, format }) => [name, format]));
  const measured = measuredIn(task);
  const associations = tiesReport(tables, measured, random.child('ties'));
  return {
    format: 'synthetic-tables-report/1',
    job_id: task.jobId,
    made_at: task.madeAt,
    file_name: task.fileName,
    rows: { real: real.rows, synthetic: synthetic.rows },
    judgements: metrics.verdicts ?? [],
    columns: drawn.map((column) => columnReport(tables, column)),
    columns_left_out: task.columns.length - drawn.length,
    associations,
    ...pairGrids(tables, associations, formats),
    distances: distancesReport(task, measured, random.child('distances')),
    text_samples: textSamples(task),
    request,
    software: task.software,
    metrics,
  };
}

/** The report while its rows are withheld. */
export const withoutSamples = (report: ReportData): ReportData => ({ ...report, text_samples: null });

/** The measured columns among those that are drawn. */
function measuredIn({ columns, real }: ReportTask): MeasuredColumns {
  const shown = columns.slice(0, MAX_COLUMNS).filter(({ role }) => role !== 'identifier');
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

// How strongly columns are associated: in all real rows, and in the rows of the final table.

/** Rows that are looked at, at most. */
const ROWS = 10_000;

const DIGITS = 1e4;

function tiesReport(
  { real, synthetic }: Tables,
  columns: MeasuredColumns,
  random: RandomStream,
): ReportData['associations'] {
  const names = [...columns.numeric, ...columns.categorical];
  if (names.length < 2) return { columns: names, matrices: [] };
  const some = (table: ModelTable, name: string) => takeRows(table, sampleRows(table.rows, ROWS, random.child(name)));
  const [a, b] = encodeTables([some(real, 'real'), some(synthetic, 'synthetic')], columns);
  const pairs = pairsOf(names.length);
  const [own, made] = [associationsOf(a!, pairs), associationsOf(b!, pairs)];
  return {
    columns: names,
    matrices: ASSOCIATIONS.map((measure) => ({
      measure,
      pairs: pairs.flatMap(([i, j], at) => {
        const [x, y] = [rounded(own[measure][at]!), rounded(made[measure][at]!)];
        return x === null && y === null ? [] : [{ columns: [i, j] as [number, number], real: x, synthetic: y }];
      }),
    })),
  };
}

const rounded = (value: number): number | null => (Number.isFinite(value) ? Math.round(value * DIGITS) / DIGITS : null);

// How far synthetic rows are from their nearest training row, beside real rows that no model saw.

/** Rows that are looked at, at most: an illustration of the figures, which look at more. */
const TRAINING_ROWS = 5_000;
const ASKED_ROWS = 1_000;
const COLUMNS = 60;
const BINS = 24;

interface DistanceTables {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
}

/** Null where there is no numeric or category column, or too few rows. */
function distancesReport(
  tables: DistanceTables,
  columns: MeasuredColumns,
  random: RandomStream,
): DistancesReport | null {
  const looked = someColumns(columns);
  if (looked.numeric.length + looked.categorical.length === 0) return null;
  const some = (table: ModelTable, most: number, name: string) =>
    takeRows(table, sampleRows(table.rows, most, random.child(name)));
  const train = some(tables.train, TRAINING_ROWS, 'train');
  const asked = some(tables.synthetic, ASKED_ROWS, 'synthetic');
  const held = tables.holdout && some(tables.holdout, ASKED_ROWS, 'holdout');
  const [real, own, fresh] = rankTables([train], [train, asked, ...(held ? [held] : [])], looked);
  const made = distancesTo(own!, real!, looked);
  const beside = fresh ? distancesTo(fresh, real!, looked) : distancesWithin(real!, looked, random.child('within'));
  const axis = numberAxis('distance', beside, made, null, BINS);
  if (!axis) return null;
  const boxes = (values: Float64Array, least: number): number[] => {
    const counts = new Int32Array(axis.bins);
    for (const value of values) counts[axis.binOf(value)]! += 1;
    return sharesOf(counts, values.length, least);
  };
  const { column, kind, bins, ticks } = axis;
  return {
    axis: { column, kind, bins, ticks },
    synthetic: boxes(made, 1),
    real: boxes(beside, MIN_ROWS),
    beside: fresh ? 'held-out rows' : 'training rows',
    median_synthetic: medianOf(made),
    median_real: medianOf(beside),
    rows: { training: train.rows, synthetic: made.length, real: beside.length },
  };
}

function someColumns({ numeric, categorical }: MeasuredColumns): MeasuredColumns {
  const numbers = numeric.slice(0, COLUMNS);
  return { numeric: numbers, categorical: categorical.slice(0, COLUMNS - numbers.length), text: [] };
}

function distancesTo(asked: ModelTable, real: ModelTable, columns: MeasuredColumns): Float64Array {
  const neighbours = neighboursOf(asked, real, columns);
  return Float64Array.from({ length: asked.rows }, (_, row) => neighbours.nearest(row)).filter(Number.isFinite);
}

/** Distances of some real rows, each to the nearest other one. */
function distancesWithin(real: ModelTable, columns: MeasuredColumns, random: RandomStream): Float64Array {
  const neighbours = neighboursOf(real, real, columns);
  const rows = sampleRows(real.rows, ASKED_ROWS, random);
  return Float64Array.from(rows, (row) => neighbours.nearestTwo(row).second).filter(Number.isFinite);
}

const medianOf = (values: Float64Array): number => Math.round((values.toSorted()[values.length >> 1] ?? 0) * 1e4) / 1e4;

// Each column's distribution, real and synthetic, in the same boxes.

export interface DrawnColumn {
  name: string;
  role: ColumnReport['role'];
  format: CellFormat | null;
}

const LEVELS = 12;

/** Real rows of which a distribution is drawn, at least. */
const MIN_DRAWN = 20;

function columnReport(tables: Tables, { name, role, format }: DrawnColumn): ColumnReport {
  const base = { name, role, ...missingOf(tables, name) };
  const none = (reason: string): ColumnReport => ({ ...base, axis: null, real: null, synthetic: [], reason });
  if (role === 'identifier')
    return none('New identifiers are generated from the pattern; there is no distribution to keep.');
  const isLevels = tables.real.columns.get(name)?.kind === 'category';
  const binned = binColumn(tables, name, format, isLevels ? LEVELS : BINS);
  if (!binned) return none('Too few cells to show.');
  const realCells = countPresent(binned.real);
  return {
    ...base,
    axis: binned.axis,
    real: realCells < MIN_DRAWN ? null : sharesOf(countBoxes(binned, 'real'), realCells, MIN_ROWS),
    synthetic: sharesOf(countBoxes(binned, 'synthetic'), countPresent(binned.synthetic), 1),
    reason: realCells < MIN_DRAWN ? 'Too few real rows to show their distribution.' : null,
  };
}

function countBoxes(binned: Binned, side: 'real' | 'synthetic'): Int32Array {
  const counts = new Int32Array(binned.axis.bins);
  for (const box of binned[side]) if (box >= 0) counts[box]! += 1;
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

// The software that made a table, for a receipt and a report.

/** @param image of the container; null outside of one. */
export const softwareFacts = (image: string | null): Software => ({
  name: 'synthetic-tables',
  version: VERSION,
  node: process.version,
  platform: `${process.platform}-${process.arch}`,
  processor: cpus()[0]?.model.trim() || 'unknown',
  image,
});

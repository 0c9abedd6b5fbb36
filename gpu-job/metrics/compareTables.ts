/** The figures that set one table against the rows it should resemble: margins, dependence, nearness, copies. */
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable } from '../models/model.ts';
import { type MeasuredColumns, numericNamed, present, takeRows } from './columns.ts';
import { correlationDifference } from './correlationDifference.ts';
import { distancesToClosest } from './distanceToClosestRecord.ts';
import { duplicateRate } from './duplicateRate.ts';
import { averageFigure, type Figure, noFigure, toFigure } from './figure.ts';
import { kolmogorovSmirnov } from './kolmogorovSmirnov.ts';
import { sampleRows } from './sampleRows.ts';
import { isConstant } from './spread.ts';
import { wasserstein } from './wasserstein.ts';

/** Rows whose nearest real row is looked for, at most; always among all real rows. */
export const DCR_ROWS = 10_000;

/** Products that correlations take, at most: rows times columns squared. Of wider tables fewer rows are looked at. */
const CORRELATION_WORK = 1e9;

/** Columns from which on fewer rows are asked about, so that nearest rows take that many comparisons of cells at most. */
const WIDE = 100;
const DISTANCE_WORK = 4e9;

/** Some of the cells, evenly spread. */
function everyNth(values: Float64Array, wanted: number): Float64Array {
  if (wanted >= values.length) return values;
  const out = new Float64Array(wanted);
  for (let at = 0; at < wanted; at++) out[at] = values[Math.floor((at * values.length) / wanted)]!;
  return out;
}

/** A figure of one numeric column, or why it has none. */
type ColumnFigure = (real: Float64Array, other: Float64Array) => number | string;

const missingSide = (real: Float64Array, other: Float64Array): string | undefined => {
  if (real.length === 0) return 'has no value in the real table';
  if (other.length === 0) return 'has no value in the table measured';
  return undefined;
};

const columnKs: ColumnFigure = (real, other) => missingSide(real, other) ?? kolmogorovSmirnov(real, other);

const columnWasserstein: ColumnFigure = (real, other) => {
  const reason = missingSide(real, other);
  if (reason) return reason;
  return isConstant(real) ? 'has no spread in the real table' : wasserstein(real, other);
};

export const ksFigure = (real: ModelTable, other: ModelTable, columns: MeasuredColumns): Figure =>
  averageFigure('KS (Avg)', eachColumn(real, other, columns, columnKs));

export const wassersteinFigure = (real: ModelTable, other: ModelTable, columns: MeasuredColumns): Figure =>
  averageFigure('WD (Avg)', eachColumn(real, other, columns, columnWasserstein));

function eachColumn(
  real: ModelTable,
  other: ModelTable,
  columns: MeasuredColumns,
  figure: ColumnFigure,
): Map<string, number | string> {
  const valuesOf = (table: ModelTable, name: string) => present(numericNamed(table, name).values);
  return new Map(columns.numeric.map((name) => [name, figure(valuesOf(real, name), valuesOf(other, name))]));
}

export function correlationFigure(real: ModelTable, other: ModelTable, columns: MeasuredColumns): Figure {
  const name = 'Corr Diff (F-Norm)';
  if (columns.numeric.length < 2) return noFigure(name, 'it takes two numeric columns');
  const most = Math.max(2, Math.floor(CORRELATION_WORK / columns.numeric.length ** 2));
  const rows = (table: ModelTable) => Math.min(table.rows, most);
  const valuesOf = (table: ModelTable) =>
    columns.numeric.map((column) => everyNth(numericNamed(table, column).values, rows(table)));
  const { norm, pairs, undefinedPairs } = correlationDifference(valuesOf(real), valuesOf(other));
  const isSampled = rows(real) < real.rows || rows(other) < other.rows;
  const sampled = `${name} is of ${rows(real)} and ${rows(other)} rows, evenly spread over the tables, since there are ${columns.numeric.length} numeric columns.`;
  const notes = isSampled ? [sampled] : [];
  const reason = 'one of their columns does not vary over the rows in which both have a value';
  if (norm === undefined) return noFigure(name, `no pair of columns has a correlation in both tables: ${reason}`);
  if (undefinedPairs === 0) return toFigure(name, norm, notes);
  return toFigure(name, norm, [
    ...notes,
    `${name} leaves out ${undefinedPairs} of ${pairs} pairs of columns: ${reason}.`,
  ]);
}

/** @returns the figure and the rows it is the mean over. */
export function closestRecordFigure(
  real: ModelTable,
  other: ModelTable,
  columns: MeasuredColumns,
  random: RandomStream,
): Figure & { rows: number } {
  const name = 'DCR (Avg)';
  const width = columns.numeric.length + columns.categorical.length;
  if (width === 0) return { ...noFigure(name, 'there is no numeric or categorical column'), rows: 0 };
  if (real.rows === 0 || other.rows === 0) return { ...noFigure(name, 'a table has no row'), rows: 0 };
  const isWide = width > WIDE;
  const most = isWide ? Math.min(DCR_ROWS, Math.max(100, Math.floor(DISTANCE_WORK / (real.rows * width)))) : DCR_ROWS;
  const isSampled = other.rows > most;
  const asked = isSampled ? takeRows(other, sampleRows(other.rows, most, random)) : other;
  const distances = distancesToClosest(asked, real, columns);
  const mean = distances.reduce((sum, distance) => sum + distance, 0) / distances.length;
  const sampled = `${name} is the mean over ${asked.rows} of ${other.rows} rows, drawn at random, each against all ${real.rows} real rows.`;
  return { ...toFigure(name, mean, isSampled ? [sampled] : []), rows: asked.rows };
}

export function duplicateFigure(real: ModelTable, other: ModelTable, columns: MeasuredColumns): Figure {
  const name = 'Duplicate Rate (%)';
  if (columns.numeric.length + columns.categorical.length + columns.text.length === 0) {
    return noFigure(name, 'there is no column');
  }
  if (real.rows === 0 || other.rows === 0) return noFigure(name, 'a table has no row');
  return toFigure(name, duplicateRate(other, real, columns));
}

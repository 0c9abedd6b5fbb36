import { mean } from '../../numerics/moments.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { ModelTable } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import { type MeasuredColumns, numericNamed, present } from './columns.ts';
import { correlationDifference, isConstant, kolmogorovSmirnov, wasserstein } from './distances.ts';
import { duplicateRate } from './duplicateRate.ts';
import { distancesToClosest } from './nearestNeighbours.ts';
import { sampleRows } from './parts.ts';

/** Maximum rows whose nearest real row is sought. */
const DCR_ROWS = 10_000;

/** Maximum rows times squared columns for correlations. */
const CORRELATION_WORK = 1e9;

/** Wider tables query fewer rows. */
const WIDE = 100;
const DISTANCE_WORK = 4e9;

function everyNth(values: Float64Array, wanted: number): Float64Array {
  if (wanted >= values.length) return values;
  const out = new Float64Array(wanted);
  for (let at = 0; at < wanted; at++) out[at] = values[Math.floor((at * values.length) / wanted)]!;
  return out;
}

/** Text explains a missing figure. */
type ColumnFigure = (real: Float64Array, other: Float64Array) => number | string;

const missingSide = (real: Float64Array, other: Float64Array): string | undefined => {
  if (real.length === 0) return 'has no value in the real table';
  if (other.length === 0) return 'has no value in the table that is compared';
  return undefined;
};

const columnKs: ColumnFigure = (real, other) => missingSide(real, other) ?? kolmogorovSmirnov(real, other);

const columnWasserstein: ColumnFigure = (real, other) => {
  const reason = missingSide(real, other);
  if (reason) return reason;
  return isConstant(real) ? 'does not vary in the real table' : wasserstein(real, other);
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
  if (columns.numeric.length < 2) return noFigure(name, 'it needs two numeric columns');
  const most = Math.max(2, Math.floor(CORRELATION_WORK / columns.numeric.length ** 2));
  const rows = (table: ModelTable) => Math.min(table.rows, most);
  const valuesOf = (table: ModelTable) =>
    columns.numeric.map((column) => everyNth(numericNamed(table, column).values, rows(table)));
  const { norm, pairs, undefinedPairs } = correlationDifference(valuesOf(real), valuesOf(other));
  const isSampled = rows(real) < real.rows || rows(other) < other.rows;
  const sampled = `${name} uses ${rows(real)} real and ${rows(other)} compared rows, evenly spread over the tables, since there are ${columns.numeric.length} numeric columns.`;
  const notes = isSampled ? [sampled] : [];
  const reason = 'one of the two does not vary in the rows in which both have a value';
  if (norm === undefined) return noFigure(name, `no pair of columns has a correlation in both tables (${reason})`);
  if (undefinedPairs === 0) return toFigure(name, norm, notes);
  return toFigure(name, norm, [
    ...notes,
    `${name} leaves out ${undefinedPairs} of ${pairs} pairs of columns (${reason}).`,
  ]);
}

/** Returns the figure and its row count. */
export function closestRecordFigure(
  real: ModelTable,
  other: ModelTable,
  columns: MeasuredColumns,
  random: RandomStream,
): Figure & { rows: number } {
  const name = 'DCR (Avg)';
  const width = columns.numeric.length + columns.categorical.length;
  if (width === 0) return { ...noFigure(name, 'there is no numeric or categorical column'), rows: 0 };
  if (real.rows === 0 || other.rows === 0) return { ...noFigure(name, 'a table has no rows'), rows: 0 };
  const isWide = width > WIDE;
  const most = isWide ? Math.min(DCR_ROWS, Math.max(100, Math.floor(DISTANCE_WORK / (real.rows * width)))) : DCR_ROWS;
  const isSampled = other.rows > most;
  const queried = isSampled ? takeRows(other, sampleRows(other.rows, most, random)) : other;
  const distances = distancesToClosest(queried, real, columns);
  const sampled = `${name} is the mean over ${queried.rows} of ${other.rows} rows, chosen at random, each compared with all ${real.rows} real rows.`;
  return { ...toFigure(name, mean(distances), isSampled ? [sampled] : []), rows: queried.rows };
}

export function duplicateFigure(real: ModelTable, other: ModelTable, columns: MeasuredColumns): Figure {
  const name = 'Duplicate Rate (%)';
  if (columns.numeric.length + columns.categorical.length + columns.text.length === 0) {
    return noFigure(name, 'there is no column');
  }
  if (real.rows === 0 || other.rows === 0) return noFigure(name, 'a table has no rows');
  return toFigure(name, duplicateRate(other, real, columns));
}

export interface Figure {
  value: number | null;
  /** Reasons for null or omissions. */
  notes: string[];
}

export const noFigure = (name: string, reason: string): Figure => ({
  value: null,
  notes: [`${name} is null: ${reason}.`],
});

export function toFigure(name: string, value: number, notes: string[] = []): Figure {
  if (Number.isFinite(value)) return { value, notes };
  return { value: null, notes: [...notes, `${name} is null: the numbers are too large to compute it.`] };
}

/** Omits and names columns with a reason. */
function averageFigure(name: string, columns: ReadonlyMap<string, number | string>): Figure {
  if (columns.size === 0) return noFigure(name, 'there is no numeric column');
  const values = [...columns.values()].filter((value) => typeof value === 'number');
  const reasons = [...columns].flatMap(([column, value]) =>
    typeof value === 'string' ? [`${JSON.stringify(column)} ${value}`] : [],
  );
  if (values.length === 0) return noFigure(name, reasons.join('; '));
  const notes = reasons.length > 0 ? [`${name} leaves out columns: ${reasons.join('; ')}.`] : [];
  return toFigure(
    name,
    values.reduce((sum, value) => sum + value / values.length, 0),
    notes,
  );
}

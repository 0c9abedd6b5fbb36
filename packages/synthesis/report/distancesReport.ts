/** Distances of synthetic rows to training rows, beside unseen real rows. */
import type { DistancesReport } from '../../contract/report.ts';
import type { RandomStream } from '../../numerics/random/stream.ts';
import type { MeasuredColumns } from '../judge/columns.ts';
import { neighboursOf, rankTables } from '../judge/nearestNeighbours.ts';
import { sampleRows } from '../judge/parts.ts';
import type { ModelTable } from '../models/model.ts';
import { takeRows } from '../table/takeRows.ts';
import { MIN_ROWS, numberAxis, sharesOf } from './numberAxis.ts';

/** Maximum rows charted; the metrics use more. */
const TRAINING_ROWS = 5_000;
const ASKED_ROWS = 1_000;
const COLUMNS = 60;
const BINS = 24;

interface DistanceTables {
  train: ModelTable;
  holdout: ModelTable | null;
  synthetic: ModelTable;
}

/** Null without columns or enough rows. */
export function distancesReport(
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

/** Distances of real rows to each other. */
function distancesWithin(real: ModelTable, columns: MeasuredColumns, random: RandomStream): Float64Array {
  const neighbours = neighboursOf(real, real, columns);
  const rows = sampleRows(real.rows, ASKED_ROWS, random);
  return Float64Array.from(rows, (row) => neighbours.nearestTwo(row).second).filter(Number.isFinite);
}

const medianOf = (values: Float64Array): number => Math.round((values.toSorted()[values.length >> 1] ?? 0) * 1e4) / 1e4;

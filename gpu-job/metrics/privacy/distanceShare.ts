/**
 * The DCR share (Platzer and Reutterer, 2021): how often a synthetic row is nearer to the training rows than to as many
 * held-out ones, ties half. Rows that owe nothing to anybody in particular are nearer to either half the time. All
 * columns together, and group by group of columns, since what is copied may be drowned by what is not.
 *
 * The error is that of a permutation: which of the real rows are training rows is drawn anew. A real row that wins c of n
 * rows asked about adds (c − n/M)², M real rows in all: few real rows are not made many by asking often.
 */
import type { MeasuredFigure } from '../../../domain/schema/measuredFigure.ts';
import type { PrivacyMetrics } from '../../../domain/schema/privacyMetrics.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { MeasuredColumns } from '../columns.ts';
import { clipped, type Interval, Z } from '../intervals.ts';
import { judgeLeak, toMeasured } from '../measured.ts';
import type { Made } from '../parts.ts';
import { sampleRows } from '../sampleRows.ts';
import { NO_COLUMN, NO_HOLDOUT, type PrivatePart } from './privateParts.ts';
import { neighboursOf, widthOf } from './rankedTable.ts';

const IDEAL = 0.5;

/** Random halves of the columns that are looked at, from LEAST_TO_HALVE columns on. */
const HALVES = 3;
const LEAST_TO_HALVE = 4;

export interface WonShare {
  share: number;
  /** Its standard error. */
  error: number;
  rows: number;
}

/** Undefined where there is no row to ask about, to train on or held out, or no column. */
export function wonShare(parts: readonly PrivatePart[], made: Made, columns: MeasuredColumns): WonShare | undefined {
  if (widthOf(columns) === 0) return undefined;
  let [wins, decided, n, squares] = [0, 0, 0, 0];
  for (const { asked, holdout, peers } of parts) {
    const table = asked[made];
    if (!holdout || !peers || holdout.rows === 0 || peers.rows === 0) continue;
    const [toTrain, toHeld] = [neighboursOf(table, peers, columns), neighboursOf(table, holdout, columns)];
    const won = new Float64Array(peers.rows + holdout.rows);
    for (let row = 0; row < table.rows; row++) {
      const [own, other] = [toTrain.nearestRow(row), toHeld.nearestRow(row)];
      if (own.distance < other.distance) won[own.row]!++;
      else if (own.distance > other.distance) won[peers.rows + other.row]!++;
    }
    n += table.rows;
    wins += won.subarray(0, peers.rows).reduce((sum, count) => sum + count, 0);
    decided += won.reduce((sum, count) => sum + count, 0);
    squares += spreadOf(won);
  }
  if (n === 0) return undefined;
  const odds = decided > 0 ? wins / decided : 0.5;
  const share = (wins + (n - decided) / 2) / n;
  return { share, error: Math.sqrt(odds * (1 - odds) * squares) / n, rows: n };
}

/** Σ (c − c̄)² · M / (M − 1). */
function spreadOf(counts: Float64Array): number {
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  const squares = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0);
  return (squares * counts.length) / (counts.length - 1);
}

export function distanceShareFigures(
  parts: readonly PrivatePart[],
  columns: MeasuredColumns,
  random: RandomStream,
): Pick<PrivacyMetrics, 'dcr_share' | 'dcr_share_worst' | 'worst_columns'> {
  const groups = columnGroups(columns, random);
  const found = groups.map((group) => ({ group, won: wonShare(parts, 'synthetic', group) }));
  // As many intervals at once: each is wider, so that all hold together (Bonferroni).
  const wide = normalQuantile(1 - 0.025 / Math.max(1, groups.length));
  const lowest = ({ won }: (typeof found)[number]): number => (won ? won.share - wide * won.error : 0);
  const worst = found.toSorted((a, b) => lowest(b) - lowest(a))[0];
  return {
    dcr_share: shareFigureOf(parts, columns, wonShare(parts, 'synthetic', columns), Z),
    dcr_share_worst: shareFigureOf(parts, worst?.group ?? columns, worst?.won, wide),
    worst_columns: worst?.won ? [...worst.group.numeric, ...worst.group.categorical] : [],
  };
}

function shareFigureOf(
  parts: readonly PrivatePart[],
  columns: MeasuredColumns,
  won: WonShare | undefined,
  z: number,
): MeasuredFigure {
  const interval: Interval | undefined = won && clipped([won.share - z * won.error, won.share + z * won.error], 0, 1);
  const isHeld = parts.some(({ holdout }) => holdout);
  return toMeasured({
    value: won?.share,
    interval,
    rows: won?.rows ?? 0,
    reason: isHeld ? NO_COLUMN : NO_HOLDOUT,
    ideal: IDEAL,
    independent: wonShare(parts, 'independent', columns)?.share,
    swapped: wonShare(parts, 'swapped', columns)?.share,
    verdict: judgeLeak(won?.share, interval, IDEAL),
  });
}

/** All columns, numbers alone, categories alone, and random halves. */
function columnGroups(columns: MeasuredColumns, random: RandomStream): MeasuredColumns[] {
  const all = [...columns.numeric, ...columns.categorical];
  const groups: MeasuredColumns[] = [columns];
  if (columns.numeric.length > 1 && columns.categorical.length > 0) groups.push({ ...columns, categorical: [] });
  if (columns.categorical.length > 1 && columns.numeric.length > 0) groups.push({ ...columns, numeric: [] });
  for (let half = 0; half < HALVES && all.length >= LEAST_TO_HALVE; half++) {
    const drawn = sampleRows(all.length, Math.ceil(all.length / 2), random.child(`half ${half}`));
    const names = new Set([...drawn].map((at) => all[at]));
    const within = (name: string): boolean => names.has(name);
    groups.push({
      ...columns,
      numeric: columns.numeric.filter(within),
      categorical: columns.categorical.filter(within),
    });
  }
  return groups;
}

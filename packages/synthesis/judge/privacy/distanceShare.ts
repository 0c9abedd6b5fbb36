/**
 * DCR share (Platzer and Reutterer, 2021): how often synthetic rows are nearer to training rows than to as many
 * held-out ones, ties half; 0.5 without leaks. Groups of columns reveal partial copies.
 *
 * The error is that of permuting real rows: one that wins c of n queries adds (c − n/M)² for M real rows, so repeated
 * queries do not inflate the sample.
 */
import type { MeasuredFigure } from '../../../contract/measuredFigure.ts';
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import { mean, meanWithError } from '../../../numerics/moments.ts';
import type { RandomStream } from '../../../numerics/random/stream.ts';
import { normalQuantile } from '../../../numerics/special/normal.ts';
import type { ModelTable } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { around, clipped, type Interval, type Mean, VERDICT_Z, Z } from '../intervals.ts';
import type { AttackTask, Measure } from '../measure.ts';
import { type Count, judgeLeak, shareFigure, toMeasured } from '../measured.ts';
import { neighboursOf, widthOf } from '../nearestNeighbours.ts';
import { MADE, type Made, NO_COLUMN, NO_HOLDOUT, type PrivatePart, sampleRows } from '../parts.ts';

const IDEAL = 0.5;

const HALVES = 3;
const MIN_TO_HALVE = 4;

export interface WonShare {
  share: number;
  error: number;
  rows: number;
}

/** Undefined without rows or columns. */
export function wonShare(parts: readonly PrivatePart[], made: Made, columns: MeasuredColumns): WonShare | undefined {
  if (widthOf(columns) === 0) return undefined;
  let [wins, decided, n, squares] = [0, 0, 0, 0];
  for (const { queried, holdout, peers } of parts) {
    const table = queried[made];
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
  const share = (wins + (n - decided) / 2) / n;
  // Under the null, winners are training rows half the time, so the error is not 0.
  return { share, error: Math.sqrt(squares / 4) / n, rows: n };
}

/** Σ (c − c̄)² · M / (M − 1). */
function spreadOf(counts: Float64Array): number {
  const centre = mean(counts);
  const squares = counts.reduce((sum, count) => sum + (count - centre) ** 2, 0);
  return (squares * counts.length) / (counts.length - 1);
}

export const distanceShare: Measure<
  Pick<PrivacyMetrics, 'dcr_share' | 'dcr_share_worst' | 'worst_columns'>,
  AttackTask
> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const random = task.random.child('groups');
  const groups = columnGroups(columns, random);
  const found = groups.map((group) => ({ group, won: wonShare(parts, 'synthetic', group) }));
  // Bonferroni correction over groups.
  const wide = normalQuantile(1 - 0.025 / Math.max(1, groups.length));
  const lowest = ({ won }: (typeof found)[number]): number => (won ? won.share - wide * won.error : 0);
  const worst = found.toSorted((a, b) => lowest(b) - lowest(a))[0];
  const share = shareFigureOf(parts, columns, wonShare(parts, 'synthetic', columns), Z);
  await task.onProgress({ stage: 'measure', fact: 'records_compared', rows: share.rows });
  return {
    dcr_share: share,
    dcr_share_worst: shareFigureOf(parts, worst?.group ?? columns, worst?.won, wide),
    worst_columns: worst?.won ? [...worst.group.numeric, ...worst.group.categorical] : [],
  };
};

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

function columnGroups(columns: MeasuredColumns, random: RandomStream): MeasuredColumns[] {
  const all = [...columns.numeric, ...columns.categorical];
  const groups: MeasuredColumns[] = [columns];
  if (columns.numeric.length > 1 && columns.categorical.length > 0) groups.push({ ...columns, categorical: [] });
  if (columns.categorical.length > 1 && columns.numeric.length > 0) groups.push({ ...columns, numeric: [] });
  for (let half = 0; half < HALVES && all.length >= MIN_TO_HALVE; half++) {
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

// near copies: share nearer to training rows than the nearest twentieth of held-out rows. neighbour ratio: mean ratio
// of nearest to second nearest distance (Zhao et al., 2021), near 0 for copies.

const NEAR_SHARE = 0.05;

interface Near {
  distances: number[];
  ratios: number[];
}

export const nearness: Measure<Pick<PrivacyMetrics, 'near_copies' | 'neighbour_ratio'>, AttackTask> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const isEmpty = widthOf(columns) === 0;
  const nearOf = (tables: readonly (readonly [ModelTable | null, ModelTable])[]): Near => {
    const near: Near = { distances: [], ratios: [] };
    for (const [queried, train] of tables) if (queried && !isEmpty) addNear(queried, train, columns, near);
    return near;
  };
  const made = Object.fromEntries(MADE.map((name) => [name, nearOf(parts.map((p) => [p.queried[name], p.train]))]));
  const held = nearOf(parts.map(({ holdout, train }) => [holdout, train]));
  const ratio = neighbourRatio(made, held);
  await task.onProgress({ stage: 'measure', fact: 'neighbours_found', rows: ratio.rows });
  return { near_copies: nearCopies(made, held), neighbour_ratio: ratio };
};

function addNear(queried: ModelTable, train: ModelTable, columns: MeasuredColumns, near: Near): void {
  if (train.rows === 0) return;
  const neighbours = neighboursOf(queried, train, columns);
  for (let row = 0; row < queried.rows; row++) {
    const { distance, second } = neighbours.nearestTwo(row);
    near.distances.push(distance);
    if (Number.isFinite(second)) near.ratios.push(second > 0 ? distance / second : 1);
  }
}

function nearCopies(made: Record<string, Near>, held: Near) {
  const sorted = Float64Array.from(held.distances).sort();
  const threshold = sorted[Math.max(0, Math.ceil(NEAR_SHARE * sorted.length) - 1)];
  const count = ({ distances }: Near): Count => ({
    hits: distances.filter((distance) => threshold !== undefined && distance <= threshold).length,
    of: threshold === undefined ? 0 : distances.length,
  });
  const reason = 'it needs held-out rows, synthetic rows, and a numeric or categorical column';
  const of = (name: Made): Count => count(made[name]!);
  return shareFigure({
    synthetic: of('synthetic'),
    holdout: threshold === undefined ? null : count(held),
    independent: of('independent'),
    swapped: of('swapped'),
    reason,
  });
}

function neighbourRatio(made: Record<string, Near>, held: Near) {
  const of = (name: Made): Mean => meanWithError(made[name]!.ratios);
  const [own, real] = [of('synthetic'), meanWithError(held.ratios)];
  const count = made.synthetic!.ratios.length;
  const gap = VERDICT_Z * Math.hypot(own.error, real.error);
  return toMeasured({
    value: count > 0 ? own.mean : undefined,
    interval: clipped(around(own), 0, 1),
    rows: count,
    reason: `there are fewer than two training rows, or ${NO_COLUMN}`,
    holdout: real.mean,
    independent: of('independent').mean,
    swapped: of('swapped').mean,
    verdict: Number.isFinite(gap) ? (own.mean < real.mean - gap ? 'worse' : 'as good') : null,
  });
}

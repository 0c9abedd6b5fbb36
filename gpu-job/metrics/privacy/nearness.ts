/**
 * How near synthetic rows come to training rows, on the scale of `rankedTable.ts`.
 *   near copies       share of rows nearer to a training row than the nearest twentieth of held-out rows are;
 *   neighbour ratio   distance to the nearest training row over that to the second nearest, mean over rows (Zhao et al.,
 *                     2021); 1 where both are 0, since a row that stands there twice is nobody's alone. Near 0 for copies.
 */
import type { PrivacyMetrics } from '../../../domain/schema/privacyMetrics.ts';
import type { ModelTable } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { around, clipped, type Mean, meanOf, VERDICT_Z } from '../intervals.ts';
import { toMeasured } from '../measured.ts';
import { MADE, type Made } from '../parts.ts';
import { NO_COLUMN, type PrivatePart } from './privateParts.ts';
import { neighboursOf, widthOf } from './rankedTable.ts';
import { type Count, shareFigure } from './shareFigure.ts';

/** Share of held-out rows that are as near as a near copy, ties aside. */
const NEAR_SHARE = 0.05;

interface Near {
  distances: number[];
  ratios: number[];
}

export function nearnessFigures(
  parts: readonly PrivatePart[],
  columns: MeasuredColumns,
): Pick<PrivacyMetrics, 'near_copies' | 'neighbour_ratio'> {
  const isEmpty = widthOf(columns) === 0;
  const nearOf = (tables: readonly (readonly [ModelTable | null, ModelTable])[]): Near => {
    const near: Near = { distances: [], ratios: [] };
    for (const [asked, train] of tables) if (asked && !isEmpty) addNear(asked, train, columns, near);
    return near;
  };
  const made = Object.fromEntries(MADE.map((name) => [name, nearOf(parts.map((p) => [p.asked[name], p.train]))]));
  const held = nearOf(parts.map(({ holdout, train }) => [holdout, train]));
  return {
    near_copies: nearCopies(made, held),
    neighbour_ratio: neighbourRatio(made, held),
  };
}

function addNear(asked: ModelTable, train: ModelTable, columns: MeasuredColumns, near: Near): void {
  if (train.rows === 0) return;
  const neighbours = neighboursOf(asked, train, columns);
  for (let row = 0; row < asked.rows; row++) {
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
  const reason = 'it takes held-out rows, a numeric or category column, and synthetic rows';
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
  const of = (name: Made): Mean => meanOf(made[name]!.ratios);
  const [own, real] = [of('synthetic'), meanOf(held.ratios)];
  const count = made.synthetic!.ratios.length;
  const gap = VERDICT_Z * Math.hypot(own.error, real.error);
  return toMeasured({
    value: count > 0 ? own.mean : undefined,
    interval: clipped(around(own), 0, 1),
    rows: count,
    reason: `it takes two training rows; ${NO_COLUMN}`,
    holdout: real.mean,
    independent: of('independent').mean,
    swapped: of('swapped').mean,
    verdict: Number.isFinite(gap) ? (own.mean < real.mean - gap ? 'worse' : 'as good') : null,
  });
}

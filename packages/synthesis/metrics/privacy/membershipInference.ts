/**
 * Membership inference by distance (Hayes et al., 2019; Chen et al., 2020): an attacker who has real rows and the
 * synthetic table guesses that those nearest to a synthetic row were trained on. The AUC of the guess over as many
 * training rows as held-out ones; 0.5 is a coin.
 */
import type { PrivacyMetrics } from '../../../contract/metrics.ts';
import type { ModelTable } from '../../models/model.ts';
import type { MeasuredColumns } from '../columns.ts';
import { type Auc, rocAuc } from '../intervals.ts';
import type { Measure } from '../measure.ts';
import { judgeLeak, toMeasured } from '../measured.ts';
import { neighboursOf, widthOf } from '../nearestNeighbours.ts';
import { ATTACKED_ROWS, type Made, NO_COLUMN, NO_HOLDOUT, type PrivatePart, YARDSTICK_ROWS } from '../parts.ts';

const IDEAL = 0.5;

export const membershipInference: Measure<Pick<PrivacyMetrics, 'membership_inference'>> = async (task) => {
  const { columns } = task.measured;
  const parts = task.ranked;
  const of = (made: Made) => attack(parts, made, columns);
  const { auc, rows } = of('synthetic');
  const figure = toMeasured({
    value: auc?.value,
    interval: auc?.interval,
    rows,
    reason: parts.some(({ holdout }) => holdout) ? NO_COLUMN : NO_HOLDOUT,
    ideal: IDEAL,
    independent: of('independent').auc?.value,
    swapped: of('swapped').auc?.value,
    verdict: judgeLeak(auc?.value, auc?.interval, IDEAL),
  });
  await task.onProgress({ stage: 'measure', fact: 'membership_tested', rows });
  return { membership_inference: figure };
};

function attack(
  parts: readonly PrivatePart[],
  made: Made,
  columns: MeasuredColumns,
): { auc: Auc | undefined; rows: number } {
  const [members, others]: [number[], number[]] = [[], []];
  for (const part of parts) {
    if (!part.holdout || !part.peers || part.made[made].rows === 0 || widthOf(columns) === 0) continue;
    const most = made === 'synthetic' ? ATTACKED_ROWS : YARDSTICK_ROWS;
    addNearness(part.peers, part.made[made], columns, most, members);
    addNearness(part.holdout, part.made[made], columns, most, others);
  }
  return {
    auc: rocAuc(Float64Array.from(members), Float64Array.from(others)),
    rows: members.length + others.length,
  };
}

function addNearness(
  queried: ModelTable,
  made: ModelTable,
  columns: MeasuredColumns,
  most: number,
  out: number[],
): void {
  const neighbours = neighboursOf(queried, made, columns);
  // Evenly spread over the rows, which are in the order of the upload.
  const step = Math.max(1, queried.rows / most);
  for (let row = 0; row < queried.rows; row += step) out.push(-neighbours.nearest(Math.floor(row)));
}

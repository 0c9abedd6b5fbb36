/**
 * The best split of a node, from its histogram. Gain of a split in left and right (Chen and Guestrin, 2016):
 *   G_L²/(H_L + λ) + G_R²/(H_R + λ) − G²/(H + λ),   G, H sums of gradients and hessians.
 */
import type { Histogram } from './histogram.ts';

export interface SplitSettings {
  /** Rows on either side of a split, at least. */
  minLeafRows: number;
  /** λ. */
  l2: number;
}

export interface NodeSums {
  gradient: number;
  hessian: number;
  rows: number;
}

export interface Split {
  feature: number;
  bin: number;
  missingLeft: boolean;
  gain: number;
  left: NodeSums;
}

/** Sum of hessians on either side, at least: below it a Newton step is noise. */
const MIN_HESSIAN = 1e-3;

/** Gains below this share of the node's own score are rounding. */
const GAIN_ROUNDING = 1e-12;

/** Undefined where no split is allowed or none gains. Ties go to the earliest feature and the lowest bin. */
export function findSplit(
  histogram: Histogram,
  offsets: readonly number[],
  node: NodeSums,
  settings: SplitSettings,
): Split | undefined {
  if (node.rows < 2 * settings.minLeafRows) return undefined;
  const best: Split = { feature: -1, bin: -1, missingLeft: false, gain: 0, left: { gradient: 0, hessian: 0, rows: 0 } };
  for (let feature = 0; feature + 1 < offsets.length; feature++) {
    const missingRows = histogram.rows[offsets[feature + 1]! - 1]!;
    scan(histogram, offsets, feature, node, settings, false, best);
    if (missingRows > 0) scan(histogram, offsets, feature, node, settings, true, best);
  }
  return best.feature < 0 ? undefined : best;
}

/** Tries every threshold of one feature, missing cells on the given side, and keeps what beats `best`. */
function scan(
  { gradient, hessian, rows }: Histogram,
  offsets: readonly number[],
  feature: number,
  node: NodeSums,
  { minLeafRows, l2 }: SplitSettings,
  missingLeft: boolean,
  best: Split,
): void {
  const start = offsets[feature]!;
  const missing = offsets[feature + 1]! - 1;
  const score = (node.gradient * node.gradient) / (node.hessian + l2);
  let leftGradient = missingLeft ? gradient[missing]! : 0;
  let leftHessian = missingLeft ? hessian[missing]! : 0;
  let leftRows = missingLeft ? rows[missing]! : 0;
  for (let at = start; at < missing; at++) {
    leftGradient += gradient[at]!;
    leftHessian += hessian[at]!;
    leftRows += rows[at]!;
    const rightRows = node.rows - leftRows;
    if (rightRows < minLeafRows || rightRows <= 0) break;
    const rightHessian = node.hessian - leftHessian;
    if (leftRows < minLeafRows || leftHessian < MIN_HESSIAN || rightHessian < MIN_HESSIAN) continue;
    const rightGradient = node.gradient - leftGradient;
    const gain =
      (leftGradient * leftGradient) / (leftHessian + l2) +
      (rightGradient * rightGradient) / (rightHessian + l2) -
      score;
    if (gain <= best.gain || gain <= GAIN_ROUNDING * score) continue;
    best.feature = feature;
    best.bin = at - start;
    // With no missing cell in the node, later ones follow the larger side.
    best.missingLeft = missingLeft || (rows[missing] === 0 && leftRows > rightRows);
    best.gain = gain;
    best.left = { gradient: leftGradient, hessian: leftHessian, rows: leftRows };
  }
}

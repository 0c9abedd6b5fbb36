/**
 * The best split of a node for a target of K classes, by the Gini index (Breiman et al., 1984). Gain of a split:
 *   Σ_k n_Lk² / n_L + Σ_k n_Rk² / n_R − Σ_k n_k² / n,   n_k rows of class k.
 */

export interface ClassSplit {
  feature: number;
  bin: number;
  missingLeft: boolean;
  gain: number;
}

/** Rows of each class in each bin of one feature: bin b has its K counts from b · K on, the missing bin last. */
export type ClassHistogram = Int32Array;

/** Gains below this share of the node's rows are rounding. */
const GAIN_ROUNDING = 1e-9;

/** Counts the rows order[start … end-1]; `out` has (missing + 1) · K entries. */
export function fillClassHistogram(
  out: ClassHistogram,
  column: Uint8Array,
  classes: Int32Array,
  kinds: number,
  order: Uint32Array,
  start: number,
  end: number,
): void {
  out.fill(0);
  for (let i = start; i < end; i++) {
    const row = order[i]!;
    out[column[row]! * kinds + classes[row]!]!++;
  }
}

/**
 * Improves `best` by the thresholds of one feature. Missing rows go right; where the node has none, later ones follow the
 * larger side.
 * @param total rows of each class in the node.
 * @param missing the missing bin: it is not split from others.
 */
export function scanClasses(
  histogram: ClassHistogram,
  kinds: number,
  missing: number,
  total: Int32Array,
  feature: number,
  minLeafRows: number,
  best: ClassSplit,
): void {
  const rows = total.reduce((sum, count) => sum + count, 0);
  const left = new Int32Array(kinds);
  let leftRows = 0;
  let leftSquares = 0;
  let rightSquares = 0;
  for (let k = 0; k < kinds; k++) rightSquares += total[k]! * total[k]!;
  const before = rightSquares / rows;
  const hasMissing = histogram.subarray(missing * kinds).some((count) => count > 0);
  for (let bin = 0; bin < missing; bin++) {
    for (let k = 0, at = bin * kinds; k < kinds; k++, at++) {
      const count = histogram[at]!;
      if (count === 0) continue;
      leftSquares += count * (2 * left[k]! + count);
      rightSquares -= count * (2 * (total[k]! - left[k]!) - count);
      left[k]! += count;
      leftRows += count;
    }
    const rightRows = rows - leftRows;
    if (rightRows < minLeafRows) break;
    if (leftRows < minLeafRows) continue;
    const gain = leftSquares / leftRows + rightSquares / rightRows - before;
    if (gain <= best.gain || gain <= GAIN_ROUNDING * rows) continue;
    best.feature = feature;
    best.bin = bin;
    best.gain = gain;
    best.missingLeft = !hasMissing && leftRows > rightRows;
  }
}

/** Knots of a spline at quantiles of what it is to bend over, all distinct, heaps notwithstanding. */

/** Knots nearer to one another than this share of their range are one. */
const NEAREST = 1e-6;

/**
 * Ascending knots, at most `most` (≥ 3), the least and the largest value among them: every distinct value where there are
 * no more, else quantiles of the values where each distinct one counts for at most 1/most of them.
 * @param sorted ascending finite values.
 */
export function chooseKnots(sorted: Float64Array, most: number): Float64Array {
  const { values, counts } = distinct(sorted);
  if (values.length <= most) return apart(values);
  const weights = counts.map((count) => Math.min(count, sorted.length / most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const knots = [values[0]!];
  let passed = 0;
  let at = 0;
  for (const share of shares(most)) {
    while (passed + weights[at]! < share * total && at < values.length - 1) passed += weights[at++]!;
    knots.push(values[at]!);
  }
  knots.push(values[values.length - 1]!);
  return apart(Float64Array.from(knots));
}

/** Inner shares: equal steps, but the outermost cells are cut again, since tails are long. */
function shares(most: number): number[] {
  const cells = most - 1;
  if (most < 7) return Array.from({ length: most - 2 }, (_, j) => (j + 1) / cells);
  const inner = most - 4;
  const steps = Array.from({ length: inner }, (_, j) => (j + 1) / (inner + 1));
  return [steps[0]! / 4, ...steps, 1 - steps[0]! / 4];
}

function distinct(sorted: Float64Array): { values: Float64Array; counts: Float64Array } {
  const values: number[] = [];
  const counts: number[] = [];
  for (const value of sorted) {
    if (values.length > 0 && values[values.length - 1] === value) counts[counts.length - 1]!++;
    else {
      values.push(value);
      counts.push(1);
    }
  }
  return { values: Float64Array.from(values), counts: Float64Array.from(counts) };
}

/** Leaves out knots too near to the one before; the last stays. */
function apart(knots: Float64Array): Float64Array {
  const last = knots[knots.length - 1]!;
  const least = NEAREST * (last - knots[0]!);
  const kept: number[] = [];
  for (const knot of knots.subarray(0, -1)) {
    if (last - knot > least && (kept.length === 0 || knot - kept[kept.length - 1]! > least)) kept.push(knot);
  }
  return Float64Array.from([...kept, last]);
}

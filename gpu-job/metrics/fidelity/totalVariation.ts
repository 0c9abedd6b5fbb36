/**
 * Total variation distance of two tables of counts, ½ Σ |p − q| over their shares (sdmetrics' TVComplement is
 * one minus it). 0 to 1; 0 where the two are alike.
 */

/** @param a, b counts of the same cells. Undefined where one of them is empty. */
export function totalVariation(a: ArrayLike<number>, b: ArrayLike<number>): number | undefined {
  const [m, n] = [total(a), total(b)];
  if (m === 0 || n === 0) return undefined;
  let sum = 0;
  for (let cell = 0; cell < a.length; cell++) sum += Math.abs(a[cell]! / m - b[cell]! / n);
  return sum / 2;
}

function total(counts: ArrayLike<number>): number {
  let sum = 0;
  for (let cell = 0; cell < counts.length; cell++) sum += counts[cell]!;
  return sum;
}

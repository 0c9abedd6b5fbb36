/** The generalised U-turn criterion (Betancourt 2017, A.4.2), over a trajectory and across the seam of its halves, as Stan has it. */

/** Momenta of a piece of a trajectory, in the order in which it was built: Σ p, the first and the last. */
export interface Span {
  sum: Float64Array;
  first: Float64Array;
  last: Float64Array;
}

/**
 * True where `left` followed by `right` goes on in one direction: as a whole, from the start of `left` into `right`, and
 * from the end of `left` to the end of `right`. Writes Σ p over both into `sum`, which may be `left.sum`.
 */
export function goesOn(variance: Float64Array, left: Span, right: Span, sum: Float64Array): boolean {
  const { sum: leftSum, first: leftFirst, last: leftLast } = left;
  const { sum: rightSum, first: rightFirst, last: rightLast } = right;
  let atStart = 0;
  let atEnd = 0;
  let seamStart = 0;
  let seamIn = 0;
  let seamOut = 0;
  let seamEnd = 0;
  for (let i = 0; i < variance.length; i++) {
    const v = variance[i]!;
    const ls = leftSum[i]!;
    const rs = rightSum[i]!;
    const lf = leftFirst[i]!;
    const ll = leftLast[i]!;
    const rf = rightFirst[i]!;
    const rl = rightLast[i]!;
    const whole = v * (ls + rs);
    const head = v * (ls + rf);
    const tail = v * (ll + rs);
    sum[i] = ls + rs;
    atStart += whole * lf;
    atEnd += whole * rl;
    seamStart += head * lf;
    seamIn += head * rf;
    seamOut += tail * ll;
    seamEnd += tail * rl;
  }
  return atStart > 0 && atEnd > 0 && seamStart > 0 && seamIn > 0 && seamOut > 0 && seamEnd > 0;
}

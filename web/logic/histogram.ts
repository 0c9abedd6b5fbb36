interface Range {
  low: number;
  high: number;
}

/** Values outside the range go to the outermost bins. */
function binOf(value: number, { low, high }: Range, bins: number): number {
  if (high <= low) return 0;
  return Math.min(bins - 1, Math.max(0, Math.floor(((value - low) / (high - low)) * bins)));
}

/** Interpolates quantiles linearly. */
export function quantileAt(probabilities: readonly number[], values: readonly number[], at: number): number {
  const above = probabilities.findIndex((p) => p >= at);
  if (above < 0) return values.at(-1) ?? 0;
  if (above === 0) return values[0] ?? 0;
  const [p0, p1] = [probabilities[above - 1]!, probabilities[above]!];
  const [q0, q1] = [values[above - 1]!, values[above]!];
  return p1 > p0 ? q0 + ((at - p0) / (p1 - p0)) * (q1 - q0) : q1;
}

/** Spreads probability evenly between quantiles, except point masses. */
export function sharesOfQuantiles(
  probabilities: readonly number[],
  values: readonly number[],
  range: Range,
  bins: number,
): number[] {
  const shares = new Array<number>(bins).fill(0);
  for (let i = 1; i < probabilities.length; i++) {
    const mass = probabilities[i]! - probabilities[i - 1]!;
    spread(shares, mass, values[i - 1]!, values[i]!, range);
  }
  return shares;
}

function spread(shares: number[], mass: number, from: number, to: number, range: Range): void {
  const bins = shares.length;
  const [first, last] = [binOf(from, range, bins), binOf(to, range, bins)];
  if (to <= from || first === last) {
    shares[first]! += mass;
    return;
  }
  const width = (range.high - range.low) / bins;
  for (let bin = first; bin <= last; bin++) {
    const left = bin === first ? from : range.low + bin * width;
    const right = bin === last ? to : range.low + (bin + 1) * width;
    shares[bin]! += (mass * (right - left)) / (to - from);
  }
}

/** 1 % to 99 % quantile, because of outliers; the full range if that is a point. */
export function middleRange(probabilities: readonly number[], values: readonly number[]): Range {
  const low = quantileAt(probabilities, values, 0.01);
  const high = quantileAt(probabilities, values, 0.99);
  return high > low ? { low, high } : { low: values[0] ?? 0, high: values.at(-1) ?? 0 };
}

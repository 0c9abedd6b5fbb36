/** Class weights of rows (n × K, row-major). */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** A few rounds bring sums within one row of the counts. */
const RAKINGS = 10;

/** Rakes class sums to counts in place (Deming and Stephan, 1940). */
export function rakeClasses(weights: Float64Array, counts: ArrayLike<number>): void {
  const kinds = counts.length;
  const sums = new Float64Array(kinds);
  for (let from = 0; from < weights.length; from += kinds) {
    for (let k = 0; k < kinds; k++) sums[k]! += weights[from + k]!;
  }
  for (let time = 0; time < RAKINGS; time++) {
    const factors = sums.map((sum, one) => (sum > 0 ? counts[one]! / sum : 0));
    sums.fill(0);
    // One pass also sums for the next round, since memory is slow.
    for (let from = 0; from < weights.length; from += kinds) {
      let all = 0;
      for (let k = 0; k < kinds; k++) all += weights[from + k]! * factors[k]!;
      for (let k = 0; k < kinds; k++) {
        if (all > 0) weights[from + k]! *= factors[k]! / all;
        sums[k]! += weights[from + k]!;
      }
    }
  }
}

/** Draws codes (class minus 1) of `rows`. */
export function drawInto(codes: Int32Array, rows: Int32Array, weights: Float64Array, random: RandomStream): void {
  const kinds = weights.length / rows.length;
  for (let at = 0, from = 0; at < rows.length; at++, from += kinds) {
    let all = 0;
    for (let k = 0; k < kinds; k++) all += weights[from + k]!;
    let left = random.uniform() * all;
    let one = -1;
    for (let k = 0; k < kinds && left >= 0; k++) {
      if (weights[from + k] === 0) continue;
      one = k;
      left -= weights[from + k]!;
    }
    codes[rows[at]!] = one - 1;
  }
}

/**
 * Returns a function that moves a row's suppressed probability to the rarest released classes (K entries at `from`).
 * @param rows per class.
 */
export function weigher(rows: Int32Array, released: readonly boolean[]): (p: Float64Array, from: number) => void {
  const kinds = rows.length;
  const lifts = redistributedRows(rows, released).map((lift, one) => (lift > 0 ? lift / rows[one]! : 0));
  const mayStand = Uint8Array.from(released, (may, one) => (may && rows[one]! > 0 ? 1 : 0));
  const isHidden = Uint8Array.from(released, (may) => (may ? 0 : 1));
  return (p, from) => {
    let [suppressed, lifted] = [0, 0];
    for (let k = 0; k < kinds; k++) {
      const own = p[from + k]!;
      if (isHidden[k] === 1) suppressed += own;
      if (mayStand[k] === 1) lifted += own * lifts[k]!;
      else p[from + k] = 0;
    }
    if (suppressed === 0 || lifted === 0) return;
    const share = suppressed / lifted;
    for (let k = 0; k < kinds; k++) p[from + k]! += p[from + k]! * lifts[k]! * share;
  };
}

// Suppressed rows go to the next rarest levels, so that frequent levels keep their shares.

/** Returns added rows per class, which raise the rarest released classes to one height. */
export function redistributedRows(margin: Int32Array, released: readonly boolean[]): Float64Array {
  const suppressed = margin.reduce((sum, count, one) => sum + (released[one] ? 0 : count), 0);
  const may = [...margin.keys()].filter((one) => one > 0 && released[one] && margin[one]! > 0);
  may.sort((a, b) => margin[a]! - margin[b]!);
  let height = 0;
  let filled = suppressed;
  for (const [below, one] of may.entries()) {
    if (below > 0 && height <= margin[one]!) break;
    filled += margin[one]!;
    height = filled / (below + 1);
  }
  const rows = new Float64Array(margin.length);
  for (const one of may) rows[one] = Math.max(0, height - margin[one]!);
  return rows;
}

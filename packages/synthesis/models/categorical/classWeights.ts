/** Weights of the classes of each row (n × K, row after row): what may stand, how many there are of each, and draws by them. */
import type { RandomStream } from '../../../numerics/random/stream.ts';

/** Rounds of raking: a few bring the sums within a row of the counts. */
const RAKINGS = 10;

/** Brings the sums of each class over all rows to counts, in place (Deming and Stephan, 1940). */
export function rakeClasses(weights: Float64Array, counts: ArrayLike<number>): void {
  const kinds = counts.length;
  for (let time = 0; time < RAKINGS; time++) {
    const sums = new Float64Array(kinds);
    for (let at = 0; at < weights.length; at++) sums[at % kinds]! += weights[at]!;
    const factors = sums.map((sum, one) => (sum > 0 ? counts[one]! / sum : 0));
    for (let from = 0; from < weights.length; from += kinds) {
      let all = 0;
      for (let k = 0; k < kinds; k++) all += weights[from + k]! * factors[k]!;
      if (all > 0) for (let k = 0; k < kinds; k++) weights[from + k]! *= factors[k]! / all;
    }
  }
}

/** Draws the codes (class less 1) of `rows`, each by its own weights. */
export function drawInto(codes: Int32Array, rows: Int32Array, weights: Float64Array, random: RandomStream): void {
  const kinds = weights.length / rows.length;
  for (const [at, row] of rows.entries()) {
    const own = weights.subarray(at * kinds, (at + 1) * kinds);
    let left = random.uniform() * own.reduce((sum, weight) => sum + weight, 0);
    let one = -1;
    for (let k = 0; k < kinds && left >= 0; k++) {
      if (own[k] === 0) continue;
      one = k;
      left -= own[k]!;
    }
    codes[row] = one - 1;
  }
}

/**
 * Probabilities of the classes that occur and may be released: those of suppressed levels go to the rarest of them, as in a first
 * draw. `rows`: of each class.
 */
export function weigher(rows: Int32Array, released: readonly boolean[]): (p: Float64Array) => Float64Array {
  const lifts = redistributedRows(rows, released);
  const mayStand = released.map((may, one) => may && rows[one]! > 0);
  return (p) => {
    const shown = p.map((own, one) => (mayStand[one] ? own : 0));
    const suppressed = p.reduce((sum, own, one) => sum + (released[one] ? 0 : own), 0);
    if (suppressed === 0) return shown;
    const lifted = shown.map((own, one) => (lifts[one]! > 0 ? (own * lifts[one]!) / rows[one]! : 0));
    const all = lifted.reduce((sum, own) => sum + own, 0);
    return all > 0 ? shown.map((own, one) => own + (suppressed * lifted[one]!) / all) : shown;
  };
}

// Suppressed levels are redistributed to those of the others that are nearest to as rare, so that frequent levels keep
// their shares even where every second cell of a column is suppressed.

/** By class, the suppressed rows that it is given: the rarest that may be released rise to one height; 0 for the others. */
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

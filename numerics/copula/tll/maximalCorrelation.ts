/**
 * Maximal correlation of two variables by alternating conditional expectations (Breiman and Friedman, 1985) on ranks:
 * the bandwidth grows smaller where dependence is stronger than the correlation shows.
 */
import { sortedBy } from '../kendallTau.ts';

const MOST_ITERATIONS = 60;
const TOLERANCE = 1e-7;

/**
 * Of n values each, in [0, 1]. Equal values may stand in any order: it is tried as the rows come and each against the other
 * variable, and the one in which they tell most counts.
 */
export function maximalCorrelationOf(x: Float64Array, y: Float64Array): number {
  const rows = Int32Array.from({ length: x.length }, (_, i) => i);
  const [orderX, orderY] = [sortedBy(x, rows), sortedBy(y, rows)];
  const asTheyCome = maximalCorrelation(orderX, orderY);
  if (!hasTies(x, orderX) && !hasTies(y, orderY)) return asTheyCome;
  const against = maximalCorrelation(sortedBy(x, orderY.toReversed()), orderY);
  return Math.max(asTheyCome, against);
}

const hasTies = (values: Float64Array, order: Int32Array): boolean =>
  order.some((row, place) => place > 0 && values[row] === values[order[place - 1]!]);

/** `orderU`, `orderV`: row numbers sorted by each variable. In [0, 1]; 0 for fewer than 10 rows. */
export function maximalCorrelation(orderU: Int32Array, orderV: Int32Array): number {
  const n = orderU.length;
  if (n < 10) return 0;
  const half = Math.ceil(n / 5);
  const f = new Float64Array(n);
  const g = new Float64Array(n);
  const sums = new Float64Array(n + 1);
  for (let i = 0; i < n; i++) f[orderU[i]!] = i;
  standardise(f);
  let last = 0;
  for (let step = 0; step < MOST_ITERATIONS; step++) {
    smooth(f, orderV, half, sums, g);
    smooth(g, orderU, half, sums, f);
    let product = 0;
    for (let i = 0; i < n; i++) product += f[i]! * g[i]!;
    const correlation = product / n;
    // Either sign may come out where dependence is weak: -f goes with g as f with -g.
    if (Math.abs(correlation - last) < TOLERANCE) return Math.abs(correlation);
    last = correlation;
  }
  return Math.abs(last);
}

/** Running means of 2·half + 1 rows in the given order, the first and last whole window kept to the ends. */
function smooth(from: Float64Array, order: Int32Array, half: number, sums: Float64Array, to: Float64Array): void {
  const n = order.length;
  for (let i = 0; i < n; i++) sums[i + 1] = sums[i]! + from[order[i]!]!;
  const width = 2 * half + 1;
  for (let i = 0; i < n; i++) {
    const centre = i < half ? half : Math.min(i, n - 1 - half);
    to[order[i]!] = (sums[centre + half + 1]! - sums[centre - half]!) / width;
  }
  standardise(to);
}

function standardise(x: Float64Array): void {
  const n = x.length;
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < n; i++) sum += x[i]!;
  const mean = sum / n;
  for (let i = 0; i < n; i++) squares += (x[i]! - mean) ** 2;
  const scale = squares > 0 ? 1 / Math.sqrt(squares / n) : 0;
  for (let i = 0; i < n; i++) x[i] = (x[i]! - mean) * scale;
}

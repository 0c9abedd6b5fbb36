import { ascendingRows } from '../rows.ts';

/**
 * Kendall's τ-b of n pairs in O(n log n) (Knight 1966). With `weights`, pairs count w_i w_j. Returns NaN for a constant
 * margin, n < 2 or NaN values.
 */
export function kendallTau(u: Float64Array, v: Float64Array, weights: Float64Array | null = null): number {
  const n = u.length;
  const order = sortedBy(v, sortedBy(u, ascendingRows(n)));
  const first = sortedBy(u, order);
  const w = new Float64Array(n);
  const y = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const row = first[i]!;
    w[i] = weights === null ? 1 : weights[row]!;
    y[i] = v[row]!;
    if (Number.isNaN(y[i]!) || Number.isNaN(u[row]!)) return Number.NaN;
  }
  const tiedU = tiedPairs(w, (i) => u[first[i]!] === u[first[i - 1]!]);
  const tiedBoth = tiedPairs(w, (i) => u[first[i]!] === u[first[i - 1]!] && y[i] === y[i - 1]);
  const discordant = countDiscordant(y, w);
  const tiedV = tiedPairs(w, (i) => y[i] === y[i - 1]);
  const all = tiedPairs(w, () => true);
  const numerator = all - tiedU - tiedV + tiedBoth - 2 * discordant;
  const tau = numerator / Math.sqrt(all - tiedU) / Math.sqrt(all - tiedV);
  return Number.isFinite(tau) ? Math.min(1, Math.max(-1, tau)) : Number.NaN;
}

function tiedPairs(w: Float64Array, sameAsBefore: (i: number) => boolean): number {
  let pairs = 0;
  let run = 0;
  for (let i = 0; i < w.length; i++) {
    if (i > 0 && !sameAsBefore(i)) run = 0;
    pairs += run * w[i]!;
    run += w[i]!;
  }
  return pairs;
}

/** Stable merge sort of rows by `key`. */
export function sortedBy(key: Float64Array, order: Int32Array): Int32Array {
  const n = order.length;
  let from: Int32Array = Int32Array.from(order);
  let to: Int32Array = new Int32Array(n);
  let keyFrom = new Float64Array(n);
  let keyTo = new Float64Array(n);
  for (let i = 0; i < n; i++) keyFrom[i] = key[order[i]!]!;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let a = start;
      let b = middle;
      for (let k = start; k < end; k++) {
        const left = a < middle && (b >= end || !(keyFrom[b]! < keyFrom[a]!));
        const at = left ? a++ : b++;
        to[k] = from[at]!;
        keyTo[k] = keyFrom[at]!;
      }
    }
    [from, to] = [to, from];
    [keyFrom, keyTo] = [keyTo, keyFrom];
  }
  return from;
}

function countDiscordant(y: Float64Array, w: Float64Array): number {
  const n = y.length;
  let [from, to]: [Float64Array, Float64Array] = [y, new Float64Array(n)];
  let [weightFrom, weightTo]: [Float64Array, Float64Array] = [w, new Float64Array(n)];
  let discordant = 0;
  for (let width = 1; width < n; width *= 2) {
    for (let start = 0; start < n; start += 2 * width) {
      const middle = Math.min(start + width, n);
      const end = Math.min(start + 2 * width, n);
      let waiting = 0;
      for (let i = start; i < middle; i++) waiting += weightFrom[i]!;
      let a = start;
      let b = middle;
      for (let k = start; k < end; k++) {
        const left = a < middle && (b >= end || from[a]! <= from[b]!);
        const at = left ? a++ : b++;
        if (left) waiting -= weightFrom[at]!;
        else discordant += waiting * weightFrom[at]!;
        to[k] = from[at]!;
        weightTo[k] = weightFrom[at]!;
      }
    }
    [from, to] = [to, from];
    [weightFrom, weightTo] = [weightTo, weightFrom];
  }
  if (from !== y) {
    y.set(from);
    w.set(weightFrom);
  }
  return discordant;
}

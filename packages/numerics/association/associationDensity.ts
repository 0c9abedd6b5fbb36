export interface ScoredAxis {
  u: Float64Array;
  v: Float64Array;
  column: Uint8Array;
}

/** Rows per block, to fit the cache. */
const BLOCK = 128;

/** Minus the log density per row at θ and α (P + K); overwrites the gradient. */
export type MinusLogDensity = (place: Float64Array, gradient: Float64Array) => number;

export function minusLogDensity(axes: readonly ScoredAxis[], classes: Int32Array, kinds: number): MinusLogDensity {
  const [rows, count] = [classes.length, axes.length];
  const scores = axes.map(({ u, column }) => Float64Array.from(column, (bin) => u[bin]!));
  const [p, by] = [new Float64Array(kinds * BLOCK), new Float64Array(BLOCK)];
  return (place, gradient) => {
    let value = 0;
    for (let c = 0; c < count; c++) value += 0.5 * place[c]! ** 2;
    gradient.set(place.subarray(0, count));
    gradient.fill(0, count);
    for (let from = 0; from < rows; from += BLOCK) {
      const block = { from, size: Math.min(BLOCK, rows - from), kinds, p, by };
      for (let k = 0; k < kinds; k++) p.fill(place[count + k]!, k * BLOCK, (k + 1) * BLOCK);
      for (let c = 0; c < count; c++) addAxis(block, place[c]!, scores[c]!, axes[c]!.v);
      value = toResiduals(block, classes, value);
      for (let c = 0; c < count; c++) gradient[c] = addSlope(block, gradient[c]!, scores[c]!, axes[c]!.v);
      for (let k = 0; k < kinds; k++) gradient[count + k] = addSum(block, gradient[count + k]!, k);
    }
    for (let j = 0; j < gradient.length; j++) gradient[j]! /= rows;
    return value / rows;
  };
}

interface Block {
  from: number;
  size: number;
  kinds: number;
  p: Float64Array;
  by: Float64Array;
}

/** p += θ u vᵀ. */
function addAxis({ from, size, kinds, p, by }: Block, theta: number, scores: Float64Array, v: Float64Array): void {
  for (let i = 0; i < size; i++) by[i] = theta * scores[from + i]!;
  for (let k = 0; k < kinds; k++) {
    const [score, at] = [v[k]!, k * BLOCK];
    for (let i = 0; i < size; i++) p[at + i] = p[at + i]! + by[i]! * score;
  }
}

function toResiduals({ from, size, kinds, p }: Block, classes: Int32Array, value: number): number {
  let now = value;
  for (let i = 0; i < size; i++) {
    const own = classes[from + i]! * BLOCK + i;
    now -= p[own]!;
    let [most, sum] = [Number.NEGATIVE_INFINITY, 0];
    for (let k = 0; k < kinds; k++) most = Math.max(most, p[k * BLOCK + i]!);
    for (let k = 0; k < kinds; k++) {
      const part = Math.exp(p[k * BLOCK + i]! - most);
      p[k * BLOCK + i] = part;
      sum += part;
    }
    for (let k = 0; k < kinds; k++) p[k * BLOCK + i] = p[k * BLOCK + i]! / sum;
    p[own] = p[own]! - 1;
    now += most + Math.log(sum);
  }
  return now;
}

function addSlope({ from, size, kinds, p, by }: Block, slope: number, scores: Float64Array, v: Float64Array): number {
  by.fill(0);
  for (let k = 0; k < kinds; k++) {
    const [score, at] = [v[k]!, k * BLOCK];
    for (let i = 0; i < size; i++) by[i] = by[i]! + p[at + i]! * score;
  }
  let now = slope;
  for (let i = 0; i < size; i++) now += by[i]! * scores[from + i]!;
  return now;
}

function addSum({ size, p }: Block, sum: number, k: number): number {
  let now = sum;
  for (let i = 0; i < size; i++) now += p[k * BLOCK + i]!;
  return now;
}

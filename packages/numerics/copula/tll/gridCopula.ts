/**
 * Bilinear copula density, whose cdf, h and inverse have closed forms. m nodes per axis; row-major, u down the rows.
 */
import type { PairCopula } from '../pairCopula.ts';
import { gridOf } from './grid.ts';

const MIN_DENSITY = 1e-15;

function cumulate(values: Float64Array, nodes: Float64Array, rowStep: number, step: number): Float64Array {
  const m = nodes.length;
  const sums = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    let sum = 0;
    for (let j = 1; j < m; j++) {
      const at = i * rowStep + j * step;
      sum += 0.5 * (values[at - step]! + values[at]!) * (nodes[j]! - nodes[j - 1]!);
      sums[i * m + j] = sum;
    }
    for (let j = 1; j < m; j++) sums[i * m + j]! /= sum;
  }
  return sums;
}

const GUIDE_STEPS = 128;

function guideOf(sums: Float64Array, m: number): Uint16Array {
  const guide = new Uint16Array(m * (GUIDE_STEPS + 1));
  for (let i = 0; i < m; i++) {
    let j = 0;
    for (let k = 0; k <= GUIDE_STEPS; k++) {
      while (j < m - 2 && sums[i * m + j + 1]! <= k / GUIDE_STEPS) j++;
      guide[i * (GUIDE_STEPS + 1) + k] = j;
    }
  }
  return guide;
}

/** P(target ≤ t | given), bilinear between rows. */
class Conditional {
  readonly #nodes: Float64Array;
  readonly #values: Float64Array;
  readonly #sums: Float64Array;
  readonly #find: (u: number) => number;
  #guide: Uint16Array | undefined;

  constructor(nodes: Float64Array, values: Float64Array, sums: Float64Array, find: (u: number) => number) {
    this.#nodes = nodes;
    this.#values = values;
    this.#sums = sums;
    this.#find = find;
  }

  h(given: number, target: number): number {
    if (target <= 0) return 0;
    if (target >= 1) return 1;
    const g = given < 0 ? 0 : Math.min(given, 1);
    const m = this.#nodes.length;
    const i = this.#find(g);
    const j = this.#find(target);
    const share = (g - this.#nodes[i]!) / (this.#nodes[i + 1]! - this.#nodes[i]!);
    const width = this.#nodes[j + 1]! - this.#nodes[j]!;
    const x = target - this.#nodes[j]!;
    const at = i * m + j;
    const start = (1 - share) * this.#sums[at]! + share * this.#sums[at + m]!;
    const left = (1 - share) * this.#values[at]! + share * this.#values[at + m]!;
    const right = (1 - share) * this.#values[at + 1]! + share * this.#values[at + m + 1]!;
    const value = start + x * (left + (0.5 * x * (right - left)) / width);
    return Math.min(value, 1);
  }

  /** `out` may alias an argument. */
  hInto(given: Float64Array, target: Float64Array, out: Float64Array): void {
    for (let i = 0; i < out.length; i++) out[i] = this.h(given[i]!, target[i]!);
  }

  /** `out` may alias an argument. One loop, as simulation spends its time here. */
  inverseInto(given: Float64Array, p: Float64Array, out: Float64Array): void {
    const m = this.#nodes.length;
    const [nodes, values, sums, find] = [this.#nodes, this.#values, this.#sums, this.#find];
    this.#guide ??= guideOf(sums, m);
    const guide = this.#guide;
    for (let k = 0; k < out.length; k++) {
      const level = p[k]!;
      if (!(level > 0 && level < 1)) {
        out[k] = level <= 0 ? 0 : level >= 1 ? 1 : Number.NaN;
        continue;
      }
      const g = Math.min(Math.max(given[k]!, 0), 1);
      const i = find(g);
      const share = (g - nodes[i]!) / (nodes[i + 1]! - nodes[i]!);
      const row = i * m;
      const step = i * (GUIDE_STEPS + 1) + ((level * GUIDE_STEPS) | 0);
      const next = step + GUIDE_STEPS + 1;
      let low = Math.min(guide[step]!, guide[next]!);
      let high = Math.max(guide[step + 1]!, guide[next + 1]!) + 1;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if ((1 - share) * sums[row + middle]! + share * sums[row + m + middle]! <= level) low = middle;
        else high = middle;
      }
      const at = row + low;
      const rest = level - ((1 - share) * sums[at]! + share * sums[at + m]!);
      const left = (1 - share) * values[at]! + share * values[at + m]!;
      const right = (1 - share) * values[at + 1]! + share * values[at + m + 1]!;
      const width = nodes[low + 1]! - nodes[low]!;
      // Solves left·x + slope·x²/2 = rest without cancellation.
      const slope = (right - left) / width;
      const root = Math.sqrt(Math.max(0, left * left + 2 * slope * rest));
      const x = left + root > 0 ? (2 * rest) / (left + root) : 0;
      out[k] = nodes[low]! + Math.min(x, width);
    }
  }

  inverse(given: number, p: number): number {
    const out = Float64Array.of(p);
    this.inverseInto(Float64Array.of(given), out, out);
    return out[0]!;
  }
}

/**
 * `values`: m × m, with margins uniform by the trapezoid rule. Throws a RangeError for a wrong size or negative values.
 */
export function gridCopula(m: number, values: Float64Array, parameterCount: number): PairCopula {
  if (!(m >= 2) || values.length !== m * m || !values.every((value) => value >= 0)) {
    throw new RangeError(`a grid of ${m} × ${m} densities has ${m * m} values from 0 up; these are ${values.length}`);
  }
  const { nodes, find } = gridOf(m);
  const transposed = new Float64Array(m * m);
  for (let i = 0; i < m; i++) for (let j = 0; j < m; j++) transposed[j * m + i] = values[i * m + j]!;
  const overV = cumulate(values, nodes, m, 1);
  const overU = cumulate(transposed, nodes, m, 1);
  const givenU = new Conditional(nodes, values, overV, find);
  const givenV = new Conditional(nodes, transposed, overU, find);
  const density = bilinear(nodes, values, find);
  const logDensity = (u: number, v: number) => Math.log(Math.max(density(u, v), MIN_DENSITY));
  const h1 = (u: number, v: number) => givenU.h(u, v);
  const h2 = (u: number, v: number) => givenV.h(v, u);
  return {
    family: 'tll',
    parameterCount,
    logDensity,
    h1,
    h2,
    inverseH1: (u, p) => givenU.inverse(u, p),
    inverseH2: (p, v) => givenV.inverse(v, p),
    logDensityInto(u, v, out) {
      for (let i = 0; i < out.length; i++) out[i] = logDensity(u[i]!, v[i]!);
    },
    h1Into: (u, v, out) => givenU.hInto(u, v, out),
    h2Into: (u, v, out) => givenV.hInto(v, u, out),
    inverseH2Into: (p, v, out) => givenV.inverseInto(v, p, out),
    cdf: gridCdf(nodes, overV, overU, find, givenV),
    tau: () => gridTau(nodes, h1, h2),
    save: () => ({
      family: 'tll',
      rotation: 0,
      parameters: [],
      grid: { size: m, values: [...values], parameterCount },
    }),
  };
}

export function bilinear(nodes: Float64Array, values: Float64Array, find: (u: number) => number) {
  const m = nodes.length;
  return (u: number, v: number): number => {
    const x = u < 0 ? 0 : Math.min(u, 1);
    const y = v < 0 ? 0 : Math.min(v, 1);
    const i = find(x);
    const j = find(y);
    const s = (x - nodes[i]!) / (nodes[i + 1]! - nodes[i]!);
    const t = (y - nodes[j]!) / (nodes[j + 1]! - nodes[j]!);
    const at = i * m + j;
    return (
      (1 - s) * ((1 - t) * values[at]! + t * values[at + 1]!) +
      s * ((1 - t) * values[at + m]! + t * values[at + m + 1]!)
    );
  };
}

function gridCdf(
  nodes: Float64Array,
  overV: Float64Array,
  overU: Float64Array,
  find: (u: number) => number,
  givenV: Conditional,
) {
  const m = nodes.length;
  const corner = new Float64Array(m * m);
  for (let i = 0; i < m; i++) {
    for (let j = 1; j < m; j++) {
      const mean = 0.5 * (overU[(j - 1) * m + i]! + overU[j * m + i]!);
      corner[i * m + j] = corner[i * m + j - 1]! + mean * (nodes[j]! - nodes[j - 1]!);
    }
  }
  return (u: number, v: number): number => {
    if (u <= 0 || v <= 0) return 0;
    if (u >= 1) return Math.min(v, 1);
    if (v >= 1) return u;
    const j = find(v);
    const i = find(u);
    // h₂ is linear in v within the cell.
    const step = v - nodes[j]!;
    const atNode = givenV.h(nodes[j]!, u);
    const value = cornerAlongU(corner, overV, nodes, i, j, u) + 0.5 * step * (atNode + givenV.h(v, u));
    return Math.min(Math.max(value, 0, u + v - 1), u, v);
  };
}

function cornerAlongU(
  corner: Float64Array,
  overV: Float64Array,
  nodes: Float64Array,
  i: number,
  j: number,
  u: number,
): number {
  const m = nodes.length;
  const x = u - nodes[i]!;
  const left = overV[i * m + j]!;
  const slope = (overV[(i + 1) * m + j]! - left) / (nodes[i + 1]! - nodes[i]!);
  return corner[i * m + j]! + x * (left + 0.5 * x * slope);
}

/** τ = 1 - 4 ∫∫ h₁ h₂; two Gauss points per axis are exact for degree 3. */
function gridTau(
  nodes: Float64Array,
  h1: (u: number, v: number) => number,
  h2: (u: number, v: number) => number,
): number {
  const offset = 0.5 / Math.sqrt(3);
  let sum = 0;
  for (let i = 0; i + 1 < nodes.length; i++) {
    for (let j = 0; j + 1 < nodes.length; j++) {
      const wide = nodes[i + 1]! - nodes[i]!;
      const high = nodes[j + 1]! - nodes[j]!;
      for (const s of [0.5 - offset, 0.5 + offset]) {
        for (const t of [0.5 - offset, 0.5 + offset]) {
          const u = nodes[i]! + s * wide;
          const v = nodes[j]! + t * high;
          sum += 0.25 * wide * high * h1(u, v) * h2(u, v);
        }
      }
    }
  }
  return 1 - 4 * sum;
}

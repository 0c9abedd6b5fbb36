/** Associations of pairs: Pearson's r and Spearman's ρ, correlation ratio, Cramér's V. */

import type { ASSOCIATIONS } from '../../../contract/metrics.ts';
import { dot } from '../../../numerics/linalg/dense.ts';
import { firstAtLeast } from '../../../numerics/search.ts';
import { correlationOf, isConstant, magnitude, scaledMean } from '../distances.ts';
import type { EncodedTable } from './encodeTables.ts';

export type Association = (typeof ASSOCIATIONS)[number];
export type Pair = readonly [number, number];

/**
 * One value per pair i < j, or NaN. `strength` suits all kinds and does not grow as rows decrease: ρ, ε (Kelley, 1935),
 * or bias-corrected V (Bergsma, 2013).
 */
export type Associations = Record<Association | 'strength', Float64Array>;

export const pairsOf = (columns: number): Pair[] =>
  Array.from({ length: columns }, (_, j) => Array.from({ length: j }, (_, i): Pair => [i, j])).flat();

export function associationsOf({ columns }: EncodedTable, pairs: readonly Pair[]): Associations {
  const numbers = columns.flatMap((column) => (column.kind === 'numeric' ? [column.values] : []));
  const [pearson, spearman] = [correlationOf(numbers), spearmanOf(numbers)];
  const merged = columns.map((column) => (column.kind === 'category' ? mergeRare(column.codes, column.levels) : null));
  const none = (): Float64Array => new Float64Array(pairs.length).fill(Number.NaN);
  const out = { pearson: none(), spearman: none(), correlation_ratio: none(), cramers_v: none(), strength: none() };
  for (const [at, [i, j]] of pairs.entries()) {
    const [a, b] = [columns[i]!, columns[j]!];
    if (a.kind === 'numeric' && b.kind === 'numeric') {
      out.pearson[at] = pearson(i, j) ?? Number.NaN;
      out.spearman[at] = spearman(i, j) ?? Number.NaN;
      out.strength[at] = out.spearman[at]!;
    } else if (a.kind === 'numeric' && b.kind === 'category') {
      const found = explainedShare(a.values, b.codes, b.levels);
      out.correlation_ratio[at] = found ? Math.sqrt(found.share) : Number.NaN;
      out.strength[at] = found ? epsilonOf(found) : Number.NaN;
    } else {
      const found = meanSquare(merged[i]!, merged[j]!);
      out.cramers_v[at] = found ? vOf(found) : Number.NaN;
      out.strength[at] = found ? unbiasedV(found) : Number.NaN;
    }
  }
  return out;
}

/** Root mean square over shared pairs; undefined without any. */
export function associationGap(real: Float64Array, other: Float64Array): number | undefined {
  let squares = 0;
  let pairs = 0;
  for (let at = 0; at < real.length; at++) {
    const gap = real[at]! - other[at]!;
    if (Number.isNaN(gap)) continue;
    squares += gap * gap;
    pairs++;
  }
  return pairs > 0 ? Math.sqrt(squares / pairs) : undefined;
}

/** Minimum strength of a clear association. */
const CLEAR = 0.2;

/** |1 − slope| of the other strengths on the real ones; undefined without clear associations. */
export function strengthGap(real: Float64Array, other: Float64Array): number | undefined {
  let [products, squares] = [0, 0];
  for (let at = 0; at < real.length; at++) {
    if (!(Math.abs(real[at]!) >= CLEAR) || Number.isNaN(other[at]!)) continue;
    products += real[at]! * other[at]!;
    squares += real[at]! ** 2;
  }
  return squares > 0 ? Math.abs(1 - products / squares) : undefined;
}

// Correlation ratio: η² = Σ n_k (ȳ_k − ȳ)² / Σ (y − ȳ)², the share of variance explained by levels (Pearson, 1905).

/** Undefined below two complete rows or for constants. */
export function correlationRatio(values: Float64Array, codes: Int32Array, levels: number): number | undefined {
  const found = explainedShare(values, codes, levels);
  return found && Math.sqrt(found.share);
}

interface Explained {
  share: number;
  rows: number;
  kinds: number;
}

/** ε² = 1 − (1 − η²) (n − 1) / (n − k), at least 0. */
const epsilonOf = ({ share, rows, kinds }: Explained): number =>
  rows > kinds ? Math.sqrt(Math.max(0, 1 - ((1 - share) * (rows - 1)) / (rows - kinds))) : 0;

function explainedShare(values: Float64Array, codes: Int32Array, levels: number): Explained | undefined {
  const known = new Float64Array(values.length);
  const level = new Int32Array(values.length);
  let n = 0;
  for (let row = 0; row < values.length; row++) {
    if (!Number.isFinite(values[row]!) || codes[row]! < 0) continue;
    known[n] = values[row]!;
    level[n++] = codes[row]!;
  }
  const there = known.subarray(0, n);
  if (n < 2 || isConstant(there)) return undefined;
  const scale = magnitude(there);
  const mean = scaledMean(there, scale);
  const sums = new Float64Array(levels);
  const counts = new Int32Array(levels);
  let total = 0;
  for (let row = 0; row < n; row++) {
    const gap = there[row]! / scale - mean;
    sums[level[row]!]! += gap;
    counts[level[row]!]!++;
    total += gap * gap;
  }
  let between = 0;
  let kinds = 0;
  for (let k = 0; k < levels; k++) {
    if (counts[k] === 0) continue;
    kinds++;
    between += sums[k]! ** 2 / counts[k]!;
  }
  return kinds > 1 && total > 0 ? { share: Math.min(1, between / total), rows: n, kinds } : undefined;
}

/** Cramér's V = √(χ² / (n (min(r, c) − 1))) (Cramér, 1946), with levels beyond the 50 most frequent merged. */

const TOP = 50;

function mergeRare(codes: Int32Array, levels: number): { codes: Int32Array; levels: number } {
  if (levels <= TOP + 1) return { codes, levels };
  const counts = new Int32Array(levels);
  for (const code of codes) if (code >= 0) counts[code]!++;
  const newCodeOf = new Int32Array(levels).fill(TOP);
  const byCount = [...counts.keys()].sort((a, b) => counts[b]! - counts[a]! || a - b);
  for (const [at, code] of byCount.slice(0, TOP).entries()) newCodeOf[code] = at;
  return { codes: codes.map((code) => (code < 0 ? -1 : newCodeOf[code]!)), levels: TOP + 1 };
}

interface CodedColumn {
  codes: Int32Array;
  levels: number;
}

/** Takes codes; -1 is missing. Undefined for constants. */
export function cramersV(a: CodedColumn, b: CodedColumn): number | undefined {
  const found = meanSquare(a, b);
  return found && vOf(found);
}

/** φ² = χ² / n. */
interface Contingency {
  square: number;
  rows: number;
  kinds: readonly [number, number];
}

const vOf = ({ square, kinds }: Contingency): number =>
  Math.sqrt(Math.min(1, Math.max(0, square) / (Math.min(...kinds) - 1)));

function unbiasedV({ square, rows, kinds }: Contingency): number {
  if (rows < 2) return 0;
  const byChance = ((kinds[0] - 1) * (kinds[1] - 1)) / (rows - 1);
  const [r, c] = kinds.map((k) => k - (k - 1) ** 2 / (rows - 1)) as [number, number];
  const least = Math.min(r, c) - 1;
  return least > 0 ? Math.sqrt(Math.min(1, Math.max(0, square - byChance) / least)) : 0;
}

function meanSquare(a: CodedColumn, b: CodedColumn): Contingency | undefined {
  const counts = new Int32Array(a.levels * b.levels);
  const [rows, columns] = [new Int32Array(a.levels), new Int32Array(b.levels)];
  let n = 0;
  for (let row = 0; row < a.codes.length; row++) {
    const [i, j] = [a.codes[row]!, b.codes[row]!];
    if (i < 0 || j < 0) continue;
    counts[i * b.levels + j]!++;
    rows[i]!++;
    columns[j]!++;
    n++;
  }
  const kinds = [rows, columns].map((of) => of.filter((count) => count > 0).length) as [number, number];
  if (Math.min(...kinds) < 2) return undefined;
  // χ² / n = Σ n_ij² / (n_i n_j) − 1.
  let sum = 0;
  for (let i = 0; i < a.levels; i++) {
    for (let j = 0; j < b.levels; j++) {
      const count = counts[i * b.levels + j]!;
      if (count > 0) sum += (count / rows[i]!) * (count / columns[j]!);
    }
  }
  return { square: sum - 1, rows: n, kinds };
}

// Spearman's ρ: Pearson's correlation of mid-ranks (Spearman, 1904).

/** -1 is missing. */
interface DenseRanks {
  denseRank: Int32Array;
  distinct: number;
  complete: boolean;
}

function denseRanks(values: Float64Array): DenseRanks {
  const sorted = values.filter(Number.isFinite).sort();
  const distinct = sorted.filter((value, at) => at === 0 || value !== sorted[at - 1]);
  const denseRank = new Int32Array(values.length);
  for (let row = 0; row < denseRank.length; row++) {
    denseRank[row] = Number.isFinite(values[row]!) ? firstAtLeast(distinct, values[row]!) : -1;
  }
  return { denseRank, distinct: distinct.length, complete: sorted.length === values.length };
}

/** Centred mid-ranks of length 1; undefined if all tie. */
function unitRanks({ denseRank, distinct }: DenseRanks, other: Int32Array): Float64Array | undefined {
  const counts = new Int32Array(distinct);
  let n = 0;
  for (let row = 0; row < denseRank.length; row++) {
    if (denseRank[row]! < 0 || other[row]! < 0) continue;
    counts[denseRank[row]!]!++;
    n++;
  }
  const rank = new Float64Array(distinct);
  let before = 0;
  let squares = 0;
  for (let at = 0; at < distinct; at++) {
    rank[at] = before + counts[at]! / 2 - n / 2;
    squares += counts[at]! * rank[at]! ** 2;
    before += counts[at]!;
  }
  if (!(squares > 0)) return undefined;
  const length = Math.sqrt(squares);
  const unit = new Float64Array(denseRank.length);
  for (let row = 0; row < denseRank.length; row++) {
    if (denseRank[row]! >= 0 && other[row]! >= 0) unit[row] = rank[denseRank[row]!]! / length;
  }
  return unit;
}

const correlation = (a: Float64Array, b: Float64Array): number => Math.min(1, Math.max(-1, dot(a, b)));

/** Undefined for constants on shared rows. */
export function spearmanOf(columns: readonly Float64Array[]): (i: number, j: number) => number | undefined {
  const ranked = columns.map(denseRanks);
  const whole = ranked.map((own) => (own.complete ? unitRanks(own, own.denseRank) : undefined));
  return (i, j) => {
    const [a, b] = [ranked[i]!, ranked[j]!];
    const both = a.complete && b.complete;
    const u = both ? whole[i] : unitRanks(a, b.denseRank);
    const v = both ? whole[j] : unitRanks(b, a.denseRank);
    return u && v ? correlation(u, v) : undefined;
  };
}

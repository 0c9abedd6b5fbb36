/**
 * Restores quantiles within category levels and tree leaves that a model blurred; rows keep their order (raking: Deming
 * and Stephan 1940). u: cumulative probabilities.
 */
import { drawRows } from '../random/draws.ts';
import type { RandomStream } from '../random/stream.ts';
import { takeNumbers } from '../rows.ts';
import { applyRegressionTree, fitLeaves, type RegressionTree } from '../trees/boostedTrees.ts';
import { type Feature, type FeatureTable, takeFeatures } from '../trees/features.ts';

/** Finite numbers (n). */
export interface RowValues {
  rows: Int32Array;
  values: Float64Array;
}

export function fitRaking(
  features: FeatureTable,
  { rows, values }: RowValues,
  random: RandomStream,
): { levels: FeatureLevels[]; leaves: LeafQuantiles | null } {
  const u = uOf(values, random.child('levels'));
  return {
    levels: fitLevels(atRows(u, rows, features.rows), features.features),
    leaves: fitLeafQuantiles(features, { rows, values, u }, random.child('leaves')),
  };
}

/** Ties are random. */
function uOf(values: Float64Array, random: RandomStream): Float64Array {
  const tie = values.map(() => random.uniform());
  const order = Int32Array.from(values, (_, i) => i).sort((a, b) => values[a]! - values[b]! || tie[a]! - tie[b]!);
  const u = new Float64Array(values.length);
  order.forEach((i, rank) => {
    u[i] = (rank + tie[i]!) / values.length;
  });
  return u;
}

function atRows(u: Float64Array, rows: Int32Array, n: number): Float64Array {
  const out = new Float64Array(n).fill(Number.NaN);
  rows.forEach((row, i) => {
    out[row] = u[i]!;
  });
  return out;
}

/** Minimum rows of a level; quantiles of fewer are single rows. */
const MIN_LEVEL_ROWS = 200;
const MAX_CATEGORIES = 8;
const MAX_LEVELS = 50;

export interface FeatureLevels {
  feature: number;
  levels: GroupQuantiles;
}

/**
 * @param u n; NaN is missing.
 * @param features n rows, most informative first.
 */
export function fitLevels(u: Float64Array, features: readonly Feature[]): FeatureLevels[] {
  const found: FeatureLevels[] = [];
  for (const [feature, own] of features.entries()) {
    if (own.kind !== 'category' || found.length === MAX_CATEGORIES) continue;
    const levels = fitGroupQuantiles(own.codes, u, { least: MIN_LEVEL_ROWS, most: MAX_LEVELS });
    if (levels) found.push({ feature, levels });
  }
  return found;
}

/** Moves u to level quantiles in place; keeps NaN. */
export const rakeLevels = (u: Float64Array, codes: Int32Array, levels: GroupQuantiles): void =>
  rakeGroups(u, codes, levels, MIN_LEVEL_ROWS);

export interface LeafQuantiles {
  tree: RegressionTree;
  leaves: GroupQuantiles;
}

const MAX_LEAVES = 256;
/** Minimum rows of a leaf. */
const MIN_LEAF_ROWS = { few: 100, many: 30 } as const;
const MANY_ROWS = 10_000;
const minLeafRows = (rows: number): number => (rows < MANY_ROWS ? MIN_LEAF_ROWS.few : MIN_LEAF_ROWS.many);

/** Maximum rows fitted. */
const MAX_ROWS = 200_000;

/** Null if no column splits the values. @param target table rows with values and u. */
export function fitLeafQuantiles(
  table: FeatureTable,
  target: RowValues & { u: Float64Array },
  random: RandomStream,
): LeafQuantiles | null {
  const least = minLeafRows(target.rows.length);
  if (table.features.length === 0 || target.rows.length < 2 * least) return null;
  const taken = drawRows(target.rows.length, MAX_ROWS, random).sort();
  const at = (values: Float64Array) => takeNumbers(values, taken);
  const features = takeFeatures(
    table,
    taken.map((i) => target.rows[i]!),
  );
  const scale = target.values.reduce((most, value) => Math.max(most, Math.abs(value)), Number.MIN_VALUE);
  const scaled = at(target.values).map((value) => value / scale);
  const { tree, leafOf } = fitLeaves(features, scaled, { minLeafRows: least, maxLeaves: MAX_LEAVES });
  const leaves = fitGroupQuantiles(leafOf, at(target.u), { least, most: MAX_LEAVES });
  return leaves && { tree, leaves };
}

/** Moves u to leaf quantiles in place. */
export function rakeLeaves(u: Float64Array, { tree, leaves }: LeafQuantiles, features: FeatureTable): void {
  rakeGroups(u, applyRegressionTree(tree, features), leaves, minLeafRows(features.rows));
}

// End steps are halved repeatedly: if 99 % share a value, the variation lies beyond the last equal step.

/** Group `groups[i]` starts at `quantiles[i (KNOTS + 1)]`. */
export interface GroupQuantiles {
  groups: Int32Array;
  quantiles: Float64Array;
}

const EQUAL_STEPS = 32;
/** 1/64 … 1/2048 of a group at each end. */
const HALVINGS = 6;
/** Minimum rows beyond a quantile; fewer describe themselves. */
const ROWS_BEYOND = 50;
const HALVED = Array.from({ length: HALVINGS }, (_, k) => 1 / (EQUAL_STEPS * 2 ** (HALVINGS - k)));
export const SHARES = Float64Array.from([
  0,
  ...HALVED,
  ...Array.from({ length: EQUAL_STEPS - 1 }, (_, k) => (k + 1) / EQUAL_STEPS),
  ...HALVED.map((share) => 1 - share).reverse(),
  1,
]);
const KNOTS = SHARES.length - 1;

function rowsByGroup(groupOf: Int32Array, u: Float64Array): Map<number, Int32Array> {
  const sizes: number[] = [];
  for (let row = 0; row < groupOf.length; row++) {
    const at = groupOf[row]! + 1;
    if (!Number.isNaN(u[row]!)) sizes[at] = (sizes[at] ?? 0) + 1;
  }
  const rows = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(sizes.length);
  for (let row = 0; row < groupOf.length; row++) {
    const at = groupOf[row]! + 1;
    if (!Number.isNaN(u[row]!)) rows[at]![filled[at]!++] = row;
  }
  return new Map(rows.flatMap((own, at): [number, Int32Array][] => [[at - 1, own]]));
}

/**
 * Fits the `most` largest groups of at least `least` rows; null for no or one group. @param u n in [0, 1]; NaN is
 * missing.
 */
export function fitGroupQuantiles(
  groupOf: Int32Array,
  u: Float64Array,
  { least, most }: { least: number; most: number },
): GroupQuantiles | null {
  const groups = rowsByGroup(groupOf, u);
  const kept = [...groups]
    .filter(([, rows]) => rows.length >= least)
    .sort(([a, one], [b, other]) => other.length - one.length || a - b)
    .slice(0, most);
  if (kept.length === 0 || groups.size === 1) return null;
  const quantiles = kept.flatMap(([, rows]) => [...knotsOf(takeNumbers(u, rows))]);
  return { groups: Int32Array.from(kept, ([group]) => group), quantiles: Float64Array.from(quantiles) };
}

/** Moves u of groups with `least` rows to their quantiles in place; keeps NaN. */
export function rakeGroups(
  u: Float64Array,
  groupOf: Int32Array,
  { groups, quantiles }: GroupQuantiles,
  least: number,
): void {
  const rowsOf = rowsByGroup(groupOf, u);
  groups.forEach((group, i) => {
    const rows = rowsOf.get(group);
    if (!rows || rows.length < least) return;
    const inGroup = takeNumbers(u, rows);
    const carry = carrier(knotsOf(inGroup), quantiles.subarray(i * (KNOTS + 1), (i + 1) * (KNOTS + 1)));
    for (let at = 0; at < rows.length; at++) u[rows[at]!] = carry(inGroup[at]!);
  });
}

/** Above this, sorting would dominate run time. */
const MANY_VALUES = 4000;
const BOXES = 16_384;

export function knotsOf(values: Float64Array): Float64Array {
  return straightEnds(
    values.length < MANY_VALUES ? knotsOfFew(values.slice().sort()) : knotsOfMany(values),
    values.length,
  );
}

function straightEnds(knots: Float64Array, rows: number): Float64Array {
  const least = Math.min(1 / EQUAL_STEPS, ROWS_BEYOND / rows);
  const first = SHARES.findIndex((share) => share >= least);
  const onLine = (k: number, from: number, to: number): number =>
    knots[from]! + ((SHARES[k]! - SHARES[from]!) / (SHARES[to]! - SHARES[from]!)) * (knots[to]! - knots[from]!);
  return knots.map((knot, k) => {
    if (k > 0 && k < first) return onLine(k, 0, first);
    return k > KNOTS - first && k < KNOTS ? onLine(k, KNOTS - first, KNOTS) : knot;
  });
}

function knotsOfFew(sorted: Float64Array): Float64Array {
  const last = sorted.length - 1;
  return Float64Array.from({ length: KNOTS + 1 }, (_, k) => {
    const at = SHARES[k]! * last;
    const low = Math.floor(at);
    return sorted[low]! + (at - low) * (sorted[Math.min(last, low + 1)]! - sorted[low]!);
  });
}

/** Accurate to a box's width. */
function knotsOfMany(values: Float64Array): Float64Array {
  const counts = new Int32Array(BOXES);
  let [least, greatest] = [1, 0];
  for (const value of values) {
    counts[Math.min(BOXES - 1, Math.floor(value * BOXES))]!++;
    if (value < least) least = value;
    if (value > greatest) greatest = value;
  }
  const knots = new Float64Array(KNOTS + 1);
  let [box, below] = [0, 0];
  for (let k = 1; k < KNOTS; k++) {
    const wanted = SHARES[k]! * values.length;
    while (below + counts[box]! < wanted) below += counts[box++]!;
    const at = (box + (wanted - below) / counts[box]!) / BOXES;
    knots[k] = Math.min(greatest, Math.max(least, at));
  }
  knots[0] = least;
  knots[KNOTS] = greatest;
  return knots;
}

const PARTS = 64;

function carrier(own: Float64Array, real: Float64Array): (x: number) => number {
  const firstOf = new Int32Array(PARTS + 1);
  for (let part = 0, k = 0; part <= PARTS; part++) {
    while (k < KNOTS - 1 && own[k + 1]! < part / PARTS) k++;
    firstOf[part] = k;
  }
  return (x) => {
    let k = firstOf[Math.floor(x * PARTS)]!;
    while (k < KNOTS - 1 && own[k + 1]! < x) k++;
    const width = own[k + 1]! - own[k]!;
    const share = width > 0 ? Math.min(1, Math.max(0, (x - own[k]!) / width)) : 0.5;
    return real[k]! + share * (real[k + 1]! - real[k]!);
  };
}

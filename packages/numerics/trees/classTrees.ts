/**
 * Trees that give a row the probabilities of its classes: each leaf adds to the logarithm of every class (multi-output trees:
 * Zhang and Jung, 2021). Plain typed arrays, nodes of all trees one after the other. K = classes, n = rows.
 */
import type { Steps } from '../steps.ts';
import { ClassMemory, inFours } from './classKernels.ts';
import { applyBinning, type FeatureBins, type FeatureTable } from './features.ts';
import type { GrownNode } from './growClassTree.ts';

export interface ClassTrees {
  classes: number;
  binning: FeatureBins[];
  /** K, before the first tree: logarithms of the classes' shares. */
  base: Float64Array;
  /** The first node of each tree. */
  roots: Int32Array;
  /** By node: the feature that it splits on, f for a number, -2 - f for a category; -1 in a leaf. */
  feature: Int32Array;
  /** Of a number, the last bin that goes left; of a category, where its `sides` begin; in a leaf, where its values begin. */
  test: Int32Array;
  /** The left child; the right one comes after it. */
  left: Int32Array;
  /** Of splits on categories, one bit a bin: 1 goes left. */
  sides: Int32Array;
  /** K a leaf. */
  values: Float32Array;
}

/** What `feature` says of a leaf. */
export const LEAF = -1;
/** Of a split on a category; its own inverse. */
export const levelCode = (feature: number): number => -2 - feature;

/** Rows that are asked at once: the values of one tree then stay where they are quickly read; and blocks of a step. */
const BLOCK = 256;
const BLOCKS = 8;

/**
 * Calls `each` for every row in order, with the probabilities of its classes (K, overwritten). Steps: 2,048 rows each.
 * Throws RangeError where the table's features are others than at the fit.
 */
export function* eachProbabilities(
  trees: ClassTrees,
  table: FeatureTable,
  each: (row: number, p: Float64Array) => void,
): Steps<void> {
  const { classes, base } = trees;
  const columns = applyBinning(trees.binning, table);
  const block = Math.min(BLOCK, table.rows);
  const sums = openSums(trees, block);
  const p = new Float64Array(classes);
  for (let from = 0; from < table.rows; from += BLOCK) {
    const size = Math.min(BLOCK, table.rows - from);
    sums.begin();
    for (const root of trees.roots) {
      findLeaves(trees, root, columns, from, sums.leaves.subarray(0, size));
      sums.add(size);
    }
    for (let i = 0; i < size; i++) {
      sums.read(i, base, p);
      normalise(p);
      each(from + i, p);
    }
    if ((from / BLOCK) % BLOCKS === BLOCKS - 1) yield;
  }
}

/** Writes the leaf of a tree, as the number of its node, of each of the rows of the binned columns from `from` on. */
export function findLeaves(
  { feature, test, left, sides }: ClassTrees,
  root: number,
  columns: readonly Uint8Array[],
  from: number,
  out: Int32Array,
): void {
  for (let i = 0; i < out.length; i++) {
    let node = root;
    for (let f = feature[node]!; f !== LEAF; f = feature[node]!) {
      const bin = columns[f < 0 ? levelCode(f) : f]![from + i]!;
      const goesLeft = f < 0 ? (sides[test[node]! + (bin >> 5)]! >> (bin & 31)) & 1 : bin <= test[node]!;
      node = goesLeft ? left[node]! : left[node]! + 1;
    }
    out[i] = node;
  }
}

/** Sums of the values of leaves, for a block of rows, as f32: four classes at a time. */
function openSums({ classes, feature, test, values }: ClassTrees, rows: number) {
  const width = inFours(classes);
  const count = values.length / classes;
  const memory = new ClassMemory([count * width, rows * width, rows]);
  const own = memory.take(Float32Array, count * width);
  const sums = memory.take(Float32Array, rows * width);
  const leaves = memory.take(Int32Array, rows);
  for (let leaf = 0; leaf < count; leaf++) {
    own.values.set(values.subarray(leaf * classes, (leaf + 1) * classes), leaf * width);
  }
  const addresses = feature.map((f, node) => (f === LEAF ? own.at + (test[node]! / classes) * 4 * width : 0));
  return {
    /** Nodes of the block's rows, to be set before `add`. */
    leaves: leaves.values,
    begin(): void {
      sums.values.fill(0);
    },
    add(size: number): void {
      for (let i = 0; i < size; i++) leaves.values[i] = addresses[leaves.values[i]!]!;
      memory.kernels.addLeaves!(leaves.at, leaves.at + 4 * size, sums.at, 4 * width);
    },
    /** The sums of a row and `base`, K. */
    read(row: number, base: Float64Array, out: Float64Array): void {
      for (let k = 0; k < classes; k++) out[k] = base[k]! + sums.values[row * width + k]!;
    },
  };
}

function normalise(p: Float64Array): void {
  let sum = 0;
  for (let k = 0; k < p.length; k++) {
    p[k] = Math.exp(p[k]!);
    sum += p[k]!;
  }
  for (let k = 0; k < p.length; k++) p[k]! /= sum;
}

/**
 * Fits of one table and its classes as one, the mean of the logarithms of their probabilities. Throws RangeError where there is
 * none, or their classes differ in number; the binning is that of the first.
 */
export function poolTrees(fits: readonly ClassTrees[]): ClassTrees {
  const [first, ...others] = fits;
  if (!first) throw new RangeError('no trees to pool');
  if (others.some(({ classes }) => classes !== first.classes)) throw new RangeError('trees of other classes');
  if (others.length === 0) return first;
  const share = 1 / fits.length;
  const [nodes, sides, values] = [startsOf(fits, 'feature'), startsOf(fits, 'sides'), startsOf(fits, 'values')];
  const joined = <T>(of: (fit: ClassTrees, i: number) => Iterable<T>): T[] => fits.flatMap((fit, i) => [...of(fit, i)]);
  const test = ({ feature, test: own }: ClassTrees, i: number) =>
    own.map((at, node) => at + (feature[node] === LEAF ? values[i]! : feature[node]! < LEAF ? sides[i]! : 0));
  return {
    classes: first.classes,
    binning: first.binning,
    base: first.base.map((_, k) => fits.reduce((sum, { base }) => sum + base[k]! * share, 0)),
    roots: Int32Array.from(joined(({ roots }, i) => roots.map((root) => root + nodes[i]!))),
    feature: Int32Array.from(joined(({ feature }) => feature)),
    test: Int32Array.from(joined(test)),
    left: Int32Array.from(joined(({ left }, i) => left.map((node) => (node < 0 ? node : node + nodes[i]!)))),
    sides: Int32Array.from(joined((fit) => fit.sides)),
    values: Float32Array.from(joined((fit) => fit.values.map((value) => value * share))),
  };
}

/** Where the entries of each fit begin, one after the other. */
function startsOf(fits: readonly ClassTrees[], name: 'feature' | 'sides' | 'values'): number[] {
  let next = 0;
  return fits.map((fit) => {
    const start = next;
    next += fit[name].length;
    return start;
  });
}

/** Puts the nodes of trees one after the other. */
export class TreeWriter {
  readonly #kinds: number;
  readonly #roots: number[] = [];
  readonly #feature: number[] = [];
  readonly #test: number[] = [];
  readonly #left: number[] = [];
  readonly #sides: number[] = [];
  readonly #values: Float32Array[] = [];

  constructor(kinds: number) {
    this.#kinds = kinds;
  }

  add(nodes: readonly GrownNode[], values: readonly (Float32Array | null)[]): void {
    const root = this.#feature.length;
    this.#roots.push(root);
    nodes.forEach(({ split, left }, at) => {
      this.#left.push(split ? root + left : -1);
      if (!split) {
        this.#feature.push(LEAF);
        this.#test.push(this.#values.length * this.#kinds);
        this.#values.push(values[at]!);
      } else if (!split.sides) {
        this.#feature.push(split.feature);
        this.#test.push(split.bin);
      } else {
        this.#feature.push(levelCode(split.feature));
        this.#test.push(this.#sides.length);
        this.#sides.push(...bitsOf(split.sides));
      }
    });
  }

  /** The first `count` of them. */
  trees(binning: FeatureBins[], base: Float64Array, count: number): ClassTrees {
    const nodes = this.#roots[count] ?? this.#feature.length;
    const feature = Int32Array.from(this.#feature.slice(0, nodes));
    const leaves = feature.reduce((sum, own) => sum + (own === LEAF ? 1 : 0), 0);
    const values = new Float32Array(leaves * this.#kinds);
    for (let leaf = 0; leaf < leaves; leaf++) values.set(this.#values[leaf]!, leaf * this.#kinds);
    return {
      classes: this.#kinds,
      binning,
      base,
      roots: Int32Array.from(this.#roots.slice(0, count)),
      feature,
      test: Int32Array.from(this.#test.slice(0, nodes)),
      left: Int32Array.from(this.#left.slice(0, nodes)),
      sides: Int32Array.from(this.#sides),
      values,
    };
  }
}

function bitsOf(sides: Uint8Array): Int32Array {
  const out = new Int32Array(Math.ceil(sides.length / 32));
  sides.forEach((side, bin) => {
    if (side === 1) out[bin >> 5]! |= 1 << (bin & 31);
  });
  return out;
}

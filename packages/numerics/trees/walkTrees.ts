/** Predictions of trees. K classes, n rows. */
import type { Steps } from '../steps.ts';
import { assemble, type Compiled } from '../wasm/assemble.ts';
import { bytes, floats, integers, placeArrays, SIZE } from '../wasm/placeArrays.ts';
import { exponentiate, inFours } from './classKernels.ts';
import { type ClassTrees, LEAF, levelCode } from './classTrees.ts';
import { applyBinning, type FeatureTable, valueBins } from './features.ts';
import { addLeaves, findLeaves, SPLIT, TOGETHER, WORD } from './leafKernels.ts';

/** Rows per block, to fit the cache, and blocks per step. */
const BLOCK = 256;
const BLOCKS = 8;
/** Padding classes have no probability. */
const NOTHING = -1e30;

/**
 * Calls `each` with class probabilities (K, overwritten, f32 precision). Yields every 2,048 rows. Throws a RangeError
 * for features unlike the fit's.
 */
export function* eachProbabilities(
  trees: ClassTrees,
  table: FeatureTable,
  each: (row: number, p: Float64Array) => void,
): Steps<void> {
  const width = inFours(trees.classes);
  const p = new Float64Array(trees.classes);
  yield* eachBlock(trees, table, (walk, from, size) => {
    walk.exponentiate(size);
    for (let i = 0; i < size; i++) {
      shares(walk.sums, i * width, p);
      each(from + i, p);
    }
  });
}

function shares(parts: Float32Array, from: number, out: Float64Array): void {
  let sum = 0;
  for (let k = 0; k < out.length; k++) sum += parts[from + k]!;
  for (let k = 0; k < out.length; k++) out[k] = parts[from + k]! / sum;
}

/** Means (n) of single-valued trees. Yields every 2,048 rows. */
export function* meansOf(trees: ClassTrees, table: FeatureTable): Steps<Float64Array> {
  const out = new Float64Array(table.rows);
  const width = inFours(1);
  yield* eachBlock(trees, table, (walk, from, size) => {
    for (let i = 0; i < size; i++) out[from + i] = trees.base[0]! + walk.sums[i * width]!;
  });
  return out;
}

function* eachBlock(
  trees: ClassTrees,
  table: FeatureTable,
  read: (walk: TreeWalk, from: number, size: number) => void,
): Steps<void> {
  const columns = applyBinning(trees.binning, table);
  const walk = new TreeWalk(trees, columns);
  for (let from = 0; from < table.rows; from += BLOCK) {
    const size = Math.min(BLOCK, table.rows - from);
    walk.addLeaves(from, size);
    read(walk, from, size);
    if ((from / BLOCK) % BLOCKS === BLOCKS - 1) yield;
  }
}

const KERNELS = assemble([findLeaves(), addLeaves(), exponentiate()]);

class TreeWalk {
  /** By row, K padded to fours. */
  readonly sums: Float32Array;
  readonly #columns: readonly Uint8Array[];
  readonly #stride: number;
  readonly #trees: readonly PlacedTree[];
  readonly #kernels: Compiled;
  readonly #placed: ReturnType<typeof openWalk>['placed'];

  constructor(trees: ClassTrees, columns: readonly Uint8Array[]) {
    const { kernels, placed, walked } = openWalk(trees, columns.length);
    this.#columns = columns;
    this.#stride = inFours(trees.classes) * SIZE;
    this.#trees = walked;
    this.#kernels = kernels;
    this.#placed = placed;
    this.sums = placed.sums.values;
  }

  addLeaves(from: number, size: number): void {
    const { block, bits, sums } = this.#placed;
    this.#columns.forEach((column, f) => {
      block.values.set(column.subarray(from, from + size), f * BLOCK);
    });
    sums.values.fill(0);
    const [lastRow, lastBits] = [block.at + size, bits.at + size * SIZE];
    for (const { words, leaves } of this.#trees) {
      for (const [w, { from: first, to: last }] of words.entries()) {
        this.#kernels.findLeaves!(first, last, block.at, lastRow, bits.at + w * BLOCK * SIZE);
      }
      this.#kernels.addLeaves!(bits.at, lastBits, BLOCK * SIZE, leaves, this.#stride, sums.at);
    }
  }

  /** Probabilities are not normalised. */
  exponentiate(size: number): void {
    const { sums, base } = this.#placed;
    this.#kernels.exponentiate!(sums.at, sums.at + size * this.#stride, this.#stride, base.at);
  }
}

interface PlacedTree {
  words: { from: number; to: number }[];
  leaves: number;
}

function openWalk(trees: ClassTrees, features: number) {
  const { classes, base, roots, values } = trees;
  const padded = inFours(classes);
  const written = new SplitWriter(trees);
  const read = Array.from(roots, (root) => written.add(root));
  const { kernels, placed } = placeArrays(KERNELS, {
    splits: integers(written.splits.length),
    tables: bytes(written.tables.length),
    leaves: floats(values.length === 0 ? 0 : (values.length / classes) * padded),
    base: floats(padded),
    block: bytes(features * BLOCK),
    bits: integers(written.words * BLOCK),
    sums: floats(BLOCK * padded),
  });
  placed.base.values.fill(NOTHING);
  placed.base.values.set(base);
  placed.tables.values.set(written.tables);
  placed.splits.values.set(written.placedAt(placed.tables.at));
  let leaf = 0;
  const walked = read.map(({ leaves, words }): PlacedTree => {
    const at = placed.leaves.at + leaf * padded * SIZE;
    for (const from of leaves) placed.leaves.values.set(values.subarray(from, from + classes), leaf++ * padded);
    const address = (split: number): number => placed.splits.at + split * SPLIT;
    return { leaves: at, words: words.map(({ from, to }) => ({ from: address(from), to: address(to) })) };
  });
  return { kernels, placed, walked };
}

class SplitWriter {
  readonly splits: number[] = [];
  readonly tables: number[] = [];
  words = 1;
  readonly #trees: ClassTrees;

  constructor(trees: ClassTrees) {
    this.#trees = trees;
  }

  add(root: number): { leaves: number[]; words: { from: number; to: number }[] } {
    const leaves: number[] = [];
    const splits: { node: number; from: number; to: number }[] = [];
    const visit = (node: number): void => {
      const { feature, left, test } = this.#trees;
      if (feature[node] === LEAF) {
        leaves.push(test[node]!);
        return;
      }
      const from = leaves.length;
      visit(left[node]!);
      splits.push({ node, from, to: leaves.length });
      visit(left[node]! + 1);
    };
    visit(root);
    const own = splits.map((split) => ({ ...split, ...this.#testOf(split.node) }));
    const count = Math.ceil(leaves.length / WORD);
    this.words = Math.max(this.words, count);
    const words = Array.from({ length: count }, (_, w) => {
      const first = this.splits.length / (SPLIT / SIZE);
      for (const { from, to, place, test, table } of own) {
        const mask = bitsBetween(from - w * WORD, to - w * WORD);
        if (mask !== 0) this.splits.push(place, test, mask, table);
      }
      return { from: first, to: this.splits.length / (SPLIT / SIZE) };
    });
    return { leaves, words };
  }

  /** Table addresses count from 1, since 0 means none. */
  placedAt(tablesAt: number): Int32Array {
    const out = Int32Array.from(this.splits);
    for (let at = 0; at < out.length; at += SPLIT / SIZE) {
      if (out[at + 3] === 0) continue;
      out[at + 1]! += tablesAt;
      out[at + 3]! += tablesAt - 1;
    }
    return out;
  }

  #testOf(node: number): { place: number; test: number; table: number } {
    const { feature, test, binning, sides } = this.#trees;
    const f = feature[node]!;
    if (f > LEAF) return { place: f * BLOCK, test: test[node]!, table: 0 };
    const own = levelCode(f);
    const begin = this.tables.length;
    const size = Math.ceil((valueBins(binning[own]!) + 1) / TOGETHER) * TOGETHER;
    for (let bin = 0; bin < size; bin++) {
      const goesLeft = ((sides[test[node]! + (bin >> 5)]! >>> (bin & 31)) & 1) === 1;
      this.tables.push(goesLeft ? 0 : 255);
    }
    return { place: own * BLOCK, test: this.tables.length, table: begin + 1 };
  }
}

function bitsBetween(from: number, to: number): number {
  const below = (bit: number): number => (bit <= 0 ? 0 : bit >= WORD ? 2 ** WORD - 1 : 2 ** bit - 1);
  return (below(to) - below(from)) | 0;
}
